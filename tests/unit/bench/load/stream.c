#include "bench/load/stream.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "test_data.h"

#define STEP_NS 1000000
#define T0      5000000000

/* One answer being fed. */
struct fed {
	struct res_record record;
	struct bench_recorder recorder;
	struct bench_stream stream;
	enum bench_stream_result result;
	size_t used;
};

static void fed_begin(struct fed *fed, const char *adapter)
{
	*fed = (struct fed){ .recorder.last_ns = RES_NO_TIME };
	res_record_init(&fed->record, 0);
	fed->record.acted_ns = T0;
	fed->recorder.record = &fed->record;
	bench_recorder_reserve(&fed->recorder, 1);
	bench_stream_init(&fed->stream, bench_adapter_find(adapter), false);
	bench_stream_start(&fed->stream, &fed->recorder);
}

static void fed_done(struct fed *fed)
{
	bench_stream_done(&fed->stream);
	res_record_done(&fed->record);
}

/* Feeds the bytes unless the response has finished. */
static void fed_bytes(struct fed *fed, const char *bytes, size_t len)
{
	size_t used;

	if (fed->result != BENCH_STREAM_MORE)
		return;
	fed->result = bench_stream_feed(&fed->stream, bytes, len, &used);
	fed->used += used;
}

static void assert_same_record(const struct res_record *a, const struct res_record *b)
{
	assert_int_equal(a->ok, b->ok);
	assert_int_equal(a->status, b->status);
	assert_int_equal(a->event_count, b->event_count);
	if (a->event_count > 0)
		assert_memory_equal(a->events, b->events, a->event_count * sizeof(*a->events));
	assert_int_equal(a->output_tokens, b->output_tokens);
	assert_int_equal(a->prompt_tokens, b->prompt_tokens);
	assert_int_equal(a->token_source, b->token_source);
	assert_int_equal(a->end_ns, b->end_ns);
	assert_string_equal(a->finish_reason, b->finish_reason);
	assert_ptr_equal(a->error_kind, b->error_kind);
	assert_int_equal(a->error == NULL, b->error == NULL);
	if (a->error != NULL)
		assert_string_equal(a->error, b->error);
}

/* A head and events as chunks, so that the framing is part of what is cut. */
struct wire {
	struct pl_buf bytes;
	size_t ends[64]; /* of each chunk */
	size_t count;
};

static void wire_begin(struct wire *wire, const char *head)
{
	wire->count = 0;
	pl_buf_init(&wire->bytes, 1 << 20);
	pl_buf_add_text(&wire->bytes, head);
}

static void wire_chunk(struct wire *wire, const char *data, size_t len)
{
	pl_buf_addf(&wire->bytes, "%zx\r\n", len);
	pl_buf_add(&wire->bytes, data, len);
	pl_buf_add_text(&wire->bytes, "\r\n");
	assert_true(wire->count < PL_ARRAY_SIZE(wire->ends));
	wire->ends[wire->count++] = wire->bytes.len;
}

static void wire_end(struct wire *wire)
{
	pl_buf_add_text(&wire->bytes, "0\r\n\r\n");
	wire->ends[wire->count++] = wire->bytes.len;
}

static const char stream_head[] = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
				  "Transfer-Encoding: chunked\r\n\r\n";

static void wire_events(struct wire *wire, const char *const *events, size_t count)
{
	wire_begin(wire, stream_head);
	for (size_t i = 0; i < count; i++)
		wire_chunk(wire, events[i], strlen(events[i]));
	wire_end(wire);
}

/* All in one read. */
static void feed_whole(struct fed *fed, const char *adapter, const struct wire *wire)
{
	fed_begin(fed, adapter);
	bench_stream_read(&fed->stream, T0 + STEP_NS, true);
	fed_bytes(fed, wire->bytes.data, wire->bytes.len);
}

/* Each chunk a read of its own, a step after the one before. */
static void feed_by_chunk(struct fed *fed, const char *adapter, const struct wire *wire)
{
	size_t at = 0;

	fed_begin(fed, adapter);
	for (size_t i = 0; i < wire->count; i++) {
		bench_stream_read(&fed->stream, T0 + (int64_t)(i + 1) * STEP_NS, true);
		fed_bytes(fed, wire->bytes.data + at, wire->ends[i] - at);
		at = wire->ends[i];
	}
}

/* As feed_by_chunk(), but the bytes of each read come in pieces of `piece`. */
static void feed_in_pieces(struct fed *fed, const char *adapter, const struct wire *wire,
			   size_t piece)
{
	size_t at = 0;

	fed_begin(fed, adapter);
	for (size_t i = 0; i < wire->count; i++) {
		bench_stream_read(&fed->stream, T0 + (int64_t)(i + 1) * STEP_NS, true);
		while (at < wire->ends[i]) {
			size_t len = wire->ends[i] - at;
			len = len < piece ? len : piece;
			fed_bytes(fed, wire->bytes.data + at, len);
			at += len;
		}
	}
}

