/*
 * One request's record, and its line in files: api/requests.schema.json. Times are CLOCK_MONOTONIC
 * ns, RES_NO_TIME is null. Events take eight bytes each in memory, as the time since the one
 * before; one with more tokens than fit goes over several entries, all but the last marked MORE,
 * and is one again for all who read it through the cursor. How uncertain the times of one read are
 * stands once, behind its events (SINCE).
 *
 *	{"index":0,…,"acted_ns":…,"events":[[t_ns,tokens,flags],…],…,"error":null}
 *	                                   or [t_ns,tokens,flags,earliest_ns], where t_ns is not exact
 */
#include "result/record.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* A failure's text comes from a peer: what a record keeps of it is bounded where it is made, this
 * bounds what a file may claim. */
#define MESSAGE_BYTES_MAX (1u << 20)

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

const char *res_failure_name(const char *name)
{
	for (size_t i = 0; i < PL_ARRAY_SIZE(failure_names); i++) {
		if (pl_text_equal(failure_names[i], name))
			return failure_names[i];
	}
	return NULL;
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
		.prompt_tokens_asked = RES_NO_COUNT,
		.prompt_tokens = RES_NO_COUNT,
		.output_tokens_asked = RES_NO_COUNT,
		.output_tokens = RES_NO_COUNT,
	};
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

/* At the first event of a read: what stands behind its events is looked up once for all of them. */
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

