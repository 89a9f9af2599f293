#include "bench/stream.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "io/jwalk.h"
#include "model/bench_options.h"

void bench_stream_fail(struct bench_stream *stream, const char *kind, const char *error)
{
	struct md_record *record = stream->recorder->record;

	if (stream->result != BENCH_STREAM_MORE)
		return;
	stream->result = BENCH_STREAM_FAILED;
	record->ok = false;
	record->error_kind = kind;
	free(record->error);
	record->error = pl_strdup(error);
	record->end_ns = stream->t_ns;
}

static bool fail(struct bench_stream *stream, const char *kind, const char *error)
{
	bench_stream_fail(stream, kind, error);
	return false;
}

/* The place of the one choice that is in the event, or -1. */
static int lone_choice(const struct bench_event *event)
{
	if (event->choices != 1 || event->choice_mask == 0)
		return -1;
	return __builtin_ctz(event->choice_mask);
}

/* How many tokens the event carries; sets MD_EVENT_GUESSED in *flags where nobody said. */
static int64_t count_tokens(struct bench_stream *stream, const struct bench_event *event,
			    unsigned *flags)
{
	int choice = lone_choice(event);

	if (event->tokens == MD_NO_COUNT)
		stream->all_told = false;
	/*
	 * Usage on an event counts its own choice, from the start of the stream; where only the last
	 * event has it (llama.cpp), those before were counted without.
	 */
	if (choice >= 0 && event->usage_completion != MD_NO_COUNT &&
	    event->usage_completion <= UINT32_MAX &&
	    event->usage_completion >= stream->choice_usage[choice]) {
		int64_t had = stream->choice_usage[choice];
		stream->choice_usage[choice] = (uint32_t)event->usage_completion;
		return event->usage_completion - had;
	}
	int64_t tokens = event->tokens;
	if (tokens == MD_NO_COUNT) {
		*flags |= MD_EVENT_GUESSED;
		tokens = event->role_only ? 0 : event->choices;
	}
	if (choice >= 0)
		stream->choice_usage[choice] += (uint32_t)tokens;
	return tokens;
}

static void note_finish(struct bench_stream *stream, const struct bench_event *event)
{
	struct md_record *record = stream->recorder->record;

	stream->finished_mask |= event->finished_mask;
	if (event->finish_reason[0] != '\0')
		memcpy(record->finish_reason, event->finish_reason, sizeof(record->finish_reason));
}

static void record_event(struct bench_stream *stream, const struct bench_event *event)
{
	unsigned flags = 0;

	if (stream->events_in_read++ > 0)
		flags |= MD_EVENT_COALESCED;
	if (!stream->kernel)
		flags |= MD_EVENT_USER_STAMP;
	if (event->content)
		flags |= MD_EVENT_CONTENT;
	if (event->finish)
		flags |= MD_EVENT_FINISH;
	int64_t tokens = count_tokens(stream, event, &flags);
	stream->any_event = true;
	stream->seen_mask |= event->choice_mask;
	stream->tokens += tokens;
	stream->new_tokens += (uint64_t)tokens;
	note_finish(stream, event);
	if (!bench_recorder_event(stream->recorder, stream->t_ns, tokens, flags))
		fail(stream, "protocol", "the stream has more events than a record holds");
}

static void keep_text(struct bench_stream *stream, const struct bench_event *event)
{
	if (stream->keeps_text && event->text != NULL)
		pl_buf_add(&stream->text, event->text, event->text_len);
}

static void take_usage(struct bench_stream *stream, const struct bench_event *event)
{
	if (event->usage_completion != MD_NO_COUNT) {
		stream->usage_completion = event->usage_completion;
		stream->usage_with_choices = event->has_choices && !stream->whole;
	}
	if (event->usage_prompt != MD_NO_COUNT)
		stream->usage_prompt = event->usage_prompt;
}

void bench_stream_event(struct bench_stream *stream, const char *data, size_t len)
{
	struct bench_event event; /* set by decode; not cleared here, for half a KB is text */

	if (stream->result != BENCH_STREAM_MORE)
		return;
	if (stream->adapter->decode(data, len, &event) < 0) {
		char text[160];
		snprintf(text, sizeof(text), "event is not what the protocol says: %.*s",
			 (int)(len < 100 ? len : 100), data);
		fail(stream, "protocol", text);
		return;
	}
	take_usage(stream, &event);
	keep_text(stream, &event);
	if (event.has_choices)
		record_event(stream, &event);
	else if (event.finish)
		note_finish(stream, &event);
	if (event.error)
		fail(stream, "stream_error",
		     event.error_text[0] != '\0' ? event.error_text : "error without a message");
	stream->done_seen |= event.done;
}