/* A cut at every byte, and pieces of every small size, change nothing. */
static void assert_cuts_change_nothing(const char *adapter, const struct wire *wire)
{
	const char *bytes = wire->bytes.data;
	struct fed whole, steps, cut;

	feed_whole(&whole, adapter, wire);
	assert_int_not_equal(whole.result, BENCH_STREAM_MORE);
	for (size_t at = 1; at < wire->bytes.len; at++) {
		fed_begin(&cut, adapter);
		bench_stream_read(&cut.stream, T0 + STEP_NS, true);
		fed_bytes(&cut, bytes, at);
		fed_bytes(&cut, bytes + at, wire->bytes.len - at);
		assert_same_record(&cut.record, &whole.record);
		fed_done(&cut);
	}
	feed_by_chunk(&steps, adapter, wire);
	for (size_t piece = 1; piece < 80; piece++) {
		feed_in_pieces(&cut, adapter, wire, piece);
		assert_same_record(&cut.record, &steps.record);
		fed_done(&cut);
	}
	/* merged into one read: only times and the flag may differ */
	assert_int_equal(steps.record.event_count, whole.record.event_count);
	for (uint32_t i = 0; i < steps.record.event_count; i++) {
		unsigned flags = whole.record.events[i].flags;
		assert_int_equal(steps.record.events[i].tokens, whole.record.events[i].tokens);
		assert_int_equal(steps.record.events[i].flags | RES_EVENT_COALESCED,
				 flags | RES_EVENT_COALESCED);
		assert_int_equal(flags & RES_EVENT_COALESCED, i > 0 ? RES_EVENT_COALESCED : 0);
		assert_int_equal(whole.record.events[i].delta_ns, i > 0 ? 0 : STEP_NS);
	}
	fed_done(&whole);
	fed_done(&steps);
}

static void assert_events(const char *adapter, const char *const *events, size_t count,
			  struct fed *ret)
{
	struct wire wire;

	wire_events(&wire, events, count);
	assert_cuts_change_nothing(adapter, &wire);
	feed_by_chunk(ret, adapter, &wire);
	pl_buf_done(&wire.bytes);
}

#define EVENTS(...)           \
	(const char *const[]) \
	{                     \
		__VA_ARGS__   \
	}
#define FEED(fed, adapter, ...)                                                                   \
	assert_events(adapter, EVENTS(__VA_ARGS__), sizeof(EVENTS(__VA_ARGS__)) / sizeof(char *), \
		      fed)

#define TEXT(t) "data: {\"choices\":[{\"index\":0,\"text\":\"" t "\"}]}\n\n"
#define LAST(t) \
	"data: {\"choices\":[{\"index\":0,\"text\":\"" t "\",\"finish_reason\":\"stop\"}]}\n\n"
#define USAGE(n) \
	"data: {\"choices\":[],\"usage\":{\"prompt_tokens\":7,\"completion_tokens\":" #n "}}\n\n"
#define DONE_WORD "data: [DONE]\n\n"

static void events_get_the_time_of_their_read(void **state)
{
	struct res_event_cursor cursor;
	struct res_event_at at;
	struct fed fed;

	(void)state;
	FEED(&fed, "openai", TEXT("a"), TEXT("b") TEXT("c"), LAST(""), USAGE(4), DONE_WORD);
	assert_int_equal(fed.result, BENCH_STREAM_DONE);
	cursor = res_record_cursor(&fed.record);
	static const int64_t times[] = { 1, 2, 2, 3 };
	static const unsigned flags[] = { RES_EVENT_CONTENT, RES_EVENT_CONTENT,
					  RES_EVENT_CONTENT | RES_EVENT_COALESCED,
					  RES_EVENT_FINISH };
	for (size_t i = 0; i < 4; i++) {
		assert_true(res_record_next(&cursor, &at));
		assert_int_equal(at.t_ns, T0 + times[i] * STEP_NS);
		assert_int_equal(at.flags, flags[i] | RES_EVENT_GUESSED);
		assert_int_equal(at.tokens, 1);
	}
	assert_false(res_record_next(&cursor, &at));
	assert_int_equal(fed.record.output_tokens, 4);
	assert_int_equal(fed.record.prompt_tokens, 7);
	assert_string_equal(fed.record.finish_reason, "stop");
	/* usage, [DONE] and the last chunk came in reads of their own */
	assert_int_equal(fed.record.end_ns, T0 + 6 * STEP_NS);
	fed_done(&fed);
}

static void odd_but_valid_streams_lose_nothing(void **state)
{
	struct fed fed;

	(void)state;
	/* comments, CRLF, no blank after the colon, names, ids, several data lines */
	FEED(&fed, "openai", ": ping\n\n", ": ping\n\n" TEXT("a"),
	     "data:{\"choices\":[{\"index\":0,\"text\":\"b\"}]}\r\n\r\n",
	     "event: x\nid: 3\ndata: {\"choices\":\ndata: [{\"index\":0,\"text\":\"c\"}]}\n\n",
	     LAST("d"), USAGE(4), DONE_WORD);
	assert_int_equal(fed.result, BENCH_STREAM_DONE);
	assert_int_equal(fed.record.event_count, 4);
	fed_done(&fed);
}

