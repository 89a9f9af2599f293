/*
 * A record's line in files: api/requests.schema.json. Times are CLOCK_MONOTONIC ns, RES_NO_TIME is
 * null. It is written as text and not as a tree of values, for that is done while a run is measured.
 *
 *	{"index":0,…,"acted_ns":…,"events":[[t_ns,tokens,flags],…],…,"error":null}
 *	                                   or [t_ns,tokens,flags,earliest_ns], where t_ns is not exact
 */
#include "result/record_line.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/redact.h"
#include "base/text.h"

/*
 * A failure's text comes from a peer: records limit it where it is made; this limits what a file
 * may contain.
 */
#define MESSAGE_BYTES_MAX (1u << 20)

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
	/* remove the comma after the last one */
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
	/* our own load generator redacts it at its source; another client's file does not */
	auto_free char *message = pl_strdup(record->error);
	if (message != NULL)
		pl_redact_text_cut(message, PL_REDACT_OTHERS);
	add_text(line, ",\"error\":{\"kind\":",
		 record->error_kind != NULL ? record->error_kind : "unknown");
	pl_json_add_i64(line, ",\"status\":", record->status, 0);
	add_text(line, ",\"message\":", message);
	pl_buf_add_char(line, '}');
}

static const char *const kind_keys[RES_KIND_COUNT] = {
	[RES_KIND_ROLE] = "first_role_ns",
	[RES_KIND_REASONING] = "first_reasoning_ns",
	[RES_KIND_TEXT] = "first_text_ns",
	[RES_KIND_TOOL_CALL] = "first_tool_call_ns",
};

/* NaN: no such key. */
static void add_seconds(struct pl_buf *line, const char *before, double seconds)
{
	char text[PL_F64_TEXT_BYTES];

	if (isnan(seconds))
		return;
	pl_text_from_f64(seconds, text);
	pl_buf_addf(line, "%s%s", before, text);
}

void res_record_add_media(struct pl_buf *line, int64_t images, int64_t videos, double audio_s)
{
	if (images > 0)
		pl_json_add_i64(line, ",\"images\":", images, RES_NO_COUNT);
	if (videos > 0)
		pl_json_add_i64(line, ",\"videos\":", videos, RES_NO_COUNT);
	if (audio_s > 0)
		add_seconds(line, ",\"audio_s\":", audio_s);
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
	for (size_t i = 0; i < RES_KIND_COUNT; i++) {
		if (record->first_ns[i] == RES_NO_TIME)
			continue;
		pl_buf_addf(line, ",\"%s\":%lld", kind_keys[i], (long long)record->first_ns[i]);
	}
	add_events(line, record);
	pl_json_add_i64(line, ",\"prompt_tokens_requested\":", record->prompt_tokens_requested,
			RES_NO_COUNT);
	pl_json_add_i64(line, ",\"prompt_tokens\":", record->prompt_tokens, RES_NO_COUNT);
	if (record->cached_tokens != RES_NO_COUNT)
		pl_json_add_i64(line, ",\"cached_tokens\":", record->cached_tokens, RES_NO_COUNT);
	pl_json_add_i64(line, ",\"output_tokens_requested\":", record->output_tokens_requested,
			RES_NO_COUNT);
	pl_json_add_i64(line, ",\"output_tokens\":", record->output_tokens, RES_NO_COUNT);
	add_text(line, ",\"token_source\":", res_token_source_name(record->token_source));
	if (record->input_sequences > 0)
		pl_json_add_i64(line, ",\"input_sequences\":", record->input_sequences,
				RES_NO_COUNT);
	if (record->session > 0) {
		pl_json_add_i64(line, ",\"session\":", record->session, 0);
		pl_json_add_i64(line, ",\"turn\":", record->turn, RES_NO_COUNT);
	}
	res_record_add_media(line, record->images, record->videos, record->audio_s);
	add_text(line, ",\"finish_reason\":", record->finish_reason);
	if (record->done_missing)
		pl_buf_add_text(line, ",\"done_missing\":true");
	if (record->output_chunks)
		pl_buf_add_text(line, ",\"output_chunks\":true");
	add_seconds(line, ",\"server_queue_s\":", record->server_queue_s);
	add_seconds(line, ",\"server_ttft_s\":", record->server_ttft_s);
	add_seconds(line, ",\"server_decode_s\":", record->server_decode_s);
	pl_json_add_i64(line, ",\"status\":", record->status, 0);
	add_error(line, record);
	if (pl_buf_add_char(line, '}') && !line->full)
		return true;
	/* a line that does not fit leaves no part of itself */
	line->len = before;
	return false;
}

/* Reading: each function takes one key, counts it in *seen and reports its errors. */

struct reader {
	const json_t *json;
	size_t seen;
	struct pl_err *err;
};

static const json_t *take(struct reader *r, const char *key)
{
	const json_t *value = json_object_get(r->json, key);

	if (value == NULL) {
		pl_err_invalid(r->err, "record: '%s' is missing", key);
		return NULL;
	}
	r->seen++;
	return value;
}