uint32_t res_record_events(const struct res_record *record)
{
	struct res_event_cursor cursor = res_record_cursor(record);
	struct res_event_at at;
	uint32_t count = 0;

	while (res_record_next(&cursor, &at))
		count++;
	return count;
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

int64_t res_record_first_event_ns(const struct res_record *record)
{
	return first_event_ns(record, 0);
}

int64_t res_record_first_token_ns(const struct res_record *record)
{
	return first_event_ns(record, RES_EVENT_CONTENT);
}

/* Writing: the text itself and no tree of values, for it is done while a run is measured. */

/* "[t,tokens,flags,earliest]," */
#define EVENT_BYTES_MAX (4 * PL_I64_TEXT_BYTES + 6)

/* A peer's text may be no UTF-8, which a JSON text must be: bad bytes become U+FFFD. */
static void add_text(struct pl_buf *line, const char *key, const char *text)
{
	pl_buf_add_text(line, key);
	if (text == NULL || *text == '\0')
		pl_buf_add_text(line, "null");
	else
		pl_text_add_json(line, text, strlen(text), false);
}

/* Room for a whole event at a time, and no check per digit: this is most of a line. */
static void add_events(struct pl_buf *line, const struct res_record *record)
{
	struct res_event_cursor cursor = res_record_cursor(record);
	struct res_event_at event;
	char *at;

	pl_buf_add_text(line, ",\"events\":[");
	while (res_record_next(&cursor, &event) &&
	       (at = pl_buf_reserve(line, EVENT_BYTES_MAX)) != NULL) {
		*at++ = '[';
		at = pl_text_put_i64(at, event.t_ns);
		*at++ = ',';
		at = pl_text_put_i64(at, event.tokens);
		*at++ = ',';
		at = pl_text_put_i64(at, event.flags);
		if (event.earliest_ns < event.t_ns) {
			*at++ = ',';
			at = pl_text_put_i64(at, event.earliest_ns);
		}
		*at++ = ']';
		*at++ = ',';
		line->len = (size_t)(at - line->data);
	}
	/* the comma behind the last one */
	if (record->event_count > 0 && !line->full)
		line->len--;
	pl_buf_add_char(line, ']');
}

static void add_error(struct pl_buf *line, const struct res_record *record)
{
	if (record->ok) {
		pl_buf_add_text(line, ",\"error\":null");
		return;
	}
	add_text(line, ",\"error\":{\"kind\":",
		 record->error_kind != NULL ? record->error_kind : "unknown");
	pl_json_add_i64(line, ",\"status\":", record->status, 0);
	add_text(line, ",\"message\":", record->error);
	pl_buf_add_char(line, '}');
}

static void add_times(struct pl_buf *line, const struct res_record *record)
{
	pl_json_add_i64(line, ",\"planned_ns\":", record->planned_ns, RES_NO_TIME);
	pl_json_add_i64(line, ",\"queued_ns\":", record->queued_ns, RES_NO_TIME);
	pl_json_add_i64(line, ",\"acted_ns\":", record->acted_ns, RES_NO_TIME);
	pl_json_add_i64(line, ",\"connected_ns\":", record->connected_ns, RES_NO_TIME);
	pl_json_add_i64(line, ",\"handshake_ns\":", record->handshake_ns, RES_NO_COUNT);
	pl_json_add_i64(line, ",\"sent_ns\":", record->sent_ns, RES_NO_TIME);
	pl_json_add_i64(line, ",\"headers_ns\":", record->headers_ns, RES_NO_TIME);
	pl_json_add_i64(line, ",\"first_event_ns\":", res_record_first_event_ns(record),
			RES_NO_TIME);
	pl_json_add_i64(line, ",\"first_token_ns\":", res_record_first_token_ns(record),
			RES_NO_TIME);
	pl_json_add_i64(line, ",\"end_ns\":", record->end_ns, RES_NO_TIME);
}

bool res_record_add_json(struct pl_buf *line, const struct res_record *record)
{
	size_t before = line->len;
	char id[RES_ID_BYTES];

	line->full = false;
	res_request_id_text(&record->request_id, id, sizeof(id));
	pl_json_add_i64(line, "{\"index\":", (int64_t)record->index, RES_NO_COUNT);
	add_text(line, ",\"request_id\":", id);
	pl_json_add_i64(line, ",\"try\":", record->tries, RES_NO_COUNT);
	pl_json_add_i64(line,
			",\"tries\":", record->retried ? RES_NO_COUNT : (int64_t)record->tries,
			RES_NO_COUNT);
	pl_buf_add_text(line, record->retried ? ",\"retried\":true" : ",\"retried\":false");
	add_times(line, record);
	add_events(line, record);
	pl_json_add_i64(line, ",\"prompt_tokens_asked\":", record->prompt_tokens_asked,
			RES_NO_COUNT);
	pl_json_add_i64(line, ",\"prompt_tokens\":", record->prompt_tokens, RES_NO_COUNT);
	pl_json_add_i64(line, ",\"output_tokens_asked\":", record->output_tokens_asked,
			RES_NO_COUNT);
	pl_json_add_i64(line, ",\"output_tokens\":", record->output_tokens, RES_NO_COUNT);
	add_text(line, ",\"token_source\":", res_token_source_name(record->token_source));
	add_text(line, ",\"finish_reason\":", record->finish_reason);
	pl_json_add_i64(line, ",\"status\":", record->status, 0);
	add_error(line, record);
	if (pl_buf_add_char(line, '}') && !line->full)
		return true;
	/* a line that does not fit leaves no part of itself */
	line->len = before;
	return false;
}

/* Reading: each function takes one key, counts it in *seen and says what is wrong with it. */

struct reader {
	const json_t *json;
	size_t seen;
	struct pl_err *err;
};

static const json_t *take(struct reader *r, const char *key)
{
	const json_t *value = json_object_get(r->json, key);

	if (value == NULL) {
		pl_err_set(r->err, PL_ERR_INVALID, "record: '%s' is missing", key);
		return NULL;
	}
	r->seen++;
	return value;
}

static int wrong(struct reader *r, const char *key, const char *expected)
{
	return pl_err_set(r->err, PL_ERR_INVALID, "record: '%s': expected %s", key, expected);
}

static int take_integer(struct reader *r, const char *key, int64_t none, int64_t *ret)
{
	const json_t *value = take(r, key);

	if (value == NULL)
		return -1;
	if (json_is_null(value)) {
		*ret = none;
		return 0;
	}
	if (!json_is_integer(value) || json_integer_value(value) < 0)
		return wrong(r, key, "null or a whole number from 0");
	*ret = json_integer_value(value);
	return 0;
}

static int take_text(struct reader *r, const char *key, char *ret, size_t room)
{
	const json_t *value = take(r, key);

	if (value == NULL)
		return -1;
	*ret = '\0';
	if (json_is_null(value))
		return 0;
	if (!json_is_string(value) || json_string_length(value) == 0 ||
	    json_string_length(value) >= room)
		return wrong(r, key, "null or a short text");
	memcpy(ret, json_string_value(value), json_string_length(value) + 1);
	return 0;
}

static int take_time(struct reader *r, const char *key, int64_t *ret)
{
	if (take_integer(r, key, RES_NO_TIME, ret) < 0)
		return -1;
	return *ret > RES_TIME_MAX ? wrong(r, key, "a time of a running host") : 0;
}

static int take_times(struct reader *r, struct res_record *record)
{
	if (take_time(r, "planned_ns", &record->planned_ns) < 0 ||
	    take_time(r, "queued_ns", &record->queued_ns) < 0 ||
	    take_time(r, "acted_ns", &record->acted_ns) < 0 ||
	    take_time(r, "connected_ns", &record->connected_ns) < 0 ||
	    take_time(r, "sent_ns", &record->sent_ns) < 0 ||
	    take_time(r, "headers_ns", &record->headers_ns) < 0)
		return -1;
	/* not in lines that were written before it was recorded */
	if (json_object_get(r->json, "handshake_ns") != NULL &&
	    take_integer(r, "handshake_ns", RES_NO_COUNT, &record->handshake_ns) < 0)
		return -1;
	return take_time(r, "end_ns", &record->end_ns);
}

/* What one event says; MORE and SINCE are of the memory's form, a file has none. */
struct told_event {
	int64_t t_ns;
	int64_t tokens;
	int64_t flags;
	int64_t earliest_ns; /* t_ns where it is not told */
};

static bool event_values(const json_t *event, struct told_event *ret)
{
	int64_t value[4];
	size_t count = json_array_size(event);

	if (count != 3 && count != 4)
		return false;
	for (size_t i = 0; i < count; i++) {
		const json_t *item = json_array_get(event, i);
		if (!json_is_integer(item) || json_integer_value(item) < 0)
			return false;
		value[i] = json_integer_value(item);
	}
	*ret = (struct told_event){ value[0], value[1], value[2],
				    count == 4 ? value[3] : value[0] };
	return ret->flags < RES_EVENT_MORE && ret->t_ns <= RES_TIME_MAX &&
	       ret->tokens <= RES_RECORD_TOKENS_MAX &&
	       (count == 3 || ret->earliest_ns < ret->t_ns) &&
	       ret->t_ns - ret->earliest_ns <= RES_EVENT_DELTA_MAX;
}

/* Of the events of one read, while they are read. */
struct told_read {
	int64_t early_ns; /* 0: all are exact */
	unsigned exact;   /* behind those that are not */
};

/* Events that are not exact stand in front of those that are, and may all have come as early. */
static bool takes_its_place(struct told_read *read, const struct told_event *event, bool begins)
{
	int64_t early_ns = event->t_ns - event->earliest_ns;

	if (begins)
		*read = (struct told_read){ .early_ns = early_ns };
	if (early_ns == 0)
		return ++read->exact <= RES_EVENT_TOKENS_MAX || read->early_ns == 0;
	return early_ns == read->early_ns && read->exact == 0;
}

static void add_event_entries(struct res_record *record, size_t *room, int64_t delta_ns,
			      const struct told_event *event)
{
	uint32_t need = (uint32_t)(event->tokens / RES_EVENT_TOKENS_MAX + 1);

	pl_grow((void **)&record->events, room, (size_t)record->event_count + need,
		sizeof(struct res_event));
	record->event_count += res_event_encode(record->events + record->event_count, need,
						delta_ns, event->tokens, (unsigned)event->flags);
}

static void end_read(struct res_record *record, size_t *room, const struct told_read *read)
{
	if (read->early_ns == 0)
		return;
	pl_grow((void **)&record->events, room, (size_t)record->event_count + 1,
		sizeof(struct res_event));
	record->events[record->event_count++] = res_event_since(read->early_ns, read->exact);
}

static int take_events(struct reader *r, struct res_record *record)
{
	const json_t *events = take(r, "events");
	int64_t before_ns = record->acted_ns;
	struct told_read read = { 0 };
	size_t room = 0, i;
	json_t *json;

	if (events == NULL)
		return -1;
	if (!json_is_array(events))
		return wrong(r, "events", "an array");
	if (json_array_size(events) > 0 && before_ns == RES_NO_TIME)
		return wrong(r, "events", "none before 'acted_ns'");
	json_array_foreach((json_t *)events, i, json)
	{
		struct told_event event;
		if (!event_values(json, &event) || event.t_ns < before_ns ||
		    event.t_ns - before_ns > RES_EVENT_DELTA_MAX ||
		    event.earliest_ns < record->acted_ns)
			return wrong(r, "events",
				     "[t_ns, tokens, flags] in order of time, with earliest_ns "
				     "behind where the time is not exact");
		bool begins = i == 0 || (event.flags & RES_EVENT_COALESCED) == 0;
		if (begins)
			end_read(record, &room, &read);
		if (!takes_its_place(&read, &event, begins))
			return wrong(r, "events",
				     "events that came equally early, in front of the exact ones "
				     "of their read");
		add_event_entries(record, &room, event.t_ns - before_ns, &event);
		before_ns = event.t_ns;
	}
	end_read(record, &room, &read);
	return 0;
}

/* The two derived times must say what the events say. */
static int check_derived(struct reader *r, const struct res_record *record)
{
	int64_t first_event = 0, first_token = 0;

	if (take_integer(r, "first_event_ns", RES_NO_TIME, &first_event) < 0 ||
	    take_integer(r, "first_token_ns", RES_NO_TIME, &first_token) < 0)
		return -1;
	if (first_event != res_record_first_event_ns(record))
		return wrong(r, "first_event_ns", "the time of the first event");
	if (first_token != res_record_first_token_ns(record))
		return wrong(r, "first_token_ns", "the time of the first event with content");
	return 0;
}

static int take_token_source(struct reader *r, struct res_record *record)
{
	const json_t *value = take(r, "token_source");

	if (value == NULL)
		return -1;
	for (size_t i = 0; i < PL_ARRAY_SIZE(token_source_names); i++) {
		if (pl_text_equal(json_string_value(value), token_source_names[i])) {
			record->token_source = (enum res_token_source)i;
			return 0;
		}
	}
	return wrong(r, "token_source", "none, usage, ids, tokenizer or events");
}

static int take_counts(struct reader *r, struct res_record *record)
{
	if (take_integer(r, "prompt_tokens_asked", RES_NO_COUNT, &record->prompt_tokens_asked) <
		    0 ||
	    take_integer(r, "prompt_tokens", RES_NO_COUNT, &record->prompt_tokens) < 0 ||
	    take_integer(r, "output_tokens_asked", RES_NO_COUNT, &record->output_tokens_asked) <
		    0 ||
	    take_integer(r, "output_tokens", RES_NO_COUNT, &record->output_tokens) < 0)
		return -1;
	return take_token_source(r, record);
}

/* An HTTP status; null is 0. */
static int take_status(struct reader *r, int32_t *ret)
{
	int64_t status = 0;

	if (take_integer(r, "status", 0, &status) < 0)
		return -1;
	if (status > 999 || (status == 0 && !json_is_null(json_object_get(r->json, "status"))))
		return wrong(r, "status", "null or an HTTP status");
	*ret = (int32_t)status;
	return 0;
}

static int take_error(struct reader *r, struct res_record *record)
{
	const json_t *error = take(r, "error");
	struct reader inner = { .json = error, .err = r->err };
	int32_t status = 0;

	if (error == NULL)
		return -1;
	record->ok = json_is_null(error);
	if (record->ok)
		return 0;
	if (!json_is_object(error))
		return wrong(r, "error", "null or an object");
	record->error_kind = res_failure_name(json_string_value(json_object_get(error, "kind")));
	if (record->error_kind == NULL)
		return wrong(r, "error.kind", "a known kind");
	if (take_status(&inner, &status) < 0)
		return -1;
	if (status != record->status)
		return wrong(r, "error.status", "the same as 'status'");
	const json_t *message = take(&inner, "message");
	if (message == NULL)
		return -1;
	if (!json_is_null(message) &&
	    (!json_is_string(message) || json_string_length(message) > MESSAGE_BYTES_MAX))
		return wrong(r, "error.message", "null or a text");
	if (json_object_size(error) != 3)
		return wrong(r, "error", "kind, status and message only");
	record->error = pl_strdup(json_string_value(message));
	return 0;
}

/* A failed try is not told how many there were in all. */
static int take_tries(struct reader *r, struct res_record *record)
{
	const json_t *retried = take(r, "retried");
	int64_t number = -1, all = -1;

	if (retried == NULL || take_integer(r, "try", -1, &number) < 0 ||
	    take_integer(r, "tries", -1, &all) < 0)
		return -1;
	if (!json_is_boolean(retried))
		return wrong(r, "retried", "true or false");
	record->retried = json_is_true(retried);
	if (number < (record->retried ? 1 : 0) || number > RES_TRIES_MAX)
		return wrong(r, "try", "the number of a try");
	if (all != (record->retried ? -1 : number))
		return wrong(r, "tries", "null where 'retried', else the same as 'try'");
	record->tries = (uint32_t)number;
	return 0;
}

static int take_id(struct reader *r, struct res_record *record)
{
	char id[RES_ID_BYTES];

	if (take_text(r, "request_id", id, sizeof(id)) < 0)
		return -1;
	res_record_set_id(record, id);
	return 0;
}

static int take_all(struct reader *r, struct res_record *record)
{
	int64_t index = -1;

	if (take_integer(r, "index", -1, &index) < 0 || take_tries(r, record) < 0 ||
	    take_times(r, record) < 0)
		return -1;
	if (index < 0)
		return wrong(r, "index", "a whole number from 0");
	record->index = (uint64_t)index;
	if (take_events(r, record) < 0 || check_derived(r, record) < 0 ||
	    take_counts(r, record) < 0 || take_status(r, &record->status) < 0)
		return -1;
	if (take_id(r, record) < 0 ||
	    take_text(r, "finish_reason", record->finish_reason, sizeof(record->finish_reason)) <
		    0 ||
	    take_error(r, record) < 0)
		return -1;
	if (record->retried && record->ok)
		return wrong(r, "error", "an object where 'retried'");
	/* each key was taken once: what is left is unknown */
	if (json_object_size(r->json) != r->seen)
		return pl_err_set(r->err, PL_ERR_INVALID, "record: has unknown keys");
	return 0;
}

int res_record_from_json(const json_t *json, struct res_record *ret, struct pl_err *err)
{
	struct reader r = { .json = json, .err = err };
	struct res_record record;

	if (!json_is_object(json))
		return pl_err_set(err, PL_ERR_INVALID, "record: expected an object");
	res_record_init(&record, 0);
	if (take_all(&r, &record) < 0) {
		res_record_done(&record);
		return -1;
	}
	*ret = record;
	return 0;
}
