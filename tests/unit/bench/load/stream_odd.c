/* Odd answers, each whole and byte by byte: the record is the same and says what is true. */
#include "bench/load/stream.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "events.h"

#define EVENTS_HEAD "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
#define HEAD(lines) "HTTP/1.1 200 OK\r\n" lines "\r\n\r\n"

#define TEXT(text) \
	"data: {\"choices\":[{\"index\":0,\"text\":\"" text "\",\"finish_reason\":null}]}\n\n"
#define LAST(reason) \
	"data: {\"choices\":[{\"index\":0,\"text\":\"z\",\"finish_reason\":" reason "}]}\n\n"
#define DELTA(delta) \
	"data: {\"choices\":[{\"index\":0,\"delta\":{" delta "},\"finish_reason\":null}]}\n\n"
#define CHAT_LAST "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n"
#define OF(index, count, reason)                                                            \
	"data: {\"choices\":[{\"index\":" index ",\"text\":\"x\",\"finish_reason\":" reason \
	"}],\"usage\":{\"completion_tokens\":" count "}}\n\n"
#define USAGE(count) "data: {\"choices\":[],\"usage\":{\"completion_tokens\":" count "}}\n\n"
#define DONE         "data: [DONE]\n\n"

struct row {
	const char *adapter; /* NULL: openai; "whole": openai in one piece */
	const char *bytes;   /* the whole response; the connection ends after it */
	const char *kind;    /* NULL: it is good */
	const char *says;    /* within the error, or the text that was generated; NULL: whatever */
	int64_t tokens;      /* RES_NO_COUNT: none, -2: whatever */
	int events;          /* -1: whatever */
};