static void usage_in_every_event_is_exact(void **state)
{
	struct fed fed;

	(void)state;
	FEED(&fed, "openai",
	     "data: "
	     "{\"choices\":[{\"index\":0,\"text\":\"a\"}],\"usage\":{\"completion_tokens\":1}}\n\n",
	     "data: "
	     "{\"choices\":[{\"index\":0,\"text\":\"bcd\"}],\"usage\":{\"completion_tokens\":9001}}"
	     "\n\n",
	     "data: {\"choices\":[{\"index\":0,\"text\":\"\",\"finish_reason\":\"stop\"}],"
	     "\"usage\":{\"completion_tokens\":9001}}\n\n",
	     DONE_WORD);
	struct res_event_cursor cursor = res_record_cursor(&fed.record);
	struct res_event_at at;
	static const int64_t tokens[] = { 1, 9000, 0 };
	for (size_t i = 0; i < 3; i++) {
		assert_true(res_record_next(&cursor, &at));
		assert_int_equal(at.tokens, tokens[i]);
		assert_int_equal(at.flags & RES_EVENT_GUESSED, 0);
	}
	assert_int_equal(fed.record.event_count, 7); /* 9,000 tokens take five entries */
	assert_int_equal(fed.record.output_tokens, 9001);
	assert_int_equal(fed.record.token_source, RES_TOKENS_USAGE);
	fed_done(&fed);
}

/* A count that is no integer, is negative, or belongs to another object is none. */
static void cached_tokens_come_with_the_usage(void **state)
{
	static const struct {
		const char *adapter;
		const char *usage;
		int64_t cached;
	} cases[] = {
		{ "openai",
		  "{\"prompt_tokens\":9,\"prompt_tokens_details\":{\"audio_tokens\":null,"
		  "\"cached_tokens\":8}}",
		  8 },
		{ "openai", "{\"prompt_tokens_details\":{\"cached_tokens\":0},\"prompt_tokens\":9}",
		  0 },
		{ "openai", "{\"prompt_tokens_details\":null,\"cached_tokens\":8}", RES_NO_COUNT },
		{ "openai", "{\"prompt_tokens_details\":{\"cached_tokens\":-1}}", RES_NO_COUNT },
		{ "openai", "{\"prompt_tokens_details\":{\"cached_tokens\":[7,{\"x\":1}]}}",
		  RES_NO_COUNT },
		{ "openai", "{\"prompt_tokens_details\":[{\"cached_tokens\":7}]}", RES_NO_COUNT },
		{ "openai-chat", "{\"prompt_tokens_details\":{\"x\":{\"cached_tokens\":7}}}",
		  RES_NO_COUNT },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		auto_free char *event = pl_asprintf("data: {\"choices\":[],\"usage\":%s}\n\n",
						    cases[i].usage);
		struct fed fed;
		FEED(&fed, cases[i].adapter, event, DONE_WORD);
		assert_int_equal(fed.record.cached_tokens, cases[i].cached);
		fed_done(&fed);
	}
}

/* llama.cpp's completions: the last event with choices is empty and alone has usage. */
static void usage_with_the_last_choice_counts_no_token_twice(void **state)
{
	struct fed fed;

	(void)state;
	FEED(&fed, "openai", "data: {\"choices\":[{\"index\":0,\"text\":\"a\"}]}\n\n",
	     "data: {\"choices\":[{\"index\":0,\"text\":\"b\"}]}\n\n",
	     "data: {\"choices\":[{\"index\":0,\"text\":\"\",\"finish_reason\":\"length\"}],"
	     "\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":2}}\n\n",
	     DONE_WORD);
	static const unsigned tokens[] = { 1, 1, 0 };
	assert_int_equal(fed.record.event_count, 3);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(fed.record.events[i].tokens, tokens[i]);
	assert_int_equal(fed.record.output_tokens, 2);
	assert_int_equal(fed.record.token_source, RES_TOKENS_USAGE);
	fed_done(&fed);
}

static void usage_of_several_choices_adds_up(void **state)
{
	struct fed fed;

	(void)state;
#define CHOICE(i, n, last)                                                                   \
	"data: {\"choices\":[{\"index\":" #i ",\"text\":\"a\",\"finish_reason\":" last "}]," \
	"\"usage\":{\"completion_tokens\":" #n "}}\n\n"
	FEED(&fed, "openai", CHOICE(0, 1, "null"), CHOICE(1, 2, "null"), CHOICE(1, 3, "\"stop\""),
	     CHOICE(0, 5, "\"length\""), DONE_WORD);
#undef CHOICE
	static const unsigned tokens[] = { 1, 2, 1, 4 };
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(fed.record.events[i].tokens, tokens[i]);
	assert_int_equal(fed.record.output_tokens, 8);
	assert_string_equal(fed.record.finish_reason, "length");
	fed_done(&fed);
}

static void token_ids_count_where_usage_is_silent(void **state)
{
	struct fed fed;

	(void)state;
	FEED(&fed, "openai-chat",
	     "data: "
	     "{\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"\"}}]}"
	     "\n\n",
	     "data: "
	     "{\"choices\":[{\"index\":0,\"delta\":{\"content\":\"ab\"},\"token_ids\":[4,5]}]}\n\n",
	     "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"c\"},\"token_ids\":[6],"
	     "\"finish_reason\":\"stop\"}]}\n\n",
	     DONE_WORD);
	assert_int_equal(fed.record.event_count, 3);
	assert_int_equal(fed.record.output_tokens, 3);
	assert_int_equal(fed.record.token_source, RES_TOKENS_IDS);
	assert_int_equal(fed.record.events[0].tokens, 0);
	assert_int_equal(fed.record.events[0].flags & RES_EVENT_CONTENT, 0);
	assert_int_equal(fed.record.prompt_tokens, RES_NO_COUNT);
	fed_done(&fed);
}

