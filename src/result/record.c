/*
 * One request's record in memory. An event takes eight bytes and stores the time since the previous
 * one. An event with too many tokens for one entry takes several, all but the last marked MORE, and
 * the cursor joins them. The uncertainty of the times of one read is stored once, after its events
 * (SINCE).
 */
#include "result/record.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"

static const char *const failure_names[] = {
#define FAILURE(name, text) #name,
#include "tbl/states.h"
};

static const char *const token_source_names[] = {
#define TOKENS(id, name, text) [RES_TOKENS_##id] = #name,
#include "tbl/states.h"
};

const char *res_token_source_name(enum res_token_source source)
{
	return token_source_names[source];
}

bool res_token_source_find(const char *name, enum res_token_source *ret)
{
	size_t source = pl_text_index(name, token_source_names, PL_ARRAY_SIZE(token_source_names));

	if (source == PL_ARRAY_SIZE(token_source_names))
		return false;
	*ret = (enum res_token_source)source;
	return true;
}

const char *res_failure_name(const char *name)
{
	size_t i = pl_text_index(name, failure_names, PL_ARRAY_SIZE(failure_names));

	return i < PL_ARRAY_SIZE(failure_names) ? failure_names[i] : NULL;
}

void res_record_init(struct res_record *record, uint64_t index)
{
	*record = (struct res_record){
		.index = index,
		.planned_ns = RES_NO_TIME,
		.queued_ns = RES_NO_TIME,
		.acted_ns = RES_NO_TIME,
		.connected_ns = RES_NO_TIME,
		.handshake_ns = RES_NO_COUNT,
		.sent_ns = RES_NO_TIME,
		.headers_ns = RES_NO_TIME,
		.end_ns = RES_NO_TIME,
		.prompt_tokens_requested = RES_NO_COUNT,
		.prompt_tokens = RES_NO_COUNT,
		.cached_tokens = RES_NO_COUNT,
		.output_tokens_requested = RES_NO_COUNT,
		.output_tokens = RES_NO_COUNT,
		.server_queue_s = NAN,
		.server_ttft_s = NAN,
		.server_decode_s = NAN,
	};
	for (size_t i = 0; i < RES_KIND_COUNT; i++)
		record->first_ns[i] = RES_NO_TIME;
}

void res_record_done(struct res_record *record)
{
	free(record->events);
	free(record->error);
	free(record->text);
	if (record->owns_id)
		free((char *)record->request_id.prefix);
	res_record_init(record, record->index);
}

/* An id read from a file is one text; a plan's is a prefix that all share, and a number. */
void res_record_set_id(struct res_record *record, const char *text)
{
	if (record->owns_id)
		free((char *)record->request_id.prefix);
	record->owns_id = text[0] != '\0';
	record->request_id = (struct res_request_id){
		.prefix = record->owns_id ? pl_strdup(text) : NULL,
		.number = RES_NO_COUNT,
	};
}

void res_request_id_text(const struct res_request_id *id, char *text, size_t room)
{
	const char *prefix = id->prefix != NULL ? id->prefix : "";

	if (id->prefix != NULL && id->number != RES_NO_COUNT)
		snprintf(text, room, "%s%lld", prefix, (long long)id->number);
	else
		snprintf(text, room, "%s", prefix);
}

static int by_request(const void *a, const void *b)
{
	const struct res_record *x = *(struct res_record *const *)a;
	const struct res_record *y = *(struct res_record *const *)b;

	if (x->index != y->index)
		return x->index < y->index ? -1 : 1;
	return (x->tries > y->tries) - (x->tries < y->tries);
}

void res_record_sort_tries(struct res_record **tries, size_t count)
{
	if (count > 1)
		qsort(tries, count, sizeof(struct res_record *), by_request);
}

uint32_t res_event_encode(struct res_event *entries, uint32_t room, int64_t delta_ns,
			  int64_t tokens, unsigned flags)
{
	uint32_t used = 0;
	uint64_t left = tokens > 0 ? (uint64_t)tokens : 0;
	uint64_t delta = delta_ns > 0 ? (uint64_t)delta_ns : 0;

	if (left > (uint64_t)room * RES_EVENT_TOKENS_MAX || room == 0)
		return 0;
	if (delta > RES_EVENT_DELTA_MAX)
		delta = RES_EVENT_DELTA_MAX;
	do {
		uint64_t here = left > RES_EVENT_TOKENS_MAX ? RES_EVENT_TOKENS_MAX : left;
		left -= here;
		entries[used].delta_ns = used == 0 ? delta : 0;
		entries[used].tokens = here & RES_EVENT_TOKENS_MAX;
		entries[used].flags = ((flags & ~(unsigned)RES_EVENT_MORE) |
				       (left > 0 ? (unsigned)RES_EVENT_MORE : 0)) &
				      RES_EVENT_FLAGS_MASK;
		used++;
	} while (left > 0);
	return used;
}

struct res_event res_event_since(int64_t early_ns, unsigned exact)
{
	struct res_event entry;
	uint32_t used = res_event_encode(&entry, 1, early_ns, exact, RES_EVENT_SINCE);