static int wrong(struct reader *r, const char *key, const char *expected)
{
	return pl_err_invalid(r->err, "record: '%s': expected %s", key, expected);
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
		return wrong(r, key, "null or an integer of at least 0");
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
	return *ret > RES_TIME_MAX ? wrong(r, key, "a time on the host's monotonic clock") : 0;
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
	if (json_object_get(r->json, "handshake_ns") != NULL) {
		if (take_integer(r, "handshake_ns", RES_NO_COUNT, &record->handshake_ns) < 0)
			return -1;
		if (record->handshake_ns > RES_TIME_MAX)
			return wrong(r, "handshake_ns", "a time on the host's monotonic clock");
	}
	for (size_t i = 0; i < RES_KIND_COUNT; i++) {
		/* written only if there is one */
		if (json_object_get(r->json, kind_keys[i]) != NULL &&
		    take_time(r, kind_keys[i], &record->first_ns[i]) < 0)
			return -1;
	}
	return take_time(r, "end_ns", &record->end_ns);
}

/* One event as it is in a file; MORE and SINCE exist only in memory. */
struct read_event_json {
	int64_t t_ns;
	int64_t tokens;
	int64_t flags;
	int64_t earliest_ns; /* equals t_ns if it is not recorded */
};

static bool event_values(const json_t *event, struct read_event_json *ret)
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
	*ret = (struct read_event_json){ value[0], value[1], value[2],
					 count == 4 ? value[3] : value[0] };
	return ret->flags < RES_EVENT_MORE && ret->t_ns <= RES_TIME_MAX &&
	       ret->tokens <= RES_RECORD_TOKENS_MAX &&
	       (count == 3 || ret->earliest_ns < ret->t_ns) &&
	       ret->t_ns - ret->earliest_ns <= RES_EVENT_DELTA_MAX;
}

/* State while the events of one read are parsed. */
struct event_read {
	int64_t early_ns; /* 0: all are exact */
	unsigned exact;   /* number of exact events after the inexact ones */
};

/* Inexact events precede the exact ones of a read and share the same earliest time. */
static bool takes_its_place(struct event_read *read, const struct read_event_json *event,
			    bool begins)
{
	int64_t early_ns = event->t_ns - event->earliest_ns;

	if (begins)
		*read = (struct event_read){ .early_ns = early_ns };
	if (early_ns == 0)
		return ++read->exact <= RES_EVENT_TOKENS_MAX || read->early_ns == 0;
	return early_ns == read->early_ns && read->exact == 0;
}

static void add_event_entries(struct res_record *record, size_t *room, int64_t delta_ns,
			      const struct read_event_json *event)
{
	uint32_t need = (uint32_t)(event->tokens / RES_EVENT_TOKENS_MAX + 1);

	pl_grow((void **)&record->events, room, (size_t)record->event_count + need,
		sizeof(struct res_event));
	record->event_count += res_event_encode(record->events + record->event_count, need,
						delta_ns, event->tokens, (unsigned)event->flags);
}

static void end_read(struct res_record *record, size_t *room, const struct event_read *read)
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
	struct event_read read = { 0 };
	size_t room = 0;

	if (events == NULL)
		return -1;
	if (!json_is_array(events))
		return wrong(r, "events", "an array");
	if (json_array_size(events) > 0 && before_ns == RES_NO_TIME)
		return wrong(r, "events", "none before 'acted_ns'");
	PL_JSON_EACH(json, events) {
		struct read_event_json event;
		if (!event_values(json, &event) || event.t_ns < before_ns ||
		    event.t_ns - before_ns > RES_EVENT_DELTA_MAX ||
		    event.earliest_ns < record->acted_ns)
			return wrong(r, "events",
				     "[t_ns, tokens, flags] in order of time; an inexact time is "
				     "followed by earliest_ns");
		bool begins = json_at == 0 || (event.flags & RES_EVENT_COALESCED) == 0;
		if (begins)
			end_read(record, &room, &read);
		if (!takes_its_place(&read, &event, begins))
			return wrong(r, "events",
				     "events with the same earliest_ns, before the exact events of "
				     "their read");
		add_event_entries(record, &room, event.t_ns - before_ns, &event);
		before_ns = event.t_ns;
	}
	end_read(record, &room, &read);
	return 0;
}

/* The two derived times must agree with the events. */
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

/* Written only for requests of a session. */
static int take_session(struct reader *r, struct res_record *record)
{
	int64_t session = 0, turn = 0;

	if (json_object_get(r->json, "session") == NULL)
		return 0;
	if (take_integer(r, "session", 0, &session) < 0 || session < 1 || session > UINT32_MAX)
		return wrong(r, "session", "an integer of at least 1, or no key");
	if (take_integer(r, "turn", -1, &turn) < 0 || turn < 0 || turn > UINT32_MAX)
		return wrong(r, "turn", "an integer of at least 0");
	record->session = (uint32_t)session;
	record->turn = (uint32_t)turn;
	return 0;
}

