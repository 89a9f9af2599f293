#include "dash/records/records.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/mem.h"

#define BYTES_MAX (1 << 20)
#define ORIGIN_NS 1000000000LL

static struct records *read_pieces(const char *text, size_t piece)
{
	auto_records_reader struct records_reader *reader = records_reader_new(BYTES_MAX);
	struct records *records = NULL;
	size_t len = strlen(text);

	for (size_t at = 0; at < len; at += piece)
		assert_int_equal(records_reader_add(reader, text + at,
						    len - at < piece ? len - at : piece,
						    PL_ERR_IGNORED),
				 0);
	assert_int_equal(records_reader_end(reader, &records, PL_ERR_IGNORED), 0);
	return records;
}

/* `query`: a JSON object with ' for ". */
static json_t *page_of(const struct records *records, const char *query)
{
	auto_records_question struct dash_records_question *question = NULL;
	auto_free char *text = pl_strdup(query);

	for (char *c = text; *c != '\0'; c++)
		*c = *c == '\'' ? '"' : *c;
	auto_json json_t *json = pl_json_of_text(text);
	assert_non_null(json);
	assert_int_equal(dash_records_question_new(json, ORIGIN_NS, &question, PL_ERR_IGNORED), 0);
	return dash_records_page(records, question);
}

static json_t *page_of_text(const char *text, const char *query)
{
	auto_records struct records *records = read_pieces(text, SIZE_MAX / 2);

	return page_of(records, query);
}

static double number_at(const json_t *page, const char *path)
{
	const json_t *value = pl_json_get_path(page, path);

	return json_is_number(value) ? json_number_value(value) : NAN;
}

static double cell(const json_t *page, size_t row, const char *column)
{
	const json_t *value = json_object_get(json_array_get(json_object_get(page, "rows"), row),
					      column);

	return json_is_number(value) ? json_number_value(value) : NAN;
}

static void assert_near(double value, double expected)
{
	if (!(fabs(value - expected) < 1e-9))
		fail_msg("%.17g, expected %.17g", value, expected);
}

/* Starts after 100 ms; chunks after 10, 12 and 18 ms. */
#define ONE                                                                                    \
	"{\"index\":0,\"request_id\":\"a-0\",\"try\":1,\"queued_ns\":1090000000,\"acted_ns\":" \
	"1100000000,\"sent_ns\":1101000000,\"headers_ns\":1109000000,\"end_ns\":1119000000,"   \
	"\"events\":[[1110000000,0,0],[1112000000,1,2],[1118000000,3,2,1117000000]],"          \
	"\"prompt_tokens_requested\":7,\"prompt_tokens\":null,\"output_tokens\":4,"            \
	"\"finish_reason\":\"stop\",\"status\":200,\"error\":null}\n"
#define FAILED(index, start)                                                                 \
	"{\"index\":" #index ",\"acted_ns\":" #start ",\"end_ns\":1500000000,\"events\":[]," \
	"\"error\":{\"kind\":\"timeout\",\"status\":null,\"message\":\"too late\"}}\n"
#define NOT_SENT(index) "{\"index\":" #index ",\"error\":{\"kind\":\"not_sent\"}}\n"

