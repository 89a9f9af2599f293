#include "bench/load/stream.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"
#include "bench/load/peer_text.h"
#include "bench/load/stream_priv.h"
#include "bench/load/via.h"
#include "io/http_text.h"
#include "io/jwalk.h"

/* Thousands of connections must not each keep the memory of their largest response. */
#define KEEP_BYTES 65536

/* The first failure is the cause; later ones are its consequences. */
void bench_stream_fail(struct bench_stream *stream, const char *kind, const char *error)
{
	struct res_record *record = stream->recorder->record;
	char text[BENCH_ERROR_BYTES_MAX + 1];

	if (stream->result != BENCH_STREAM_MORE)
		return;
	/* some of it may be the peer's */
	bench_peer_text(error, strlen(error), text, sizeof(text));
	stream->result = BENCH_STREAM_FAILED;
	record->ok = false;
	record->error_kind = kind;
	free(record->error);
	record->error = pl_strdup(text);
	record->end_ns = stream->t_ns;
}

static bool fail(struct bench_stream *stream, const char *kind, const char *error)
{
	bench_stream_fail(stream, kind, error);
	return false;
}

/* Fails with "what: words", where the words are from a peer. */
bool bench_stream_fail_with_words(struct bench_stream *stream, const char *kind, const char *what,
				  const char *bytes, size_t len)
{
	char words[512];
	char text[1024];

	if (bench_peer_words(bytes, len, words, sizeof(words)) == 0)
		return fail(stream, kind, what);
	snprintf(text, sizeof(text), "%s: %s", what, words);
	return fail(stream, kind, text);
}

/* No Content-Type at all is taken for the right one. */
static bool is_event_type(const struct bench_stream *stream)
{
	static const char events[] = "text/event-stream";

	return stream->type[0] == '\0' ||
	       strncasecmp(stream->type, events, sizeof(events) - 1) == 0;
}

/*
 * The body decides whether it is an event stream, for proxies send events under any Content-Type
 * (application/json, text/html, text/plain). The type decides if the body begins with neither a field of an
 * event nor a document.
 */
static void decide_type(struct bench_stream *stream, enum io_sse_guess guess)
{
	stream->guess = guess;
	stream->sniffs = false;
	stream->is_events = guess == IO_SSE_STREAM ||
			    (guess == IO_SSE_TEXT && is_event_type(stream));
}

/* Fails with the error message of the response, otherwise with the status's reason phrase. */
static void fail_status(struct bench_stream *stream)
{
	const struct pl_buf *body = &stream->body;
	int status = stream->recorder->record->status;
	char words[BENCH_ERROR_BYTES_MAX + 1];
	char number[32];

	if (bench_peer_words(pl_buf_text(body), body->len, words, sizeof(words)) > 0) {
		fail(stream, "http_status", words);
		return;
	}
	snprintf(number, sizeof(number), "status %d without a text", status);
	const char *reason = io_http_reason(status);
	fail(stream, "http_status", strcmp(reason, "Unknown") == 0 ? number : reason);
}

/*
 * Fails with the Content-Type, or with the detected format if the Content-Type is that of an event
 * stream or missing.
 */
static void fail_type(struct bench_stream *stream)
{
	char what[160];

	if (!is_event_type(stream))
		snprintf(what, sizeof(what), "response type: found '%s', expected an event stream",
			 stream->type);
	else
		snprintf(what, sizeof(what), "response: found %s, expected an event stream",
			 stream->guess == IO_SSE_JSON ? "a JSON document" : "an HTML page");
	bench_stream_fail_with_words(stream, "protocol", what, pl_buf_text(&stream->body),
				     stream->body.len);
}

/* Fails a stream that is too short, with the reason if it contained one. */
static void fail_short(struct bench_stream *stream, const char *kind, const char *text)
{
	char words[BENCH_ERROR_BYTES_MAX + 1];
	const struct pl_buf *body = &stream->body;

	if (stream->is_events &&
	    bench_peer_text(pl_buf_text(body), body->len, words, sizeof(words)) > 0)
		fail(stream, "stream_error", words);
	else
		fail(stream, kind, text);
}