/* Usage on events with choices counts each choice by itself: the last words of all are summed. */
static int64_t usage_total(const struct bench_stream *stream)
{
	int64_t sum = 0;

	if (!stream->usage_with_choices || (stream->seen_mask & (stream->seen_mask - 1)) == 0)
		return stream->usage_completion;
	for (unsigned i = 0; i < BENCH_STREAM_CHOICES; i++)
		sum += stream->choice_usage[i];
	return sum;
}

static void sum_up(struct bench_stream *stream)
{
	struct md_record *record = stream->recorder->record;

	record->prompt_tokens = stream->usage_prompt;
	if (stream->usage_completion != MD_NO_COUNT) {
		record->output_tokens = usage_total(stream);
		record->token_source = MD_TOKENS_USAGE;
	} else if (stream->any_event) {
		record->output_tokens = stream->tokens;
		record->token_source = stream->all_told ? MD_TOKENS_IDS : MD_TOKENS_EVENTS;
	}
}

/*
 * The text in {"error": {"message": …}}, {"error": …}, {"message": …} or {"detail": …}: how vLLM, older
 * releases and the frameworks below them say it. False: none, or it is no JSON.
 */
static bool find_message(struct io_jwalk *walk, char *out, size_t room)
{
	enum io_jwalk_token token;
	bool found = false;

	while ((token = io_jwalk_next(walk)) == IO_JWALK_KEY) {
		bool outer = io_jwalk_is(walk, "error") && walk->depth == 1;
		bool named = outer || io_jwalk_is(walk, "message") || io_jwalk_is(walk, "detail");
		token = io_jwalk_next(walk);
		if (token == IO_JWALK_STRING && named && walk->len > 0) {
			size_t len = io_jwalk_decode(walk, out, room - 1);
			found = len != (size_t)-1;
			out[found ? len : 0] = '\0';
		} else if (token == IO_JWALK_OBJECT && outer) {
			found |= find_message(walk, out, room);
		} else if (token == IO_JWALK_OBJECT || token == IO_JWALK_ARRAY) {
			token = io_jwalk_skip(walk);
		}
		if (token == IO_JWALK_ERROR)
			return false;
	}
	return found && token == IO_JWALK_END;
}

/* The message of a failed answer's body where it is JSON, else the body, else the status's reason. */
static void fail_status(struct bench_stream *stream)
{
	const struct pl_buf *body = &stream->body;
	char message[BENCH_ERROR_BYTES_MAX];
	struct io_jwalk walk;

	io_jwalk_init(&walk, pl_buf_text(body), body->len);
	if (io_jwalk_next(&walk) == IO_JWALK_OBJECT &&
	    find_message(&walk, message, sizeof(message)))
		fail(stream, "http_status", message);
	else if (body->len > 0)
		fail(stream, "http_status", pl_buf_text(body));
	else
		fail(stream, "http_status", io_http_reason(stream->recorder->record->status));
}

/* An answer in one piece: all its choices at once. */
static void take_whole(struct bench_stream *stream)
{
	struct bench_event event;

	if (stream->result != BENCH_STREAM_MORE || stream->recorder->record->status != 200)
		return;
	if (!stream->body_done) {
		fail(stream, "truncated", "the connection ended within the answer");
		return;
	}
	if (stream->adapter->decode(stream->body.data, stream->body.len, &event) < 0) {
		fail(stream, "protocol", "the answer is not what the protocol says");
		return;
	}
	take_usage(stream, &event);
	keep_text(stream, &event);
	note_finish(stream, &event);
	stream->done_seen = true;
	stream->any_event = event.content;
	stream->seen_mask = event.choice_mask;
	stream->tokens = event.tokens != MD_NO_COUNT ? event.tokens : 0;
	stream->all_told = event.tokens != MD_NO_COUNT;
	if (event.error)
		fail(stream, "stream_error",
		     event.error_text[0] != '\0' ? event.error_text : "error without a message");
}

/* The kept pieces, without their JSON escapes. */
static void take_text(struct bench_stream *stream)
{
	struct md_record *record = stream->recorder->record;
	size_t len = stream->text.len;
	struct io_jwalk walk;

	if (!stream->keeps_text)
		return;
	auto_free char *quoted = pl_asprintf("\"%.*s\"", (int)len, pl_buf_text(&stream->text));
	free(record->text);
	record->text = pl_alloc(len + 1);
	io_jwalk_init(&walk, quoted, len + 2);
	if (io_jwalk_next(&walk) != IO_JWALK_STRING ||
	    io_jwalk_decode(&walk, record->text, len + 1) == (size_t)-1)
		record->text[0] = '\0';
}

enum bench_stream_result bench_stream_finish(struct bench_stream *stream)
{
	struct md_record *record = stream->recorder->record;