static void test_dash_records_records__times(void **state)
{
	auto_json json_t *page = page_of_text(ONE FAILED(1, 1200000000) NOT_SENT(2), "{}");

	(void)state;
	assert_near(cell(page, 0, "start_s"), 0.1);
	assert_near(cell(page, 0, "end_s"), 0.119);
	assert_near(cell(page, 0, "client_queue_ms"), 10);
	assert_near(cell(page, 0, "send_ms"), 1);
	assert_near(cell(page, 0, "headers_ms"), 9);
	assert_near(cell(page, 0, "ttft_ms"), 10);
	assert_near(cell(page, 0, "first_token_ms"), 12);
	assert_near(cell(page, 0, "tpot_ms"), 8.0 / 3);
	assert_near(cell(page, 0, "max_itl_ms"), 6);
	assert_near(cell(page, 0, "e2el_ms"), 18);
	assert_near(cell(page, 0, "duration_ms"), 19);
	assert_near(cell(page, 0, "prompt_tokens"), 7);
	assert_near(cell(page, 0, "chunks"), 3);
	assert_near(cell(page, 1, "duration_ms"), 300);
	assert_true(isnan(cell(page, 1, "e2el_ms")));
	assert_true(isnan(cell(page, 2, "start_s")));
	assert_near(number_at(page, "sums.completed"), 1);
	assert_near(number_at(page, "sums.failed"), 1);
	assert_near(number_at(page, "sums.not_sent"), 1);
	assert_near(number_at(page, "sums.mean_itl_ms"), 4);
	assert_near(number_at(page, "sums.total_output_tokens"), 4);
	assert_near(number_at(page, "facets.error.timeout"), 1);
}

/* Pieces of any length, blanks, and the order of members and lines change nothing. */
static void test_dash_records_records__any_form(void **state)
{
	static const char text[] = ONE FAILED(1, 1200000000)
		NOT_SENT(2) "no record\n" FAILED(1, 1300000000);
	static const char odd[] = "no record\r\n" FAILED(1, 1200000000)
		FAILED(1, 1300000000) "\n\n" NOT_SENT(2) "{\"events\": [ [1110000000, 0, 0],"
							 "[1112000000 ,1,2],[1118000000,3,2,"
							 "1117000000]], \"x\": [{}],"
							 "\"output_tokens\": 4,"
							 "\"prompt_tokens_requested\":7,"
							 "\"finish_reason\":\"st\\u006fp\","
							 "\"error\": null, \"status\": 200,"
							 "\"try\": 1, \"end_ns\":1119000000,"
							 "\"headers_ns\":1109000000,"
							 "\"sent_ns\":1101000000,"
							 "\"acted_ns\":1100000000,"
							 "\"queued_ns\":1090000000,"
							 "\"request_id\":\"a-0\",\"index\":0}";
	static const char query[] = "{'curve': true, 'lanes': 5}";
	auto_json json_t *page = page_of_text(text, query);
	auto_json json_t *other = page_of_text(odd, query);

	(void)state;
	assert_near(number_at(page, "lines"), 3);
	assert_near(number_at(page, "skipped"), 2);
	assert_true(json_equal(page, other));
	for (size_t piece = 1; piece < 60; piece += 7) {
		auto_records struct records *records = read_pieces(text, piece);
		auto_json json_t *again = page_of(records, query);
		assert_true(json_equal(page, again));
	}
}