static const struct row rows[] = {
	/* after the last event */
	{ NULL, EVENTS_HEAD TEXT("a") LAST("\"stop\"") DONE TEXT("b") USAGE("9"), NULL, "az", 2,
	  2 },
	{ NULL, EVENTS_HEAD LAST("\"stop\"") DONE "data: {oops\n\n", NULL, "z", 1, 1 },
	{ NULL, EVENTS_HEAD LAST("\"stop\"") DONE DONE, NULL, "z", 1, 1 },
	{ NULL, EVENTS_HEAD LAST("\"stop\"") "data: \t [DONE] \n\n", NULL, "z", 1, 1 },
	{ NULL, EVENTS_HEAD LAST("\"stop\"") DONE "data: {\"error\":\"late\"}\n\n", NULL, "z", 1,
	  1 },
	/* finish reasons */
	{ NULL, EVENTS_HEAD TEXT("a") LAST("\"\"") DONE, "truncated", "without a finish reason", 2,
	  2 },
	{ NULL, EVENTS_HEAD LAST("\"\"") LAST("\"stop\"") DONE, NULL, "zz", 2, 2 },
	/* none, but a count of the whole answer */
	{ NULL, EVENTS_HEAD TEXT("a") TEXT("b") USAGE("2") DONE, NULL, "ab", 2, 2 },
	{ NULL, EVENTS_HEAD TEXT("a") LAST("\"\"") USAGE("2") DONE, NULL, "az", 2, 2 },
	{ NULL, EVENTS_HEAD TEXT("a") OF("0", "2", "null") DONE, NULL, "ax", 2, 2 },
	{ NULL, EVENTS_HEAD OF("0", "1", "null") DONE, NULL, "x", 1, 1 },
	{ NULL, EVENTS_HEAD OF("0", "1", "null") OF("0", "2", "null") USAGE("2") DONE, NULL, "xx",
	  2, 2 },
	{ NULL, EVENTS_HEAD OF("0", "1", "null") OF("1", "1", "null") USAGE("2") DONE, NULL, NULL,
	  2, 2 },
	{ "openai-chat", EVENTS_HEAD DELTA("\"content\":\"a\"") USAGE("1") DONE, NULL, "a", 1, 1 },
	/* [DONE] and a count, at any position */
	{ NULL, EVENTS_HEAD OF("0", "1", "null") OF("0", "2", "null") DONE, NULL, "xx", 2, 2 },
	{ NULL, EVENTS_HEAD TEXT("a") USAGE("1") TEXT("b") DONE, NULL, "ab", 1, 2 },
	{ NULL, EVENTS_HEAD TEXT("a") USAGE("1"), "truncated", "without its closing event", 1, 1 },
	{ NULL, EVENTS_HEAD TEXT("a") USAGE("-1") DONE, "truncated", "without a finish reason", 1,
	  1 },
	/* no [DONE]: a finish reason for each choice */
	{ NULL, EVENTS_HEAD TEXT("a") LAST("\"stop\""), NULL, "az", 2, 2 },
	{ NULL, EVENTS_HEAD TEXT("a") LAST("\"stop\"") USAGE("2"), NULL, "az", 2, 2 },
	{ NULL, EVENTS_HEAD OF("0", "1", "\"stop\"") OF("1", "1", "null"), "truncated",
	  "without its closing event", 2, 2 },
	{ NULL, HEAD("Content-Type: text/event-stream\r\nContent-Length: 999") LAST("\"stop\""),
	  "truncated", "ended during the response", 1, 1 },
	/* the body decides what it is */
	{ NULL, HEAD("Content-Type: application/json") TEXT("a") LAST("\"stop\"") DONE, NULL, "az",
	  2, 2 },
	{ NULL, HEAD("Content-Type: text/html; charset=utf-8") LAST("\"stop\"") DONE, NULL, "z", 1,
	  1 },
	{ NULL, HEAD("Content-Type: text/plain") ":\n\n" LAST("\"stop\"") DONE, NULL, "z", 1, 1 },
	{ NULL, HEAD("Content-Type: application/octet-stream") "event: x\n" LAST("\"stop\"") DONE,
	  NULL, "z", 1, 1 },
	{ NULL, HEAD("Content-Type: x/y") "\r\n\r\nid: 1\n" LAST("\"stop\"") DONE, NULL, "z", 1,
	  1 },
	{ NULL, HEAD("Content-Type: x/y") "\xef\xbb\xbf" LAST("\"stop\"") DONE, NULL, "z", 1, 1 },
	{ NULL, HEAD("Content-Type: text/plain") "upstream died", "protocol",
	  "response type: found 'text/plain', expected an event stream: upstream died",
	  RES_NO_COUNT, 0 },
	{ NULL, HEAD("Content-Type: text/plain") "dat", "protocol", "found 'text/plain'",
	  RES_NO_COUNT, 0 },
	{ NULL, EVENTS_HEAD "{\"detail\":\"kaput\"}", "protocol",
	  "response: found a JSON document, expected an event stream: kaput", RES_NO_COUNT, 0 },
	{ NULL, EVENTS_HEAD "\n <!doctype html>", "protocol", "found an HTML page", RES_NO_COUNT,
	  0 },
	{ NULL, HEAD("A: b") "[1]", "protocol", "found a JSON document", RES_NO_COUNT, 0 },
	{ NULL, EVENTS_HEAD, "truncated", "without its closing event", RES_NO_COUNT, 0 },
	/* keep-alives */
	{ NULL,
	  EVENTS_HEAD "data:\n\ndata: \n\ndata: null\n\n: x\n\ndata: {\"type\":\"ping\"}\n\n"
		      "event: ping\ndata: 2026-11-27 15:00\n\ndata: {}\n\ndata: ping\n\n"
		      "event: Keep-Alive\ndata: {oops\n\ndata:\ndata:\n\n" LAST("\"stop\"") DONE,
	  NULL, "z", 1, 1 },
	{ NULL, EVENTS_HEAD "event: ping\n\n" TEXT("a") LAST("\"stop\"") DONE, NULL, "az", 2, 2 },
	{ NULL, EVENTS_HEAD "event: pong\ndata: {oops\n\n", "protocol", "{oops", RES_NO_COUNT, 0 },
	/* a count below the events with output is kept as it came: the checks report it */
	{ NULL, EVENTS_HEAD TEXT("a") LAST("\"stop\"") USAGE("0") DONE, NULL, "az", 0, 2 },
	/* one of two choices has none: that one was cut */
	{ NULL, EVENTS_HEAD OF("0", "1", "\"stop\"") OF("1", "1", "null") USAGE("2") DONE,
	  "truncated", "without a finish reason", 2, 2 },
	/* usage */
	{ NULL, EVENTS_HEAD LAST("\"stop\"") USAGE("2147483647") DONE, NULL, NULL, 2147483647, 1 },
	{ NULL, EVENTS_HEAD LAST("\"stop\"") USAGE("2147483648") DONE, NULL, NULL, 1, 1 },
	{ NULL, EVENTS_HEAD LAST("\"stop\"") USAGE("7") USAGE("-7") DONE, NULL, NULL, 7, 1 },
	{ NULL,
	  EVENTS_HEAD OF("0", "2", "null") OF("1", "3", "null") OF("0", "4", "\"stop\"")
		  OF("1", "5", "\"stop\"") DONE,
	  NULL, NULL, 9, 4 },
	{ NULL, EVENTS_HEAD TEXT("a") LAST("\"stop\"") OF("1", "8", "\"stop\"") DONE, NULL, NULL, 8,
	  3 },
	{ NULL,
	  EVENTS_HEAD "data: {\"choices\":[{\"index\":0,\"text\":\"a\",\"finish_reason\":\"x\"},"
		      "{\"index\":1,\"text\":\"b\",\"finish_reason\":\"y\"}],\"usage\":{"
		      "\"completion_tokens\":8}}"
		      "\n\n" DONE,
	  NULL, "a", 8, 1 },
	/* texts */
	{ NULL, EVENTS_HEAD TEXT("\\ud83d") TEXT("\\ude00") LAST("\"stop\"") DONE, NULL,
	  "\xf0\x9f\x98\x80z", 3, 3 },
	{ NULL, EVENTS_HEAD TEXT("\\ud83d") TEXT("b") LAST("\"stop\"") DONE, NULL,
	  "\xef\xbf\xbd"
	  "bz",
	  3, 3 },
	{ NULL, EVENTS_HEAD TEXT("a\\u0000\\\\u0000b") LAST("\"stop\"") DONE, NULL,
	  "a\xef\xbf\xbd\\u0000bz", 2, 2 },
	/* what a delta holds */
	{ "openai-chat",
	  EVENTS_HEAD DELTA("\"role\":\"assistant\",\"refusal\":\"no\"") CHAT_LAST DONE, NULL, NULL,
	  1, 2 },
	{ "openai-chat",
	  EVENTS_HEAD DELTA("\"role\":\"assistant\",\"audio\":{\"data\":\"UA==\"}") CHAT_LAST DONE,
	  NULL, NULL, 1, 2 },
	{ "openai-chat",
	  EVENTS_HEAD DELTA("\"role\":\"assistant\",\"refusal\":null,\"content\":\"\"")
		  CHAT_LAST DONE,
	  NULL, NULL, 0, 2 },
	{ "openai-chat",
	  EVENTS_HEAD DELTA("\"role\":\"assistant\",\"content\":[{\"text\":\"x\"}]") CHAT_LAST DONE,
	  NULL, NULL, 1, 2 },
	/* errors */
	{ NULL, EVENTS_HEAD TEXT("a") "data: {\"error\":{\"code\":5}}\n\n", "stream_error",
	  "{\"error\":{\"code\":5}}", 1, 1 },
	{ NULL, EVENTS_HEAD TEXT("a") "data: {\"error\":[{\"message\":\"kaput\"}]}\n\n",
	  "stream_error", "kaput", 1, 1 },
	{ NULL,
	  EVENTS_HEAD "data: {\"error\":\"\"}\n\ndata: {\"error\":{}}\n\ndata: {\"error\":[]}\n\n"
		      "data: {\"error\":0}\n\n" LAST("\"stop\"") DONE,
	  NULL, "z", 1, 1 },
	{ NULL, EVENTS_HEAD TEXT("a") "data: {\"detail\":\"kaput\"}\n\n", "stream_error", "kaput",
	  1, 1 },
	{ NULL, EVENTS_HEAD "event: error\ndata: {\"message\":\"kaput\"}\n\n" DONE, "stream_error",
	  "kaput", RES_NO_COUNT, 0 },
	{ NULL, EVENTS_HEAD "data: {\"message\":\"in the queue\"}\n\n" LAST("\"stop\"") DONE, NULL,
	  "z", 1, 1 },
	{ NULL, EVENTS_HEAD "data: \xff\x1b[2J\n\n", "protocol", "the protocol: \xef\xbf\xbd [2J",
	  RES_NO_COUNT, 0 },
	{ "openai-responses", EVENTS_HEAD "data: {\"type\":\"response.failed\"}\n\n",
	  "stream_error", "response.failed", RES_NO_COUNT, 0 },
	{ "openai-responses",
	  EVENTS_HEAD "data: {\"type\":\"response.output_text.delta\",\"delta\":\"a\"}\n\n"
		      "data: {\"type\":\"response.completed\",\"response\":{}}\n\n"
		      "data: {\"type\":\"response.output_text.delta\",\"delta\":\"b\"}\n\n",
	  NULL, "a", 1, 1 },
	/* heads */
	{ NULL, HEAD("Content-Type: text/html") "<html>", "protocol",
	  "response type: found 'text/html', expected an event stream: <html>", RES_NO_COUNT, 0 },
	{ NULL, HEAD("Content-Type: application/json") "{\"error\":{\"message\":\"kaput\"}}",
	  "protocol", "expected an event stream: kaput", RES_NO_COUNT, 0 },
	{ NULL, HEAD("Content-Type: text/event-stream\r\nContent-Encoding: gzip") "\x1f\x8b",
	  "protocol", "found 'gzip'", RES_NO_COUNT, 0 },
	{ NULL,
	  HEAD("Content-Type: text/event-stream\r\nContent-Encoding: Identity") LAST("\"x\"") DONE,
	  NULL, "z", 1, 1 },
	{ NULL, "HTTP/1.1 308 X\r\nLocation: http://a/\xe9\r\n\r\n<html>", "http_status",
	  "redirected to 'http://a/\xef\xbf\xbd'", RES_NO_COUNT, 0 },
	{ NULL, "HTTP/1.1 500 X\r\nContent-Encoding: br\r\n\r\n\x0b\x02", "http_status",
	  "Internal Server Error", RES_NO_COUNT, 0 },
	{ NULL, "HTTP/1.1 599 X\r\n\r\n \r\n", "http_status", "status 599", RES_NO_COUNT, 0 },
	{ NULL, "HTTP/1.1 422 X\r\n\r\n{\"detail\":[{\"loc\":[\"body\"],\"msg\":\"kaput\"}]}",
	  "http_status", "kaput", RES_NO_COUNT, 0 },
	/* one piece */
	{ "whole", HEAD("Content-Type: text/event-stream") DONE, "protocol",
	  "expected a single response", RES_NO_COUNT, 0 },
	{ "whole", HEAD("Content-Type: text/html") "<html>", "protocol", "the protocol: <html>",
	  RES_NO_COUNT, 0 },
	{ "whole", HEAD("Content-Type: x/y") "{\"detail\":\"kaput\"}", "stream_error", "kaput", -2,
	  0 },
	{ "whole", HEAD("A: b") "{\"choices\":[{\"text\":\"a\"}]}", "truncated", "finish reason",
	  -2, 0 },
	{ "whole",
	  HEAD("A: b") "{\"choices\":[{\"text\":\"a\"}],\"usage\":{\"completion_tokens\":1}}", NULL,
	  "a", 1, 0 },
	{ "whole",
	  HEAD("A: b") "{\"choices\":[{\"text\":\"a\\u0000\",\"finish_reason\":\"stop\"}]}", NULL,
	  "a\xef\xbf\xbd", -2, 0 },
};