/* Written only for requests with such media. */
static int take_media(struct reader *r, const char *key, int64_t *ret)
{
	if (json_object_get(r->json, key) != NULL &&
	    (take_integer(r, key, 0, ret) < 0 || *ret == 0))
		return wrong(r, key, "an integer of at least 1, or no key");
	return 0;
}

static int take_counts(struct reader *r, struct res_record *record)
{
	if (take_integer(r, "prompt_tokens_requested", RES_NO_COUNT,
			 &record->prompt_tokens_requested) < 0 ||
	    take_integer(r, "prompt_tokens", RES_NO_COUNT, &record->prompt_tokens) < 0 ||
	    take_integer(r, "output_tokens_requested", RES_NO_COUNT,
			 &record->output_tokens_requested) < 0 ||
	    take_integer(r, "output_tokens", RES_NO_COUNT, &record->output_tokens) < 0)
		return -1;
	/* written only where the server reports it */
	if (json_object_get(r->json, "cached_tokens") != NULL &&
	    (take_integer(r, "cached_tokens", RES_NO_COUNT, &record->cached_tokens) < 0 ||
	     record->cached_tokens == RES_NO_COUNT))
		return wrong(r, "cached_tokens", "an integer of at least 0, or no key");
	/* written only for pooling requests */
	if (json_object_get(r->json, "input_sequences") != NULL &&
	    (take_integer(r, "input_sequences", 0, &record->input_sequences) < 0 ||
	     record->input_sequences == 0))
		return wrong(r, "input_sequences", "an integer of at least 1, or no key");
	if (take_session(r, record) < 0 || take_media(r, "images", &record->images) < 0 ||
	    take_media(r, "videos", &record->videos) < 0)
		return -1;
	const json_t *value = take(r, "token_source");
	if (value == NULL)
		return -1;
	if (res_token_source_find(json_string_value(value), &record->token_source))
		return 0;
	return wrong(r, "token_source", "none, usage, ids, tokenizer or events");
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
	record->error_kind = res_failure_name(pl_json_get_text(error, "kind"));
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

/* A failed try does not record the total number of tries. */
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
		return wrong(r, "tries", "null if 'retried', otherwise the value of 'try'");
	record->tries = (uint32_t)number;
	return 0;
}

/* Takes a key that is written only if it is true. */
static int take_true(struct reader *r, const char *key, bool *ret)
{
	const json_t *value = json_object_get(r->json, key);

	if (value == NULL)
		return 0;
	r->seen++;
	*ret = json_is_true(value);
	return *ret ? 0 : wrong(r, key, "true, or no key");
}

/* Takes a key that is written only if the server reported it. */
static int take_seconds(struct reader *r, const char *key, double *ret)
{
	const json_t *value = json_object_get(r->json, key);

	if (value == NULL)
		return 0;
	r->seen++;
	if (!json_is_number(value))
		return wrong(r, key, "a number of seconds, or no key");
	*ret = json_number_value(value);
	return 0;
}

static int take_all(struct reader *r, struct res_record *record)
{
	int64_t index = -1;

	if (take_integer(r, "index", -1, &index) < 0 || take_tries(r, record) < 0 ||
	    take_times(r, record) < 0)
		return -1;
	if (index < 0)
		return wrong(r, "index", "an integer of at least 0");
	record->index = (uint64_t)index;
	if (take_events(r, record) < 0 || check_derived(r, record) < 0 ||
	    take_counts(r, record) < 0 || take_status(r, &record->status) < 0)
		return -1;
	char id[RES_ID_BYTES];
	if (take_text(r, "request_id", id, sizeof(id)) < 0)
		return -1;
	res_record_set_id(record, id);
	if (take_true(r, "done_missing", &record->done_missing) < 0 ||
	    take_true(r, "output_chunks", &record->output_chunks) < 0 ||
	    take_seconds(r, "server_queue_s", &record->server_queue_s) < 0 ||
	    take_seconds(r, "server_ttft_s", &record->server_ttft_s) < 0 ||
	    take_seconds(r, "server_decode_s", &record->server_decode_s) < 0 ||
	    take_seconds(r, "audio_s", &record->audio_s) < 0 ||
	    take_text(r, "finish_reason", record->finish_reason, sizeof(record->finish_reason)) <
		    0 ||
	    take_error(r, record) < 0)
		return -1;
	if (record->retried && record->ok)
		return wrong(r, "error", "an object, because 'retried' is true");
	/* each key was taken once: any other key is unknown */
	if (json_object_size(r->json) != r->seen)
		return pl_err_invalid(r->err, "record: has unknown keys");
	return 0;
}

int res_record_from_json(const json_t *json, struct res_record *ret, struct pl_err *err)
{
	struct reader r = { .json = json, .err = err };
	struct res_record record;

	if (!json_is_object(json))
		return pl_err_invalid(err, "record: expected an object");
	res_record_init(&record, 0);
	if (take_all(&r, &record) < 0) {
		res_record_done(&record);
		return -1;
	}
	*ret = record;
	return 0;
}