static void failed_streams_say_why_and_keep_what_came(void **state)
{
	struct fed fed;

	(void)state;
	FEED(&fed, "openai", TEXT("a"), "data: {\"error\":{\"message\":\"gone\",\"code\":500}}\n\n",
	     DONE_WORD);
	assert_int_equal(fed.result, BENCH_STREAM_FAILED);
	assert_string_equal(fed.record.error_kind, "stream_error");
	assert_string_equal(fed.record.error, "gone");
	assert_int_equal(fed.record.event_count, 1);
	assert_int_equal(fed.record.end_ns, T0 + 2 * STEP_NS);
	fed_done(&fed);

	FEED(&fed, "openai", TEXT("a"), TEXT("b"), DONE_WORD);
	assert_string_equal(fed.record.error_kind, "truncated");
	assert_non_null(strstr(fed.record.error, "finish reason"));
	assert_int_equal(fed.record.output_tokens, 2);
	assert_int_equal(fed.record.token_source, RES_TOKENS_EVENTS);
	fed_done(&fed);

	/* a finish reason and the last chunk of HTTP are enough; the check stream_end reports it */
	FEED(&fed, "openai", TEXT("a"), LAST("b"));
	assert_int_equal(fed.result, BENCH_STREAM_DONE);
	assert_true(fed.record.done_missing);
	fed_done(&fed);

	FEED(&fed, "openai", TEXT("a"), TEXT("b"), USAGE(2));
	assert_string_equal(fed.record.error_kind, "truncated");
	fed_done(&fed);

	FEED(&fed, "openai", USAGE(0), DONE_WORD);
	assert_string_equal(fed.record.error_kind, "no_output");
	fed_done(&fed);

	FEED(&fed, "openai", TEXT("a"), "data: {\"choices\":[\n\n");
	assert_string_equal(fed.record.error_kind, "protocol");
	fed_done(&fed);
}

/* Usage counts more tokens than there are events with output: which of the empty ones carry them. */
static void empty_events_carry_what_usage_adds(void **state)
{
	static const struct {
		const char *events;
		int64_t tokens[6];
		size_t count;
	} cases[] = {
		/* vLLM: the end-of-sequence token has no text */
		{ TEXT("a") TEXT("b") LAST("") USAGE(3), { 1, 1, 1 }, 3 },
		/* others: the last event only says why */
		{ TEXT("a") TEXT("b") LAST("") USAGE(2), { 1, 1, 0 }, 3 },
		/* a token that does not complete a character */
		{ TEXT("a") TEXT("") TEXT("b") LAST("c") USAGE(4), { 1, 1, 1, 1 }, 4 },
		/* both: the last event first */
		{ TEXT("a") TEXT("") TEXT("b") LAST("") USAGE(3), { 1, 0, 1, 1 }, 4 },
		{ TEXT("a") TEXT("") TEXT("b") LAST("") USAGE(4), { 1, 1, 1, 1 }, 4 },
		/* while the prompt is read */
		{ TEXT("") TEXT("") TEXT("a") LAST("b") USAGE(2), { 0, 0, 1, 1 }, 4 },
		{ TEXT("") TEXT("") TEXT("a") LAST("") USAGE(2), { 0, 0, 1, 1 }, 4 },
		/* merged: it is not known which event carries how many */
		{ TEXT("a") TEXT("bcd") LAST("") USAGE(9), { 1, 1, 0 }, 3 },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		struct res_event_cursor cursor;
		struct res_event_at at;
		struct fed fed;

		FEED(&fed, "openai", cases[i].events, DONE_WORD);
		assert_int_equal(fed.result, BENCH_STREAM_DONE);
		cursor = res_record_cursor(&fed.record);
		for (size_t k = 0; k < cases[i].count; k++) {
			assert_true(res_record_next(&cursor, &at));
			if (at.tokens != cases[i].tokens[k])
				fail_msg("%s: event %zu has %lld tokens", cases[i].events, k,
					 (long long)at.tokens);
		}
		assert_false(res_record_next(&cursor, &at));
		fed_done(&fed);
	}
}

static void a_closed_connection_ends_the_answer(void **state)
{
	static const char until_close[] =
		"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n";
	struct fed fed;

	(void)state;
	fed_begin(&fed, "openai");
	fed_bytes(&fed, until_close, strlen(until_close));
	fed_bytes(&fed, LAST("a") DONE_WORD, strlen(LAST("a") DONE_WORD));
	assert_int_equal(fed.result, BENCH_STREAM_MORE);
	assert_int_equal(bench_stream_end(&fed.stream), BENCH_STREAM_DONE);
	fed_done(&fed);

	/* the last event has arrived, the last chunk has not */
	fed_begin(&fed, "openai");
	fed_bytes(&fed, stream_head, strlen(stream_head));
	fed_bytes(&fed, "1000\r\n" LAST("a") DONE_WORD, strlen("1000\r\n" LAST("a") DONE_WORD));
	assert_int_equal(bench_stream_end(&fed.stream), BENCH_STREAM_DONE);
	fed_done(&fed);

	fed_begin(&fed, "openai");
	fed_bytes(&fed, stream_head, strlen(stream_head));
	fed_bytes(&fed, "1000\r\n" TEXT("a"), strlen("1000\r\n" TEXT("a")));
	assert_int_equal(bench_stream_end(&fed.stream), BENCH_STREAM_FAILED);
	assert_string_equal(fed.record.error_kind, "truncated");
	fed_done(&fed);
}