/* The header of a binary response has everything but its numbers, if the header was sent. */
static int decode_binary(struct bench_stream *stream, struct bench_event *ret)
{
	static const char nothing[] = "{}";
	bool has_header = stream->metadata.len > 0;

	if (stream->adapter->decode(has_header ? pl_buf_text(&stream->metadata) : nothing,
				    has_header ? stream->metadata.len : strlen(nothing), ret) < 0)
		return -1;
	ret->content = stream->body.len > 0;
	return 0;
}

/* Fails a response that lacks results: its prompts would count as processed. */
static void check_results(struct bench_stream *stream, const struct bench_event *event)
{
	int64_t expected = stream->recorder->record->input_sequences;
	char text[80];

	if (event->results <= 0 || event->results >= expected)
		return;
	snprintf(text, sizeof(text), "results: found %lld, expected %lld",
		 (long long)event->results, (long long)expected);
	fail(stream, "protocol", text);
}

/* An answer in one piece: all its choices at once. */
static void take_whole(struct bench_stream *stream)
{
	struct bench_event event;

	if (stream->result != BENCH_STREAM_MORE || stream->recorder->record->status != 200)
		return;
	if (!stream->body_done) {
		fail(stream, "truncated", "the connection ended during the response");
		return;
	}
	const char *data = pl_buf_text(&stream->body);
	size_t len = stream->body.len;
	int decoded = stream->is_binary ? decode_binary(stream, &event)
					: stream->adapter->decode(data, len, &event);
	if (decoded < 0) {
		bench_stream_fail_with_words(stream, "protocol",
					     "the response violates the protocol", data,
					     stream->is_binary ? 0 : len);
		return;
	}
	bench_stream_take_usage(stream, &event);
	bench_stream_keep_text(stream, &event);
	bench_stream_note_finish(stream, &event);
	stream->done_seen = true;
	stream->any_event = event.content;
	stream->seen_mask = event.choice_mask;
	stream->tokens = event.tokens != RES_NO_COUNT ? event.tokens : 0;
	stream->all_counted = event.tokens != RES_NO_COUNT;
	if (stream->adapter->pools)
		stream->finished_mask = stream->seen_mask = 1;
	if (event.error || (!event.content && event.choices == 0 && event.error_text[0] != '\0'))
		bench_stream_fail_by_event(stream, &event, data, len);
	else if (stream->adapter->pools)
		check_results(stream, &event);
}

/* Stores the collected text without its JSON escapes. */
static void take_text(struct bench_stream *stream)
{
	struct res_record *record = stream->recorder->record;
	size_t len = stream->text.len;
	struct io_jwalk walk;

	if (!stream->keeps_text)
		return;
	auto_free char *quoted = pl_asprintf("\"%.*s\"", (int)len, pl_buf_text(&stream->text));
	/* A text of C holds no U+0000: U+FFFD stands for it. */
	char *end = quoted + len + 1;
	for (char *at = quoted + 1; at < end; at++) {
		if (*at != '\\')
			continue;
		if (end - at >= 6 && memcmp(at + 1, "u0000", 5) == 0)
			memcpy(at + 1, "ufffd", 5);
		at++;
	}
	free(record->text);
	record->text = pl_alloc(len + 1);
	io_jwalk_init(&walk, quoted, len + 2);
	if (io_jwalk_next(&walk) != IO_JWALK_STRING ||
	    io_jwalk_decode(&walk, record->text, len + 1) == (size_t)-1)
		record->text[0] = '\0';
}

/* Returns whether the status is 200 and a stream was requested, but the body is not one. */
static bool is_refused(const struct bench_stream *stream)
{
	return stream->head_seen && !stream->whole && !stream->is_events;
}

static bool is_finished(const struct bench_stream *stream)
{
	return stream->seen_mask != 0 && stream->seen_mask == stream->finished_mask;
}

/*
 * If a server sends the reason for one choice, it does so for all: a choice without one was cut
 * short. If it sends none, its usage shows that the response is complete.
 */
static bool is_cut_short(const struct bench_stream *stream)
{
	if (is_finished(stream))
		return false;
	return stream->finished_mask != 0 || stream->usage_completion == RES_NO_COUNT;
}

enum bench_stream_result bench_stream_finish(struct bench_stream *stream)
{
	struct res_record *record = stream->recorder->record;