/* An event before the start, or a start that moves after the events were read, is not a record. */
static void test_dash_records_records__contradictions(void **state)
{
	static const char *const lines[] = {
		"{\"index\":0,\"acted_ns\":5,\"events\":[[4,1,2]],\"error\":null}",
		"{\"index\":0,\"acted_ns\":5,\"events\":[[7,1,2],[6,1,2]],\"error\":null}",
		"{\"index\":0,\"acted_ns\":5,\"events\":[[7,1,2]],\"acted_ns\":6,\"error\":null}",
		"{\"index\":0,\"events\":[[7,1,2]],\"error\":null}",
		"{\"index\":0,\"acted_ns\":5,\"events\":[[7,1]],\"error\":null}",
		"{\"index\":0,\"acted_ns\":5,\"events\":[[7,1,2,3,4]],\"error\":null}",
		"{\"index\":0,\"acted_ns\":5,\"events\":[[07,1,2]],\"error\":null}",
		"{\"index\":0,\"acted_ns\":5,\"events\":[[7,1,64]],\"error\":null}",
		"{\"index\":0,\"acted_ns\":5,\"events\":[[7,1,2],],\"error\":null}",
		"{\"index\":0,\"acted_ns\":5,\"events\":[[7,1,2]",
		"{\"index\":0,\"acted_ns\":5,\"events\":[[7,1,2]]]}",
		"{\"index\":0,\"acted_ns\":5,\"events\":[[99999999999999999999,1,2]]}",
		"{\"index\":0,\"acted_ns\":5,\"events\":[[50000000000005,1,2]]}",
		"{\"index\":0,\"acted_ns\":5,\"end_ns\":4}",
		"{\"index\":0,\"acted_ns\":2305843009213693953}",
		"{\"acted_ns\":5}",
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(lines); i++) {
		auto_json json_t *page = page_of_text(lines[i], "{'curve': true, 'lanes': 5}");
		if (number_at(page, "skipped") != 1 || number_at(page, "total") != 0)
			fail_msg("%s is taken", lines[i]);
	}
	/* an end without a start is none */
	auto_json json_t *ended = page_of_text("{\"index\":0,\"end_ns\":5,\"error\":null}", "{}");
	assert_true(isnan(cell(ended, 0, "e2el_ms")) && isnan(cell(ended, 0, "end_s")));
	/* the second list of events counts */
	auto_json json_t *page = page_of_text("{\"index\":0,\"acted_ns\":5,\"events\":[[7,1,2],[8,"
					      "1,2]],\"events\":[[9,1,2]],\"error\":null}",
					      "{}");
	assert_near(cell(page, 0, "chunks"), 1);
	assert_near(cell(page, 0, "ttft_ms"), 4e-6);
}

/* Gaps longer than 32 bits of nanoseconds are in the curve, in order with the others. */
static void test_dash_records_records__long_gaps(void **state)
{
	auto_json json_t *page = page_of_text(
		"{\"index\":0,\"acted_ns\":0,\"events\":[[0,1,2],[9000000000,1,2],[9000000001,1,2],"
		"[14000000001,1,2],[18294967296,1,2],[22589934591,1,2]],\"error\":null}",
		"{'curve': true}");
	const json_t *values = json_object_get(
		json_array_get(pl_json_get_path(page, "curve.metrics"), 2), "values");

	(void)state;
	/* 1 ns, 2^32 - 1, 2^32 - 1, 5 s, 9 s */
	assert_near(json_number_value(json_array_get(values, 0)), 1e-6);
	assert_near(json_number_value(json_array_get(values, 50)), 4294.967295);
	assert_near(json_number_value(json_array_get(values, 75)), 5000);
	assert_near(json_number_value(json_array_get(values, json_array_size(values) - 1)), 9000);
	assert_near(cell(page, 0, "max_itl_ms"), 9000);
}

static void test_dash_records_records__lanes(void **state)
{
	static const char text[] =
		"{\"index\":0,\"acted_ns\":1000000000,\"end_ns\":1300000000,\"error\":null}\n"
		"{\"index\":1,\"acted_ns\":1100000000,\"end_ns\":1200000000,\"error\":null}\n"
		"{\"index\":2,\"acted_ns\":1200000000,\"end_ns\":1250000000,\"error\":null}\n"
		"{\"index\":3,\"acted_ns\":1250000000,\"error\":{\"kind\":\"reset\"}}\n"
		"{\"index\":4,\"acted_ns\":1300000000,\"end_ns\":1400000000,\"error\":null}\n"
		"{\"index\":5,\"error\":{\"kind\":\"not_sent\"}}\n";
	static const int lanes[] = { 0, 1, 1, 1, 0 };
	auto_json json_t *page = page_of_text(text, "{'lanes': 9}");
	auto_json json_t *few = page_of_text(text, "{'lanes': 2}");
	const json_t *list = pl_json_get_path(page, "lanes.requests");

	(void)state;
	assert_int_equal(json_array_size(list), PL_ARRAY_SIZE(lanes));
	for (size_t i = 0; i < PL_ARRAY_SIZE(lanes); i++)
		assert_int_equal(pl_json_get_i64(json_array_get(list, i), "lane"), lanes[i]);
	assert_near(number_at(page, "lanes.lane_count"), 2);
	assert_near(number_at(page, "lanes.started"), 5);
	/* the longest; of equally long ones the first */
	list = pl_json_get_path(few, "lanes.requests");
	assert_near(number_at(few, "lanes.shown"), 2);
	assert_int_equal(pl_json_get_i64(json_array_get(list, 0), "index"), 0);
	assert_int_equal(pl_json_get_i64(json_array_get(list, 1), "index"), 1);
}