static void one_stream_object_serves_many_answers(void **state)
{
	struct wire good, bad;
	struct fed fed, fresh;

	(void)state;
	wire_events(&good, EVENTS(TEXT("a"), LAST("b"), USAGE(2), DONE_WORD), 4);
	wire_events(&bad, EVENTS(TEXT("a"), "data: {\"er"), 2);
	feed_by_chunk(&fresh, "openai", &good);
	feed_by_chunk(&fed, "openai", &bad);
	assert_int_equal(fed.result, BENCH_STREAM_FAILED);
	for (int i = 0; i < 3; i++) {
		size_t at = 0;
		res_record_done(&fed.record);
		fed.record.acted_ns = T0;
		fed.recorder.last_ns = RES_NO_TIME;
		fed.result = BENCH_STREAM_MORE;
		bench_recorder_reserve(&fed.recorder, 2);
		bench_stream_start(&fed.stream, &fed.recorder);
		for (size_t k = 0; k < good.count; k++) {
			bench_stream_read(&fed.stream, T0 + (int64_t)(k + 1) * STEP_NS, true);
			fed_bytes(&fed, good.bytes.data + at, good.ends[k] - at);
			at = good.ends[k];
		}
		assert_same_record(&fed.record, &fresh.record);
	}
	fed_done(&fed);
	fed_done(&fresh);
	pl_buf_done(&good.bytes);
	pl_buf_done(&bad.bytes);
}

static void stamps_never_go_back(void **state)
{
	struct fed fed;

	(void)state;
	fed_begin(&fed, "openai");
	fed_bytes(&fed, stream_head, strlen(stream_head));
	/* before the request itself, then ahead, then back again */
	static const int64_t times[] = { T0 - 50, T0 + 100, T0 + 40 };
	for (size_t i = 0; i < 3; i++) {
		char chunk[200];
		int len = snprintf(chunk, sizeof(chunk), "%zx\r\n%s\r\n", strlen(TEXT("a")),
				   TEXT("a"));
		bench_stream_read(&fed.stream, times[i], i != 1);
		fed_bytes(&fed, chunk, (size_t)len);
	}
	assert_int_equal(fed.record.events[0].delta_ns, 0);
	assert_int_equal(fed.record.events[1].delta_ns, 100);
	assert_int_equal(fed.record.events[1].flags & RES_EVENT_USER_STAMP, RES_EVENT_USER_STAMP);
	assert_int_equal(fed.record.events[2].delta_ns, 0);
	assert_int_equal(fed.record.events[2].flags & RES_EVENT_USER_STAMP, 0);
	fed_done(&fed);
}

/* One read from T0 + 100 to T0 + 900: what each event's earliest time is, by their number. */
static void assert_since(bool kernel, const char *rest, const int64_t *earliest, size_t count)
{
	struct res_event_at at;
	struct fed fed;

	fed_begin(&fed, "openai");
	bench_stream_read(&fed.stream, T0 + 50, true);
	bench_stream_since(&fed.stream, T0 + 20, T0 + 20);
	fed_bytes(&fed, stream_head, strlen(stream_head));
	bench_stream_read(&fed.stream, T0 + 900, kernel);
	bench_stream_since(&fed.stream, T0 + 100, T0 + 60);
	fed_bytes(&fed, rest, strlen(rest));
	struct res_event_cursor cursor = res_record_cursor(&fed.record);
	for (size_t i = 0; i < count; i++) {
		assert_true(res_record_next(&cursor, &at));
		assert_int_equal(at.t_ns, T0 + 900);
		assert_int_equal(at.earliest_ns, T0 + earliest[i]);
	}
	assert_false(res_record_next(&cursor, &at));
	fed_done(&fed);
}

#define A_EVENT "2c\r\n" TEXT("a") "\r\n"

static void only_what_ends_a_read_has_its_time(void **state)
{
	static const int64_t exact[] = { 900 }, early[] = { 100 };
	/* of several outputs the surer bound counts */
	static const int64_t last[] = { 60, 60, 900 }, all[] = { 60, 60, 60 };
	static const int64_t at_once[] = { 60, 900, 900 }, chunk[] = { 100, 100 };

	(void)state;
	assert_int_equal(strlen(TEXT("a")), 0x2c);
	assert_since(true, A_EVENT, exact, 1);
	assert_since(true, A_EVENT A_EVENT A_EVENT, last, 3);
	/* what the server put into one chunk, it sent at once */
	assert_since(true, A_EVENT "58\r\n" TEXT("a") TEXT("a") "\r\n", at_once, 3);
	/* an event without choices, a comment, a part of the next event, or the end follows */
	assert_since(true, A_EVENT "e\r\n" DONE_WORD "\r\n", early, 1);
	assert_since(true, A_EVENT "8\r\n: ping\n\n\r\n", early, 1);
	assert_since(true, A_EVENT A_EVENT A_EVENT "5\r\ndata:\r\n", all, 3);
	assert_since(true, A_EVENT "0\r\n\r\n", early, 1);
	/* the arrival time of the last byte of these is unknown */
	assert_since(false, A_EVENT, early, 1);
	/* one chunk is one output, however many events */
	assert_since(false, "58\r\n" TEXT("a") TEXT("a") "\r\n", chunk, 2);
	assert_since(false, A_EVENT A_EVENT A_EVENT, all, 3);
}