	if (stream->whole)
		take_whole(stream);
	take_text(stream);
	sum_up(stream);
	if (stream->result != BENCH_STREAM_MORE)
		return stream->result;
	if (record->status != 200 && stream->adapter->has_socket)
		fail_status(stream);
	else if (!stream->done_seen)
		fail(stream, "truncated", "the stream ended without its last event");
	else if (!stream->any_event)
		fail(stream, "no_output", "the stream held no event with output");
	else if (stream->seen_mask != stream->finished_mask)
		fail(stream, "truncated", "the stream ended without a finish reason");
	if (stream->result != BENCH_STREAM_MORE)
		return stream->result;
	record->ok = true;
	record->end_ns = stream->t_ns;
	stream->result = BENCH_STREAM_DONE;
	return stream->result;
}

static int on_event(void *user, const char *data, size_t len)
{
	struct bench_stream *stream = user;

	bench_stream_event(stream, data, len);
	return stream->result != BENCH_STREAM_MORE;
}

static int on_head(void *user, const struct io_http_head *head)
{
	struct bench_stream *stream = user;
	const char *type = io_http_header_get(head, "content-type");
	static const char events[] = "text/event-stream";

	stream->head_seen = true;
	stream->keep_alive = head->keep_alive;
	stream->recorder->record->status = head->status;
	if (head->status != 200)
		return 0;
	if (stream->whole)
		return 0;
	if (type != NULL && strncasecmp(type, events, sizeof(events) - 1) != 0) {
		char text[160];
		snprintf(text, sizeof(text), "answer is of type '%.80s', not an event stream",
			 type);
		fail(stream, "protocol", text);
		return 1;
	}
	stream->is_events = true;
	return 0;
}

static int on_body(void *user, const char *bytes, size_t len)
{
	struct bench_stream *stream = user;
	struct pl_err err = PL_ERR_INIT;

	if (!stream->is_events) {
		size_t most = stream->whole && stream->recorder->record->status == 200
				      ? BENCH_WHOLE_BYTES_MAX
				      : BENCH_ERROR_BYTES_MAX;
		size_t left = most - stream->body.len;
		pl_buf_add(&stream->body, bytes, len < left ? len : left);
		return 0;
	}
	if (io_sse_feed(&stream->sse, bytes, len, &err) == 0)
		return 0;
	fail(stream, "protocol", err.text);
	return 1;
}

static int on_done(void *user)
{
	struct bench_stream *stream = user;

	stream->body_done = true;
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
	stream->http = io_http_new(IO_HTTP_RESPONSE, &calls, stream);
	io_sse_init(&stream->sse, on_event, stream);
}

void bench_stream_done(struct bench_stream *stream)
{
	io_http_free(stream->http);
	io_sse_done(&stream->sse);
	pl_buf_done(&stream->body);
	pl_buf_done(&stream->text);
}

void bench_stream_start(struct bench_stream *stream, struct bench_recorder *recorder)
{
	io_http_reset(stream->http);
	io_sse_reset(&stream->sse);
	pl_buf_clear(&stream->body);
	pl_buf_clear(&stream->text);
	stream->recorder = recorder;
	stream->t_ns = recorder->record->acted_ns;
	stream->kernel = false;
	stream->events_in_read = 0;
	stream->head_seen = false;
	stream->keep_alive = false;
	stream->is_events = false;
	stream->body_done = false;
	stream->done_seen = false;
	stream->all_told = true;
	stream->any_event = false;
	stream->seen_mask = 0;
	stream->finished_mask = 0;
	stream->tokens = 0;
	stream->new_tokens = 0;
	stream->usage_completion = MD_NO_COUNT;
	stream->usage_prompt = MD_NO_COUNT;
	stream->usage_with_choices = false;
	memset(stream->choice_usage, 0, sizeof(stream->choice_usage));
	stream->result = BENCH_STREAM_MORE;
}

void bench_stream_read(struct bench_stream *stream, int64_t t_ns, bool kernel)
{
	stream->t_ns = t_ns;
	stream->kernel = kernel;
	stream->events_in_read = 0;
}

enum bench_stream_result bench_stream_feed(struct bench_stream *stream, const char *bytes,
					   size_t len, size_t *ret_used)
{
	struct pl_err err = PL_ERR_INIT;

	assert(stream->result == BENCH_STREAM_MORE);
	*ret_used = 0;
	if (io_http_feed(stream->http, bytes, len, true, ret_used, &err) != 0)
		fail(stream, "protocol", err.text);
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
		fail(stream, stream->head_seen ? "truncated" : "reset",
		     stream->head_seen ? "the connection ended within the answer"
				       : "the connection ended before an answer");
	return bench_stream_finish(stream);
}
