/* Responses of pooling protocols, whole and cut at every byte: the record is the same and says what is true. */
#include "bench/load/stream.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"

#define T0      5000000000
#define STEP_NS 1000000

#define OK         "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
#define VECTOR     "{\"index\":0,\"object\":\"embedding\",\"embedding\":[0.25,-0.125]}"
#define USAGE      "\"usage\":{\"prompt_tokens\":7,\"total_tokens\":7,\"completion_tokens\":0}"
#define EMBEDDINGS "{\"object\":\"list\",\"data\":[" VECTOR "]," USAGE "}"
#define RANKS                                                                                  \
	"{\"id\":\"r\",\"usage\":{\"total_tokens\":12},\"results\":[{\"index\":1,\"relevance_" \
	"score\":0.5}]}"
#define BINARY   "HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\n"
#define METADATA "metadata: {\"data\":[{\"index\":0}]," USAGE "}\r\n"

struct row {
	const char *bytes; /* the whole response; the connection ends after it */
	const char *kind;  /* NULL: it is good */
	const char *says;  /* within the error */
	int64_t prompt;    /* RES_NO_COUNT: unknown */
};

static const struct row rows[] = {
	{ OK "Content-Length: 152\r\n\r\n" EMBEDDINGS, NULL, NULL, 7 },
	{ OK "Transfer-Encoding: chunked\r\n\r\n54\r\n" RANKS "\r\n0\r\n\r\n", NULL, NULL, 12 },
	/* ends with the connection */
	{ "HTTP/1.1 200 OK\r\n\r\n" EMBEDDINGS, NULL, NULL, 7 },
	/* no usage: the requested length counts */
	{ OK "\r\n{\"data\":[" VECTOR "]}", NULL, NULL, RES_NO_COUNT },
	{ OK "\r\n{\"data\":[" VECTOR "],\"usage\":null}", NULL, NULL, RES_NO_COUNT },
	{ OK "\r\n{\"data\":[" VECTOR "],\"usage\":{\"prompt_tokens\":\"x\"}}", NULL, NULL,
	  RES_NO_COUNT },
	/* encoding_format bytes and bytes_only */
	{ BINARY METADATA "Content-Length: 8\r\n\r\n\x01{\"\xff\n\x02\x03\x04", NULL, NULL, 7 },
	{ BINARY "Content-Length: 4\r\n\r\nabcd", NULL, NULL, RES_NO_COUNT },
	{ BINARY METADATA "Content-Length: 0\r\n\r\n", "no_output", "no result", 7 },
	{ BINARY "metadata: {oops\r\n\r\nabcd", "protocol", "violates the protocol", RES_NO_COUNT },
	/* no result */
	{ OK "\r\n{\"object\":\"list\",\"data\":[]," USAGE "}", "no_output",
	  "the response has no result", 7 },
	{ OK "\r\n{}", "no_output", "the response has no result", RES_NO_COUNT },
	{ OK "\r\n{\"detail\":\"kaput\"}", "stream_error", "kaput", RES_NO_COUNT },
	{ OK "\r\n{\"error\":{\"message\":\"boom\",\"code\":500}}", "stream_error", "boom",
	  RES_NO_COUNT },
	/* errors of the server */
	{ "HTTP/1.1 500 Internal Server Error\r\nContent-Length: "
	  "28\r\n\r\n{\"error\":{\"message\":\"boom\"}}",
	  "http_status", "boom", RES_NO_COUNT },
	{ "HTTP/1.1 404 Not Found\r\nContent-Length: 22\r\n\r\n{\"detail\":\"Not Found\"}",
	  "http_status", "Not Found", RES_NO_COUNT },
	/* not such a response */
	{ OK "\r\n", "protocol", "violates the protocol", RES_NO_COUNT },
	{ OK "\r\n[1]", "protocol", "violates the protocol", RES_NO_COUNT },
	{ "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<html>", "protocol", "<html>",
	  RES_NO_COUNT },
	{ "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: [DONE]\n\n", "protocol",
	  "event stream", RES_NO_COUNT },
	{ OK "\r\n{\"data\":[" VECTOR, "protocol", "violates the protocol", RES_NO_COUNT },
	{ OK "Content-Length: 900\r\n\r\n" EMBEDDINGS, "truncated", "ended during the response",
	  RES_NO_COUNT },
};

struct fed {
	struct res_record record;
	struct bench_recorder recorder;
	struct bench_stream stream;
	enum bench_stream_result result;
};

static void feed(struct fed *fed, const char *bytes, size_t len)
{
	size_t used;

	if (fed->result == BENCH_STREAM_MORE && len > 0)
		fed->result = bench_stream_feed(&fed->stream, bytes, len, &used);
}