static void an_event_is_not_earlier_than_the_one_before(void **state)
{
	struct res_event_at at;
	struct fed fed;

	(void)state;
	fed_begin(&fed, "openai");
	fed_bytes(&fed, stream_head, strlen(stream_head));
	for (int64_t i = 1; i <= 2; i++) {
		bench_stream_read(&fed.stream, T0 + 1000 * i, true);
		bench_stream_since(&fed.stream, T0 - 5, T0 - 5);
		fed_bytes(&fed, A_EVENT A_EVENT, 2 * strlen(A_EVENT));
	}
	static const int64_t earliest[] = { 0, 1000, 1000, 2000 };
	struct res_event_cursor cursor = res_record_cursor(&fed.record);
	for (size_t i = 0; i < PL_ARRAY_SIZE(earliest); i++) {
		assert_true(res_record_next(&cursor, &at));
		assert_int_equal(at.earliest_ns, T0 + earliest[i]);
	}
	fed_done(&fed);
}

static void long_failure_bodies_are_cut(void **state)
{
	struct fed fed;
	char head[200];
	char body[10000];

	(void)state;
	memset(body, 'x', sizeof(body));
	snprintf(head, sizeof(head), "HTTP/1.1 500 Oops\r\nContent-Length: %zu\r\n\r\n",
		 sizeof(body));
	fed_begin(&fed, "openai");
	fed_bytes(&fed, head, strlen(head));
	for (size_t i = 0; i < sizeof(body); i += 1000)
		fed_bytes(&fed, body + i, 1000);
	assert_int_equal(fed.result, BENCH_STREAM_FAILED);
	assert_int_equal(fed.record.status, 500);
	assert_int_equal(strlen(fed.record.error), BENCH_ERROR_BYTES_MAX);
	fed_done(&fed);

	fed_begin(&fed, "openai");
	fed_bytes(&fed, "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", 45);
	assert_string_equal(fed.record.error, "Not Found");
	fed_done(&fed);

	fed_begin(&fed, "openai");
	fed_bytes(&fed,
		  "HTTP/1.1 404 Not Found\r\nContent-Length: 22\r\n\r\n"
		  "{\"detail\":\"Not Found!\"}",
		  46 + 23);
	assert_string_equal(fed.record.error_kind, "http_status");
	fed_done(&fed);
}

/* Puts the responses of real servers back into chunks (the files hold the text without them). */
static bool read_real(const char *name, struct wire *wire)
{
	struct pl_err err = PL_ERR_INIT;
	auto_free char *path = pl_asprintf("%s/data/real/http/%s.txt", test_data_folder(), name);
	auto_free char *text = NULL;
	size_t len;

	if (!pl_file_exists(path))
		return false;
	assert_int_equal(pl_file_read(path, 1 << 20, &text, &len, &err), 0);
	char *body = strstr(text, "\r\n\r\n");
	assert_non_null(body);
	body += 4;
	char *frame = strstr(text, "transfer-encoding: chunked");
	bool chunked = frame != NULL && frame < body;
	pl_buf_init(&wire->bytes, 1 << 20);
	wire->count = 0;
	pl_buf_add(&wire->bytes, text, (size_t)(body - text));
	while (chunked && *body != '\0') {
		char *end = strstr(body, "\n\n");
		size_t bytes = end != NULL ? (size_t)(end + 2 - body) : strlen(body);
		wire_chunk(wire, body, bytes);
		body += bytes;
	}
	if (chunked)
		wire_end(wire);
	else
		pl_buf_add_text(&wire->bytes, body);
	if (!chunked)
		wire->ends[wire->count++] = wire->bytes.len;
	return true;
}

struct real_case {
	const char *name;
	const char *adapter;
	size_t events;
	int64_t usage; /* RES_NO_COUNT: none is sent */
	int64_t tokens;
	enum res_token_source source;
	unsigned choices;
};

static const struct real_case real_cases[] = {
	{ "completions_stream", "openai", 4, 4, 4, RES_TOKENS_USAGE, 1 },
	{ "completions_stream_cont", "openai", 4, 4, 4, RES_TOKENS_USAGE, 1 },
	{ "completions_n2_stream", "openai", 4, 4, 4, RES_TOKENS_USAGE, 3 },
	{ "completions_batch_stream", "openai", 4, RES_NO_COUNT, 4, RES_TOKENS_EVENTS, 3 },
	{ "completions_logprobs_stream", "openai", 2, RES_NO_COUNT, 3, RES_TOKENS_IDS, 1 },
	{ "chat_stream", "openai-chat", 5, 4, 4, RES_TOKENS_USAGE, 1 },
	{ "chat_stream_cont", "openai-chat", 5, 4, 4, RES_TOKENS_USAGE, 1 },
};