	if (stream->sniffs)
		decide_type(stream, IO_SSE_TEXT);
	if (stream->whole)
		take_whole(stream);
	take_text(stream);
	bench_stream_sum_up(stream);
	if (stream->result != BENCH_STREAM_MORE)
		return stream->result;
	if (record->status != 200 && stream->adapter->has_socket)
		fail_status(stream);
	else if (is_refused(stream))
		fail_type(stream);
	else if (!stream->done_seen && !(is_finished(stream) && stream->body_done))
		fail_short(stream, "truncated", "the stream ended without its closing event");
	else if (!stream->any_event)
		fail_short(stream, "no_output",
			   stream->adapter->pools ? "the response has no result"
						  : "the stream had no event with output");
	else if (is_cut_short(stream))
		fail_short(stream, "truncated", "the stream ended without a finish reason");
	else if (strcmp(record->finish_reason, "abort") == 0)
		fail_short(stream, "truncated",
			   "the server aborted the response (finish_reason 'abort')");
	else if (strcmp(record->finish_reason, "error") == 0)
		fail_short(stream, "stream_error",
			   "the server ended the response with finish_reason 'error'");
	if (stream->result != BENCH_STREAM_MORE)
		return stream->result;
	record->ok = true;
	record->done_missing = !stream->done_seen;
	record->end_ns = stream->t_ns;
	stream->result = BENCH_STREAM_DONE;
	return stream->result;
}

/* A non-zero value ends feeding: data after a failure is ignored. */
static int on_event(void *user, const char *data, size_t len)
{
	struct bench_stream *stream = user;

	bench_stream_event(stream, data, len);
	return stream->result != BENCH_STREAM_MORE;
}

/* The coding of the body, NULL where it is as it should be: none. */
static const char *coding_of(const struct io_http_head *head)
{
	const char *coding = io_http_header_get(head, "content-encoding");
	bool none = coding == NULL || *coding == '\0' || strcasecmp(coding, "identity") == 0;

	return none ? NULL : coding;
}

/* Notes the cause from other sources if the body cannot contain it. */
static void note_refusal(struct bench_stream *stream, const struct io_http_head *head)
{
	const char *target = io_http_header_get(head, "location");

	if (head->status >= 300 && head->status < 400 && target != NULL)
		pl_buf_addf(&stream->body,
			    "redirected to '%.1000s'; profllm does not follow redirects: use that "
			    "address",
			    target);
	stream->drops_body = stream->body.len > 0 || coding_of(head) != NULL;
}

static void fail_coding(struct bench_stream *stream, const char *coding)
{
	char text[160];

	snprintf(text, sizeof(text), "response encoding: found '%.80s', expected identity", coding);
	fail(stream, "protocol", text);
}

static void note_type(struct bench_stream *stream, const struct io_http_head *head)
{
	static const char binary[] = "application/octet-stream";
	const char *type = io_http_header_get(head, "content-type");
	const char *coding = coding_of(head);

	if (type != NULL)
		bench_peer_text(type, strlen(type), stream->type, sizeof(stream->type));
	if (coding != NULL)
		fail_coding(stream, coding);
	else if (stream->whole && stream->type[0] != '\0' && is_event_type(stream))
		fail(stream, "protocol", "found an event stream, expected a single response");
	stream->sniffs = !stream->whole;
	stream->is_binary = stream->adapter->pools &&
			    strncasecmp(stream->type, binary, sizeof(binary) - 1) == 0;
	const char *metadata = io_http_header_get(head, "metadata");
	if (stream->is_binary && metadata != NULL)
		pl_buf_add_text(&stream->metadata, metadata);
}

static int on_head(void *user, const struct io_http_head *head)
{
	struct bench_stream *stream = user;
	const char *retry_after = io_http_header_get(head, "retry-after");

	stream->head_seen = true;
	stream->keep_alive = head->keep_alive;
	stream->chunked = head->chunked;
	if (retry_after == NULL || !pl_text_to_i64(retry_after, &stream->retry_after_s) ||
	    stream->retry_after_s < 0)
		stream->retry_after_s = -1;
	stream->recorder->record->status = head->status;
	stream->recorder->record->via = bench_via_of(head);
	if (head->status != 200)
		note_refusal(stream, head);
	else
		note_type(stream, head);
	return stream->result != BENCH_STREAM_MORE;
}

/* Returns 1: the rest is not read. */
static int fail_large(struct bench_stream *stream)
{
	char text[80];

	snprintf(text, sizeof(text), "response body is larger than %u bytes",
		 BENCH_WHOLE_BYTES_MAX);
	fail(stream, "protocol", text);
	return 1;
}