	assert(used == 1);
	(void)used;
	return entry;
}

struct res_event_cursor res_record_cursor(const struct res_record *record)
{
	return (struct res_event_cursor){ .record = record, .t_ns = record->acted_ns };
}

/* At the first event of a read: finds the entry after its events once for all of them. */
static void begin_read(struct res_event_cursor *cursor)
{
	const struct res_record *record = cursor->record;
	const struct res_event *entry = &record->events[cursor->at];
	uint32_t at = cursor->at, count = 0;

	do {
		while ((entry->flags & RES_EVENT_MORE) != 0 && at + 1 < record->event_count)
			entry = &record->events[++at];
		count++;
		entry = &record->events[++at];
	} while (at < record->event_count && (entry->flags & RES_EVENT_COALESCED) != 0);
	cursor->read_end = at;
	cursor->inexact = 0;
	if (at == record->event_count || (entry->flags & RES_EVENT_SINCE) == 0)
		return;
	cursor->inexact = count > entry->tokens ? count - (uint32_t)entry->tokens : 0;
	cursor->early_ns = (int64_t)entry->delta_ns;
}

bool res_record_next(struct res_event_cursor *cursor, struct res_event_at *ret)
{
	const struct res_record *record = cursor->record;
	struct res_event_at at = { 0 };
	bool more = true;

	while (cursor->at < record->event_count &&
	       (record->events[cursor->at].flags & RES_EVENT_SINCE) != 0)
		cursor->at++;
	if (cursor->at >= record->event_count)
		return false;
	if (cursor->at >= cursor->read_end)
		begin_read(cursor);
	while (more && cursor->at < record->event_count) {
		const struct res_event *entry = &record->events[cursor->at++];
		cursor->t_ns += (int64_t)entry->delta_ns;
		at.tokens += (int64_t)entry->tokens;
		at.flags |= entry->flags & ~(unsigned)RES_EVENT_MORE;
		more = (entry->flags & RES_EVENT_MORE) != 0;
	}
	at.t_ns = cursor->t_ns;
	at.earliest_ns = at.t_ns;
	if (cursor->inexact > 0) {
		at.earliest_ns -= cursor->early_ns;
		cursor->inexact--;
	}
	*ret = at;
	return true;
}

bool res_record_next_chunk(struct res_event_cursor *cursor, struct res_event_at *ret)
{
	while (res_record_next(cursor, ret)) {
		if (res_record_is_chunk(cursor->record, ret->flags))
			return true;
	}
	return false;
}

static int64_t first_event_ns(const struct res_record *record, unsigned flags)
{
	struct res_event_cursor cursor = res_record_cursor(record);
	struct res_event_at at;

	while (res_record_next(&cursor, &at)) {
		if ((at.flags & flags) == flags)
			return at.t_ns;
	}
	return RES_NO_TIME;
}

/* The next entry of an event without output and without tokens, from entry `at`; event_count: none. */
static uint32_t next_empty(const struct res_record *record, uint32_t at)
{
	static const unsigned other = RES_EVENT_CONTENT | RES_EVENT_MORE | RES_EVENT_SINCE;

	for (; at < record->event_count; at++) {
		const struct res_event *event = &record->events[at];
		bool is_rest = at > 0 && (event[-1].flags & RES_EVENT_MORE) != 0;
		if (!is_rest && (event->flags & other) == 0 && event->tokens == 0)
			break;
	}
	return at;
}

static void give_token(struct res_event *event)
{
	event->tokens = 1;
	event->flags |= RES_EVENT_GUESSED;
}

void res_record_give_tokens(struct res_record *record, int64_t tokens)
{
	uint32_t first = 0, last = record->event_count;
	int64_t empty = 0;

	if (tokens <= 0)
		return;
	while (first < record->event_count &&
	       (record->events[first].flags & RES_EVENT_CONTENT) == 0)
		first++;
	for (uint32_t i = first; (i = next_empty(record, i)) < record->event_count; i++) {
		empty++;
		if ((record->events[i].flags & RES_EVENT_FINISH) != 0)
			last = i;
	}
	if (tokens > empty)
		return;
	if (last < record->event_count) {
		give_token(&record->events[last]);
		tokens--;
	}
	for (uint32_t i = first; tokens > 0 && (i = next_empty(record, i)) < record->event_count;
	     i++, tokens--)
		give_token(&record->events[i]);
}

int64_t res_record_first_event_ns(const struct res_record *record)
{
	return first_event_ns(record, 0);
}

bool res_record_names_reason(const struct res_record *record)
{
	return record->finish_reason[0] != '\0' ||
	       first_event_ns(record, RES_EVENT_FINISH) != RES_NO_TIME;
}

int64_t res_record_first_chunk_ns(const struct res_record *record)
{
	struct res_event_cursor cursor = res_record_cursor(record);
	struct res_event_at at;

	return res_record_next_chunk(&cursor, &at) ? at.t_ns : RES_NO_TIME;
}

int64_t res_record_first_token_ns(const struct res_record *record)
{
	return first_event_ns(record, RES_EVENT_CONTENT);
}