/* The response in two reads at the same time, cut at `at`. */
static void feed_cut(struct fed *fed, const char *bytes, size_t at)
{
	*fed = (struct fed){ .recorder.last_ns = RES_NO_TIME };
	res_record_init(&fed->record, 0);
	fed->record.acted_ns = T0;
	fed->recorder.record = &fed->record;
	bench_recorder_reserve(&fed->recorder, RES_NO_COUNT);
	bench_stream_init(&fed->stream, bench_adapter_find("openai-embeddings"), true);
	fed->stream.keeps_text = true;
	bench_stream_start(&fed->stream, &fed->recorder);
	bench_stream_read(&fed->stream, T0 + STEP_NS, true);
	feed(fed, bytes, at);
	feed(fed, bytes + at, strlen(bytes) - at);
	if (fed->result == BENCH_STREAM_MORE)
		fed->result = bench_stream_end(&fed->stream);
}

static void check(const struct row *row, struct fed *fed)
{
	const struct res_record *record = &fed->record;

	assert_int_equal(fed->result, row->kind == NULL ? BENCH_STREAM_DONE : BENCH_STREAM_FAILED);
	assert_int_equal(record->ok, row->kind == NULL);
	assert_int_equal(record->prompt_tokens, row->prompt);
	assert_int_equal(record->output_tokens, RES_NO_COUNT);
	assert_int_equal(record->token_source, RES_TOKENS_NONE);
	assert_int_equal(record->event_count, 0);
	assert_int_equal(record->end_ns, T0 + STEP_NS);
	assert_string_equal(record->finish_reason, "");
	assert_string_equal(record->text, "");
	assert_false(record->done_missing);
	if (row->kind != NULL) {
		assert_string_equal(record->error_kind, row->kind);
		assert_non_null(strstr(record->error, row->says));
	}
}

static void cuts_change_nothing(void **state)
{
	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++) {
		size_t len = strlen(rows[i].bytes);
		for (size_t at = 0; at < len; at++) {
			struct fed fed;
			feed_cut(&fed, rows[i].bytes, at);
			print_message("%zu at %zu: %s\n", i, at,
				      fed.record.error != NULL ? fed.record.error : "ok");
			check(&rows[i], &fed);
			bench_stream_done(&fed.stream);
			res_record_done(&fed.record);
		}
	}
}

/* The header of a binary response does not stay for the next one of its connection. */
static void a_response_leaves_nothing_behind(void **state)
{
	struct fed fed;

	(void)state;
	feed_cut(&fed, BINARY METADATA "Content-Length: 4\r\n\r\nabcd", 0);
	assert_int_equal(fed.record.prompt_tokens, 7);
	res_record_done(&fed.record);
	fed.record.acted_ns = T0;
	bench_recorder_reserve(&fed.recorder, RES_NO_COUNT);
	bench_stream_start(&fed.stream, &fed.recorder);
	bench_stream_read(&fed.stream, T0 + STEP_NS, true);
	fed.result = BENCH_STREAM_MORE;
	feed(&fed, BINARY "Content-Length: 4\r\n\r\nabcd", strlen(BINARY) + 25);
	assert_true(fed.record.ok);
	assert_int_equal(fed.record.prompt_tokens, RES_NO_COUNT);
	bench_stream_done(&fed.stream);
	res_record_done(&fed.record);
}

#define PIECE_BYTES (1u << 20)

/* Numbers in JSON are stored up to a limit; binary ones of any size are read and not stored. */
static void the_size_of_a_response_is_limited(void **state)
{
	auto_free char *piece = pl_alloc(PIECE_BYTES + 1);

	(void)state;
	memset(piece, '1', PIECE_BYTES);
	piece[PIECE_BYTES] = '\0';
	for (int binary = 0; binary < 2; binary++) {
		const char *head = binary ? BINARY METADATA "\r\n" : OK "\r\n{\"data\":[";
		struct fed fed;

		feed_cut(&fed, "", 0);
		bench_stream_start(&fed.stream, &fed.recorder);
		bench_stream_read(&fed.stream, T0 + STEP_NS, true);
		fed.result = BENCH_STREAM_MORE;
		feed(&fed, head, strlen(head));
		for (size_t i = 0; i * PIECE_BYTES < BENCH_WHOLE_BYTES_MAX; i++) {
			assert_int_equal(fed.result, BENCH_STREAM_MORE);
			feed(&fed, piece, PIECE_BYTES);
		}
		if (binary) {
			assert_int_equal(fed.result, BENCH_STREAM_MORE);
			assert_int_equal(bench_stream_end(&fed.stream), BENCH_STREAM_DONE);
			assert_int_equal(fed.stream.body.len, 1);
			assert_int_equal(fed.record.prompt_tokens, 7);
		} else {
			assert_int_equal(fed.result, BENCH_STREAM_FAILED);
			assert_string_equal(fed.record.error_kind, "protocol");
			assert_string_equal(fed.record.error,
					    "response body is larger than 67108864 bytes");
		}
		bench_stream_done(&fed.stream);
		res_record_done(&fed.record);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cuts_change_nothing),
		cmocka_unit_test(a_response_leaves_nothing_behind),
		cmocka_unit_test(the_size_of_a_response_is_limited),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