static void real_streams_count_as_documented(void **state)
{
	skip_without_test_data();
	struct res_event_at at;

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(real_cases); i++) {
		const struct real_case *want = &real_cases[i];
		size_t events = 0;
		int64_t tokens = 0;
		struct wire wire;
		struct fed fed;

		assert_true(read_real(want->name, &wire));
		print_message("%s\n", want->name);
		assert_cuts_change_nothing(want->adapter, &wire);
		feed_by_chunk(&fed, want->adapter, &wire);
		assert_int_equal(fed.result, BENCH_STREAM_DONE);
		assert_true(fed.stream.done_seen);
		assert_string_equal(fed.record.finish_reason, "length");
		assert_int_equal(fed.stream.usage_completion, want->usage);
		assert_int_equal(fed.record.output_tokens, want->tokens);
		assert_int_equal(fed.record.token_source, want->source);
		assert_int_equal(fed.stream.seen_mask, want->choices);
		struct res_event_cursor cursor = res_record_cursor(&fed.record);
		for (; res_record_next(&cursor, &at); events++)
			tokens += at.tokens;
		assert_int_equal(events, want->events);
		assert_int_equal(tokens, want->tokens);
		fed_done(&fed);
		pl_buf_done(&wire.bytes);
	}
}

struct real_error {
	const char *name;
	int status;
	const char *message;
};

static const struct real_error real_errors[] = {
	{ "err_json", 400, "JSON decode error" },
	{ "err_model", 404, "The model `nope` does not exist. Valid aliases: tiny." },
	{ "err_range", 400, "temperature must be non-negative, got -3.0." },
	{ "err_toolong", 400, "max_tokens=5000 cannot be greater than max_model_len=2048." },
	{ "err_toolong_prompt", 400, "your prompt contains 2100 input tokens" },
	{ "err_type", 400, "unable to parse string as a number" },
};

static void real_errors_give_status_and_message(void **state)
{
	skip_without_test_data();
	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(real_errors); i++) {
		struct wire wire;
		struct fed fed;

		assert_true(read_real(real_errors[i].name, &wire));
		print_message("%s\n", real_errors[i].name);
		assert_cuts_change_nothing("openai", &wire);
		feed_whole(&fed, "openai", &wire);
		assert_int_equal(fed.result, BENCH_STREAM_FAILED);
		assert_int_equal(fed.record.status, real_errors[i].status);
		assert_string_equal(fed.record.error_kind, "http_status");
		assert_non_null(strstr(fed.record.error, real_errors[i].message));
		assert_null(strstr(fed.record.error, "\"message\""));
		fed_done(&fed);
		pl_buf_done(&wire.bytes);
	}
}

static const char *const response_events[] = {
	"event: response.created\ndata: {\"response\":{\"usage\":null,\"error\":null,\"status\":"
	"\"in_progress\"},\"sequence_number\":0,\"type\":\"response.created\"}\n\n",
	"event: response.reasoning_text.delta\ndata: {\"delta\":\"hm\",\"type\":"
	"\"response.reasoning_text.delta\"}\n\n",
	"event: response.output_text.delta\ndata: {\"delta\":\"\",\"type\":"
	"\"response.output_text.delta\"}\n\n",
	"event: response.function_call_arguments.delta\ndata: {\"delta\":\"{\",\"type\":"
	"\"response.function_call_arguments.delta\"}\n\n",
	"event: response.output_text.delta\ndata: {\"type\":\"response.output_text.delta\","
	"\"delta\":\"a b\"}\n\n",
	"event: response.incomplete\ndata: {\"response\":{\"status\":\"incomplete\",\"usage\":"
	"{\"input_tokens\":11,\"output_tokens\":4,\"input_tokens_details\":{\"cached_tokens\":0}}},"
	"\"type\":\"response.incomplete\"}\n\n",
};

/* Text, reasoning and tool calls are output; an empty delta is none. The terminal event's usage counts, and there is no [DONE]. */
static void a_response_is_its_deltas(void **state)
{
	struct wire wire;
	struct fed fed;

	(void)state;
	wire_events(&wire, response_events, PL_ARRAY_SIZE(response_events));
	feed_by_chunk(&fed, "openai-responses", &wire);
	assert_int_equal(fed.result, BENCH_STREAM_DONE);
	assert_true(fed.record.ok);
	assert_int_equal(fed.record.event_count, 4);
	assert_int_equal(res_record_first_event_ns(&fed.record), T0 + 2 * STEP_NS);
	assert_int_equal(fed.record.output_tokens, 4);
	assert_int_equal(fed.record.prompt_tokens, 11);
	assert_string_equal(fed.record.finish_reason, "length");
	fed_done(&fed);
	pl_buf_done(&wire.bytes);
}

static void assert_response_fails(const char *const *events, size_t count, const char *kind,
				  const char *text)
{
	struct wire wire;
	struct fed fed;

	wire_events(&wire, events, count);
	feed_by_chunk(&fed, "openai-responses", &wire);
	assert_int_equal(fed.result, BENCH_STREAM_FAILED);
	assert_string_equal(fed.record.error_kind, kind);
	assert_non_null(strstr(fed.record.error, text));
	fed_done(&fed);
	pl_buf_done(&wire.bytes);
}