/*
 * Stores the body of a response that is not an event stream, or not the requested kind. One byte shows that a
 * binary body has numbers.
 */
static int keep_body(struct bench_stream *stream, const char *bytes, size_t len)
{
	bool good = stream->whole && stream->recorder->record->status == 200;
	size_t most = stream->is_binary ? 1 : good ? BENCH_WHOLE_BYTES_MAX : BENCH_ERROR_BYTES_MAX;
	size_t left = most - stream->body.len;

	if (stream->drops_body)
		return 0;
	if (good && !stream->is_binary && len > left)
		return fail_large(stream);
	pl_buf_add(&stream->body, bytes, len < left ? len : left);
	if (len < left || stream->guess == IO_SSE_SHORT)
		return 0;
	/* enough is known, and the rest may be long */
	fail_type(stream);
	return 1;
}

/* Returns whether it ends with an empty line; otherwise it contains a part of the next event. */
static bool ends_event(const char *bytes, size_t len)
{
	return len == 1 || (len > 1 && bytes[len - 1] == '\n' &&
			    (bytes[len - 2] == '\n' || bytes[len - 2] == '\r'));
}

static int feed_events(struct bench_stream *stream, const char *bytes, size_t len)
{
	struct pl_err err = PL_ERR_INIT;

	if (io_sse_feed(&stream->sse, bytes, len, &err) < 0) {
		fail(stream, "protocol", err.text);
		return 1;
	}
	return 0;
}

/* Collects the first bytes in `body` until they show its format: a few at most. */
static int begin_body(struct bench_stream *stream, const char *bytes, size_t len)
{
	size_t held = stream->body.len;
	auto_free char *begun = NULL;

	pl_buf_add(&stream->body, bytes, len < IO_SSE_GUESS_BYTES ? len : IO_SSE_GUESS_BYTES);
	enum io_sse_guess guess = io_sse_guess(pl_buf_text(&stream->body), stream->body.len);
	if (guess == IO_SSE_SHORT)
		return 0;
	decide_type(stream, guess);
	begun = pl_buf_take(&stream->body);
	if (stream->is_events)
		return feed_events(stream, begun, held) != 0 ||
		       feed_events(stream, bytes, len) != 0;
	return keep_body(stream, begun, held) != 0 || keep_body(stream, bytes, len) != 0;
}

static int on_body(void *user, const char *bytes, size_t len)
{
	struct bench_stream *stream = user;

	if (!stream->is_events && !stream->sniffs)
		return keep_body(stream, bytes, len);
	stream->events_in_piece = 0;
	stream->piece_has_output = false;
	if (stream->sniffs ? begin_body(stream, bytes, len) : feed_events(stream, bytes, len))
		return 1;
	if (!ends_event(bytes, len))
		stream->events_in_piece = 0;
	return 0;
}

static int on_done(void *user)
{
	struct bench_stream *stream = user;

	stream->body_done = true;
	stream->events_in_piece = 0;
	return 0;
}

void bench_stream_init(struct bench_stream *stream, const struct bench_adapter *adapter, bool whole)
{
	static const struct io_http_calls calls = { on_head, on_body, on_done };

	*stream = (struct bench_stream){ .adapter = adapter,
					 .whole = whole,
					 .result = BENCH_STREAM_FAILED };
	pl_buf_init(&stream->body, whole ? BENCH_WHOLE_BYTES_MAX + 1 : BENCH_ERROR_BYTES_MAX + 1);
	pl_buf_init(&stream->text, BENCH_WHOLE_BYTES_MAX);
	pl_buf_init(&stream->metadata, BENCH_WHOLE_BYTES_MAX);
	stream->http = io_http_new(IO_HTTP_RESPONSE, &calls, stream);
	io_sse_init(&stream->sse, on_event, stream);
}

void bench_stream_done(struct bench_stream *stream)
{
	io_http_free(stream->http);
	io_sse_done(&stream->sse);
	pl_buf_done(&stream->body);
	pl_buf_done(&stream->text);
	pl_buf_done(&stream->metadata);
}