static void test_dash_records_records__sorted(void **state)
{
	static const char text[] = FAILED(3, 1400000000) NOT_SENT(1) FAILED(2, 1100000000)
		FAILED(0, 1400000000);
	static const struct {
		const char *query;
		int order[4];
	} cases[] = {
		{ "{}", { 0, 1, 2, 3 } },
		{ "{'sort': '-index'}", { 3, 2, 1, 0 } },
		{ "{'sort': 'start_s'}", { 2, 0, 3, 1 } },
		{ "{'sort': '-start_s'}", { 0, 3, 2, 1 } },
		{ "{'sort': 'error_message'}", { 0, 2, 3, 1 } },
		{ "{'sort': '-error'}", { 0, 2, 3, 1 } },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		auto_json json_t *page = page_of_text(text, cases[i].query);
		for (size_t k = 0; k < 4; k++) {
			if (cell(page, k, "index") != cases[i].order[k])
				fail_msg("%s: row %zu is %g", cases[i].query, k,
					 cell(page, k, "index"));
		}
	}
}

static void test_dash_records_records__messages(void **state)
{
	auto_buf line = PL_BUF(1 << 20);

	(void)state;
	pl_buf_add_text(&line, "{\"index\":0,\"acted_ns\":5,\"error\":{\"kind\":\"other\","
			       "\"message\":\"x");
	for (int i = 0; i < 700; i++)
		pl_buf_add_text(&line, "\xc3\xa9");
	pl_buf_add_text(&line, "\"}}");
	auto_json json_t *page = page_of_text(line.data, "{}");
	const json_t *row = json_array_get(json_object_get(page, "rows"), 0);
	assert_int_equal(json_string_length(json_object_get(row, "error_message")), 999);
	assert_string_equal(json_string_value(json_object_get(row, "error")), "unknown");
}

static void test_dash_records_records__csv(void **state)
{
	auto_records struct records *records = read_pieces(ONE FAILED(1, 1200000000) NOT_SENT(2),
							   SIZE_MAX / 2);
	auto_records_question struct dash_records_question *question = NULL;
	auto_json json_t *query = json_pack("{s:s, s:i}", "sort", "-index", "limit", 1);
	auto_buf whole = PL_BUF(1 << 20);
	char piece[7];
	size_t len;

	(void)state;
	assert_int_equal(dash_records_question_new(query, ORIGIN_NS, &question, PL_ERR_IGNORED), 0);
	struct dash_records_csv *csv = dash_records_csv_new(records, question);
	while ((len = dash_records_csv_read(csv, piece, sizeof(piece))) > 0)
		pl_buf_add(&whole, piece, len);
	dash_records_csv_free(csv);
	assert_non_null(strstr(whole.data, "index,status,start_s"));
	assert_non_null(strstr(whole.data, "\r\n2,not_sent,,"));
	assert_non_null(strstr(whole.data, "\r\n0,completed,0.1,0.119,19,10,1,9,10,12,"));
	assert_null(strstr(whole.data, "nan"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_dash_records_records__times),
		cmocka_unit_test(test_dash_records_records__any_form),
		cmocka_unit_test(test_dash_records_records__contradictions),
		cmocka_unit_test(test_dash_records_records__long_gaps),
		cmocka_unit_test(test_dash_records_records__lanes),
		cmocka_unit_test(test_dash_records_records__sorted),
		cmocka_unit_test(test_dash_records_records__messages),
		cmocka_unit_test(test_dash_records_records__csv),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