static void failed_responses_say_why(void **state)
{
	static const char *const failed[] = {
		"data: {\"type\":\"response.output_text.delta\",\"delta\":\"a\"}\n\n",
		"data: {\"type\":\"response.failed\",\"response\":{\"error\":{\"code\":\"x\","
		"\"message\":\"engine died\"}}}\n\n",
	};
	static const char *const error[] = {
		"data: {\"type\":\"error\",\"message\":\"too long\",\"code\":\"x\"}\n\n",
	};
	static const char *const cut[] = {
		"data: {\"type\":\"response.output_text.delta\",\"delta\":\"a\"}\n\n",
	};
	static const char *const empty[] = {
		"data: {\"type\":\"response.completed\",\"response\":{\"usage\":"
		"{\"output_tokens\":0}}}\n\n",
	};

	(void)state;
	assert_response_fails(failed, 2, "stream_error", "engine died");
	assert_response_fails(error, 1, "stream_error", "too long");
	assert_response_fails(cut, 1, "truncated", "without its closing event");
	assert_response_fails(empty, 1, "no_output", "no event with output");
}

/* Feeds a body that comes in one piece, a step after the start, in reads of `piece` bytes. */
static void feed_answer(struct fed *fed, const char *adapter, const char *body, size_t piece)
{
	auto_buf all = { 0 };

	pl_buf_init(&all, 1 << 20);
	pl_buf_addf(
		&all,
		"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %zu\r\n\r\n"
		"%s",
		strlen(body), body);
	fed_begin(fed, adapter);
	bench_stream_done(&fed->stream);
	bench_stream_init(&fed->stream, bench_adapter_find(adapter), true);
	bench_stream_start(&fed->stream, &fed->recorder);
	for (size_t at = 0; at < all.len; at += piece) {
		bench_stream_read(&fed->stream, T0 + STEP_NS, true);
		fed_bytes(fed, all.data + at, at + piece < all.len ? piece : all.len - at);
	}
}

static void answers_in_one_piece_have_an_end_and_no_events(void **state)
{
	static const struct {
		const char *adapter;
		const char *body;
		int64_t prompt, output;
		const char *finish;
	} cases[] = {
		{ "openai",
		  "{\"choices\":[{\"index\":0,\"text\":\"a b\",\"finish_reason\":\"length\"}],"
		  "\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":2}}",
		  3, 2, "length" },
		{ "openai-chat",
		  "{\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":"
		  "\"x\"},"
		  "\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":9,"
		  "\"completion_tokens\":1}}",
		  9, 1, "stop" },
		{ "openai-responses",
		  "{\"id\":\"r\",\"output\":[{\"content\":[{\"text\":\"x\"}],\"status\":"
		  "\"completed\"}],"
		  "\"status\":\"incomplete\",\"usage\":{\"input_tokens\":5,\"output_tokens\":4}}",
		  5, 4, "length" },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		for (size_t piece = 1; piece < 400; piece += 133) {
			struct fed fed;
			feed_answer(&fed, cases[i].adapter, cases[i].body, piece);
			assert_int_equal(fed.result, BENCH_STREAM_DONE);
			assert_true(fed.record.ok);
			assert_int_equal(fed.record.event_count, 0);
			assert_int_equal(fed.record.end_ns, T0 + STEP_NS);
			assert_int_equal(fed.record.prompt_tokens, cases[i].prompt);
			assert_int_equal(fed.record.output_tokens, cases[i].output);
			assert_string_equal(fed.record.finish_reason, cases[i].finish);
			fed_done(&fed);
		}
	}
}

static void broken_answers_in_one_piece_fail(void **state)
{
	static const struct {
		const char *body;
		const char *kind;
	} cases[] = {
		{ "{\"choices\":[", "protocol" },
		{ "{\"error\":{\"message\":\"no\"}}", "stream_error" },
		{ "{\"choices\":[{\"index\":0,\"text\":\"\",\"finish_reason\":\"stop\"}]}",
		  "no_output" },
		{ "{\"choices\":[{\"index\":0,\"text\":\"a\"}]}", "truncated" },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		struct fed fed;
		feed_answer(&fed, "openai", cases[i].body, 1000);
		assert_int_equal(fed.result, BENCH_STREAM_FAILED);
		assert_string_equal(fed.record.error_kind, cases[i].kind);
		fed_done(&fed);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(events_get_the_time_of_their_read),
		cmocka_unit_test(odd_but_valid_streams_lose_nothing),
		cmocka_unit_test(usage_in_every_event_is_exact),
		cmocka_unit_test(usage_with_the_last_choice_counts_no_token_twice),
		cmocka_unit_test(cached_tokens_come_with_the_usage),
		cmocka_unit_test(usage_of_several_choices_adds_up),
		cmocka_unit_test(token_ids_count_where_usage_is_silent),
		cmocka_unit_test(failed_streams_say_why_and_keep_what_came),
		cmocka_unit_test(empty_events_carry_what_usage_adds),
		cmocka_unit_test(a_closed_connection_ends_the_answer),
		cmocka_unit_test(one_stream_object_serves_many_answers),
		cmocka_unit_test(stamps_never_go_back),
		cmocka_unit_test(only_what_ends_a_read_has_its_time),
		cmocka_unit_test(an_event_is_not_earlier_than_the_one_before),
		cmocka_unit_test(long_failure_bodies_are_cut),
		cmocka_unit_test(a_response_is_its_deltas),
		cmocka_unit_test(failed_responses_say_why),
		cmocka_unit_test(answers_in_one_piece_have_an_end_and_no_events),
		cmocka_unit_test(broken_answers_in_one_piece_fail),
		cmocka_unit_test(real_streams_count_as_documented),
		cmocka_unit_test(real_errors_give_status_and_message),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