static void feed(const struct row *row, size_t piece, struct res_record *ret)
{
	bool whole = row->adapter != NULL && strcmp(row->adapter, "whole") == 0;
	const char *adapter = whole || row->adapter == NULL ? "openai" : row->adapter;
	struct bench_recorder recorder = { .record = ret, .last_ns = RES_NO_TIME };
	enum bench_stream_result result = BENCH_STREAM_MORE;
	size_t len = strlen(row->bytes);
	struct bench_stream stream;
	size_t used;

	res_record_init(ret, 0);
	ret->acted_ns = 5000;
	bench_recorder_reserve(&recorder, 1);
	bench_stream_init(&stream, bench_adapter_find(adapter), whole);
	stream.keeps_text = true;
	bench_stream_start(&stream, &recorder);
	bench_stream_read(&stream, 6000, true);
	for (size_t at = 0; at < len && result == BENCH_STREAM_MORE; at += piece)
		result = bench_stream_feed(&stream, row->bytes + at,
					   len - at < piece ? len - at : piece, &used);
	if (result == BENCH_STREAM_MORE)
		result = bench_stream_end(&stream);
	assert_int_equal(ret->ok, result == BENCH_STREAM_DONE);
	bench_stream_done(&stream);
}

static void check(const struct row *row, const struct res_record *record)
{
	const char *reported = row->kind != NULL ? record->error : record->text;

	if (record->ok != (row->kind == NULL))
		fail_msg("'%s': %s", row->bytes, record->ok ? "good" : record->error);
	if (row->kind != NULL)
		assert_string_equal(record->error_kind, row->kind);
	if (row->says != NULL && row->kind != NULL && strstr(reported, row->says) == NULL)
		fail_msg("'%s' is not in '%s'", row->says, reported);
	if (row->says != NULL && row->kind == NULL)
		assert_string_equal(reported, row->says);
	if (row->tokens != -2)
		assert_int_equal(record->output_tokens, row->tokens);
	if (row->events >= 0)
		assert_int_equal(events_of(record), row->events);
}