void bench_stream_start(struct bench_stream *stream, struct bench_recorder *recorder)
{
	io_http_reset(stream->http);
	io_sse_reset(&stream->sse);
	pl_buf_forget(&stream->body, KEEP_BYTES);
	pl_buf_forget(&stream->text, KEEP_BYTES);
	pl_buf_clear(&stream->metadata);
	stream->recorder = recorder;
	recorder->record->output_chunks = stream->output_chunks;
	recorder->record->server_queue_s = NAN;
	recorder->record->server_ttft_s = NAN;
	recorder->record->server_decode_s = NAN;
	/* Until a byte comes a failure has the time at which the request was acted on. */
	stream->t_ns = recorder->record->acted_ns;
	stream->since_ns = stream->t_ns;
	stream->sure_ns = stream->t_ns;
	stream->outputs_in_read = 0;
	stream->piece_has_output = false;
	stream->kernel = false;
	stream->events_in_read = 0;
	stream->events_in_piece = 0;
	stream->chunked = false;
	stream->head_seen = false;
	stream->retry_after_s = -1;
	stream->keep_alive = false;
	stream->is_events = false;
	stream->sniffs = false;
	stream->guess = IO_SSE_SHORT;
	stream->drops_body = false;
	stream->is_binary = false;
	stream->type[0] = '\0';
	stream->body_done = false;
	stream->done_seen = false;
	stream->all_counted = true;
	stream->any_event = false;
	stream->any_output = false;
	stream->seen_kinds = 0;
	stream->seen_mask = 0;
	stream->finished_mask = 0;
	stream->tokens = 0;
	stream->new_tokens = 0;
	stream->usage_completion = RES_NO_COUNT;
	stream->usage_prompt = RES_NO_COUNT;
	stream->usage_cached = RES_NO_COUNT;
	stream->usage_with_choices = false;
	stream->usage_mask = 0;
	memset(stream->choice_usage, 0, sizeof(stream->choice_usage));
	stream->result = BENCH_STREAM_MORE;
}

void bench_stream_read(struct bench_stream *stream, int64_t t_ns, bool kernel)
{
	stream->t_ns = t_ns;
	stream->since_ns = t_ns;
	stream->sure_ns = t_ns;
	stream->outputs_in_read = 0;
	stream->kernel = kernel;
	stream->events_in_read = 0;
	stream->events_in_piece = 0;
}

void bench_stream_since(struct bench_stream *stream, int64_t since_ns, int64_t sure_ns)
{
	stream->since_ns = since_ns;
	stream->sure_ns = sure_ns;
}

/* Call it before the record may become complete and be handed over. */
static void end_read(struct bench_stream *stream)
{
	unsigned exact = stream->kernel ? stream->events_in_piece : 0;
	int64_t since_ns = stream->outputs_in_read > 1 ? stream->sure_ns : stream->since_ns;

	if (exact >= stream->events_in_read || since_ns >= stream->t_ns)
		return;
	if (stream->kernel && stream->came_in_one != NULL && stream->came_in_one(stream->user))
		return;
	if (!bench_recorder_since(stream->recorder, since_ns, exact))
		fail(stream, "protocol", "the stream has more events than a record can hold");
}

enum bench_stream_result bench_stream_feed(struct bench_stream *stream, const char *bytes,
					   size_t len, size_t *ret_used)
{
	struct pl_err err = PL_ERR_INIT;

	assert(stream->result == BENCH_STREAM_MORE);
	*ret_used = 0;
	/*
	 * Stops after the response: bytes that follow it belong to no request, and the connection
	 * is not reused.
	 */
	if (io_http_feed(stream->http, bytes, len, true, ret_used, &err) != 0)
		fail(stream, "protocol", err.text);
	end_read(stream);
	if (stream->body_done || stream->result != BENCH_STREAM_MORE)
		return bench_stream_finish(stream);
	return BENCH_STREAM_MORE;
}

enum bench_stream_result bench_stream_end(struct bench_stream *stream)
{
	struct pl_err err = PL_ERR_INIT;
	bool whole;

	assert(stream->result == BENCH_STREAM_MORE);
	whole = io_http_end(stream->http, &err) == 0 && stream->body_done;
	/* the protocol's own last word outweighs a missing last chunk */
	if (!whole && !stream->done_seen && stream->recorder->record->status <= 200)
		fail_short(stream, stream->head_seen ? "truncated" : "reset",
			   stream->head_seen ? "the connection ended during the response"
					     : "the connection ended before the response");
	return bench_stream_finish(stream);
}