static void odd_answers_are_described_correctly(void **state)
{
	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++) {
		static const size_t pieces[] = { 1u << 20, 1, 2, 7, 64 };
		for (size_t k = 0; k < PL_ARRAY_SIZE(pieces); k++) {
			struct res_record record;
			feed(&rows[i], pieces[k], &record);
			check(&rows[i], &record);
			res_record_done(&record);
		}
	}
}

/* A body of the wrong kind that never ends is not waited for. */
static void enough_of_the_wrong_kind_is_enough(void **state)
{
	struct res_record record;
	struct bench_recorder recorder = { .record = &record, .last_ns = RES_NO_TIME };
	static const char head[] = HEAD("Content-Type: text/html");
	char body[1000];
	struct bench_stream stream;
	enum bench_stream_result result;
	size_t used, fed = 0;

	(void)state;
	memset(body, 'x', sizeof(body));
	res_record_init(&record, 0);
	record.acted_ns = 1;
	bench_recorder_reserve(&recorder, 1);
	bench_stream_init(&stream, bench_adapter_find("openai"), false);
	bench_stream_start(&stream, &recorder);
	result = bench_stream_feed(&stream, head, sizeof(head) - 1, &used);
	for (; result == BENCH_STREAM_MORE; fed += sizeof(body))
		result = bench_stream_feed(&stream, body, sizeof(body), &used);
	assert_int_equal(result, BENCH_STREAM_FAILED);
	assert_in_range(fed, BENCH_ERROR_BYTES_MAX, BENCH_ERROR_BYTES_MAX + 2 * sizeof(body));
	assert_non_null(strstr(record.error, "'text/html', expected an event stream: xxx"));
	bench_stream_done(&stream);
	res_record_done(&record);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(odd_answers_are_described_correctly),
		cmocka_unit_test(enough_of_the_wrong_kind_is_enough),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
