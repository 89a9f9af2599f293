#include "result/flat/read.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/text.h"
#include "result/flat/compare.h"
#include "result/flat/records.h"
#include "test_data.h"

/* Four requests of which one failed: the figures were worked out by hand. */
#define LISTS                                                                        \
	"\"input_lens\": [5, 6, 7, 8], \"output_lens\": [3, 2, 0, 1],"               \
	"\"ttfts\": [0.5, 0.25, 0.0, 1.0], \"itls\": [[0.25, 0.25], [0.5], [], []]," \
	"\"errors\": [\"\", \"\", \"Service Unavailable\", \"\"],"                   \
	"\"generated_texts\": [\"a\\u0000b\", \"\\ud83d\\ude00\", \"\", \"x\\ud83d\"],"
#define TIMES                                                                                  \
	"\"start_times\": [100.0, 100.5, 101.0, 101.5], \"latencies\": [1.0, 0.75, 0.0, 1.0]," \
	"\"queue_times\": [0.0, 0.125, 0.0, 0.25],"
#define SUMMARY                                                                                   \
	"\"total_input_tokens\": 19, \"total_output_tokens\": 6, \"request_throughput\": 0.75,"   \
	"\"output_throughput\": 1.5, \"total_token_throughput\": 6.25,"                           \
	"\"mean_ttft_ms\": 583.3333333333334, \"median_ttft_ms\": 500.0,"                         \
	"\"std_ttft_ms\": 311.8047822311618, \"p50_ttft_ms\": 500.0, \"p75_ttft_ms\": 750.0,"     \
	"\"mean_tpot_ms\": 375.0, \"p99.9_tpot_ms\": 499.75, \"mean_itl_ms\": 333.3333333333333," \
	"\"mean_e2el_ms\": 916.6666666666666, \"p50_e2el_ms\": 1000.0"
#define HEAD                                                                                      \
	"\"backend\": \"vllm\", \"model_id\": \"m\", \"tokenizer_id\": null, \"num_prompts\": 4," \
	"\"request_rate\": \"inf\", \"burstiness\": 1.0, \"max_concurrency\": 2,"                 \
	"\"duration\": 4.0, \"completed\": 3, \"failed\": 1, \"request_goodput\": null,"

static struct res_flat *parsed(const char *text)
{
	struct pl_err err = PL_ERR_INIT;
	struct res_flat *flat = NULL;

	if (res_flat_parse(text, strlen(text), "flat", &flat, &err) < 0)
		fail_msg("%s", err.text);
	return flat;
}

static void assert_refused(const char *text, const char *heard)
{
	struct pl_err err = PL_ERR_INIT;
	struct res_flat *flat = NULL;

	assert_int_equal(res_flat_parse(text, strlen(text), "flat", &flat, &err), -1);
	assert_null(flat);
	if (strstr(err.text, heard) == NULL)
		fail_msg("'%s' does not say '%s'", err.text, heard);
}

static void assert_near(double value, double expected)
{
	if (!(fabs(value - expected) <= 1e-12 * fmax(1, fabs(expected))))
		fail_msg("%.17g is not %.17g", value, expected);
}

static void test_md_flat__whole_result(void **state)
{
	auto_flat struct res_flat *flat = parsed("{" HEAD LISTS TIMES SUMMARY "}");

	(void)state;
	assert_string_equal(flat->backend, "vllm");
	assert_string_equal(flat->model_id, "m");
	assert_null(flat->tokenizer_id);
	assert_int_equal(flat->num_prompts, 4);
	assert_int_equal(flat->completed, 3);
	assert_int_equal(flat->failed, 1);
	assert_int_equal(flat->max_concurrency, 2);
	assert_true(isinf(flat->request_rate));
	assert_true(isnan(flat->request_goodput));
	assert_int_equal(flat->count, 4);
	assert_true(flat->has_starts && flat->has_latencies && flat->has_queues);
	assert_int_equal(flat->requests[0].gap_count, 2);
	assert_near(flat->requests[1].gaps[0], 0.5);
	assert_near(flat->requests[3].queue_s, 0.25);
	assert_true(flat->requests[0].ok);
	assert_false(flat->requests[2].ok);
	assert_near(res_flat_number(flat, "p75_ttft_ms"), 750);
	assert_true(isnan(res_flat_number(flat, "backend")));
}

static void test_md_flat__summary_agrees_with_its_lists(void **state)
{
	auto_flat struct res_flat *flat = parsed("{" HEAD LISTS TIMES SUMMARY "}");
	const char *key;

	(void)state;
	assert_true(res_flat_difference(flat, &key) < 1e-15);
	assert_near(res_flat_identity_us(flat), 0);
}

/* Each figure that is off is found, by its name. */
static void test_md_flat__summary_that_is_off(void **state)
{
	static const struct {
		const char *key;
		double share; /* of the true value, put in its place */
	} cases[] = {
		{ "mean_ttft_ms", 1.5 },       { "std_ttft_ms", 0.5 },
		{ "p75_ttft_ms", 0.99 },       { "p99.9_tpot_ms", 1.001 },
		{ "mean_itl_ms", 1.00001 },    { "p50_e2el_ms", 2 },
		{ "total_input_tokens", 2 },   { "total_output_tokens", 0.5 },
		{ "output_throughput", 1.25 }, { "total_token_throughput", 0.75 },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		auto_flat struct res_flat *flat = parsed("{" HEAD LISTS TIMES SUMMARY "}");
		double was = res_flat_number(flat, cases[i].key);
		double share = cases[i].share;
		const char *key = NULL;
		json_object_set_new(flat->json, cases[i].key, json_real(was * share));
		assert_near(res_flat_difference(flat, &key),
			    share > 1 ? (share - 1) / share : 1 - share);
		assert_string_equal(key, cases[i].key);
	}
}

static void test_md_flat__without_lists(void **state)
{
	auto_flat struct res_flat *flat = parsed(
		"{" HEAD "\"latencies\": [1.0, 2.0, 1.0, 0.0]," SUMMARY "}");
	const char *key;

	(void)state;
	assert_null(flat->requests);
	assert_int_equal(flat->count, 0);
	assert_false(flat->has_starts);
	assert_int_equal(flat->failed, 1);
	assert_true(isnan(res_flat_difference(flat, &key)));
	assert_null(key);
	assert_true(isnan(res_flat_identity_us(flat)));
}

static void test_md_flat__spellings_of_releases(void **state)
{
	/* 0.9.0: no backend, no failed, a colon, best_of, no starts */
	auto_flat struct res_flat *old = parsed("{\"endpoint_type\": \"openai\", \"best_of\": 1, "
						"\"num_prompts\": 4, \"label\": null,"
						"\"request_rate\": 2.5, \"burstiness\": Infinity, "
						"\"duration\": 4, \"completed\": 3,"
						"\"request_goodput:\": 0.5," LISTS SUMMARY "}");
	/* the client in Rust, without lists */
	auto_flat struct res_flat *rust = parsed(
		"{\"date\":\"2026-11-21T02:22:13Z\",\"backend\":\"vllm\",\"num_prompts\":60,"
		"\"request_rate\":20.0,\"duration\":9.2,\"completed\":60,\"failed\":0,"
		"\"steady_state\":null,\"max_model_len\":null,\"errors\":null}");
	/* pooling: lengths and errors, and no failed */
	auto_flat struct res_flat *pooling = parsed(
		"{\"num_prompts\": 3, \"duration\": 1.0, \"completed\": 2, \"input_lens\": [1, 2, "
		"3],"
		"\"latencies\": [0.1, 0.2, 0.0], \"errors\": [\"\", \"\", \"\"],"
		"\"mean_e2el_ms\": 150.0}");

	(void)state;
	assert_string_equal(old->backend, "openai");
	assert_int_equal(old->failed, 1);
	assert_true(isinf(old->burstiness));
	assert_near(old->request_rate, 2.5);
	assert_near(old->request_goodput, 0.5);
	assert_int_equal(old->max_concurrency, INT64_MIN);
	assert_false(old->has_starts || old->has_latencies);
	assert_int_equal(old->count, 4);
	assert_int_equal(rust->completed, 60);
	assert_null(rust->requests);
	assert_int_equal(pooling->failed, 1);
	assert_null(pooling->requests);
	assert_near(res_flat_number(pooling, "mean_e2el_ms"), 150);
}

static void test_md_flat__what_json_does_not_have(void **state)
{
	/* inside a text they are text, and half a pair is not a character */
	auto_flat struct res_flat *flat = parsed(
		"{\"num_prompts\": 1, \"duration\": 1, \"completed\": 1, \"burstiness\": Infinity,"
		"\"label\": \"Infinity \\\"NaN\\\" \\\\ud800 \\udc00 \\ud83d\\ude00\","
		"\"mean_ttft_ms\": NaN}");

	(void)state;
	assert_true(isinf(flat->burstiness));
	assert_string_equal(flat->label, "Infinity \"NaN\" \\ud800 \xef\xbf\xbd \xf0\x9f\x98\x80");
	assert_true(isnan(res_flat_number(flat, "mean_ttft_ms")));
}

static void test_md_flat__refusals(void **state)
{
	static const struct {
		const char *text, *heard;
	} cases[] = {
		{ "", "flat" },
		{ "[1]", "expected one object" },
		{ "{}", "nor 'num_prompts'" },
		{ "{\"num_prompts\": 1, \"duration\": 1}", "nor 'completed'" },
		{ "{\"num_prompts\": 1, \"completed\": 1}", "nor 'duration'" },
		{ "{\"num_prompts\": 1.5, \"completed\": 1, \"duration\": 1}",
		  "/num_prompts: found 1.5, expected" },
		{ "{\"num_prompts\": 1, \"completed\": true, \"duration\": 1}",
		  "/completed: found true, expected" },
		{ "{\"num_prompts\": 1, \"completed\": 1, \"duration\": \"1\"}",
		  "/duration: found \"1\", expected" },
		{ "{\"num_prompts\": 1, \"completed\": 1, \"duration\": -1}",
		  "/duration: found -1, expected" },
		{ "{\"num_prompts\": 1, \"completed\": 1, \"duration\": 1, \"request_rate\": "
		  "\"x\"}",
		  "/request_rate: found \"x\", expected" },
		{ "{\"num_prompts\": 1, \"completed\": 1, \"duration\": 1, \"p99_itl_ms\": \"2\"}",
		  "/p99_itl_ms: found \"2\", expected" },
		{ "{\"num_prompts\": 1, \"completed\": 1, \"duration\": 1, \"backend\": 5}",
		  "/backend: found 5, expected" },
		{ "{\"num_prompts\": 1, \"completed\": 1, \"duration\": 1, \"ttfts\": [1]}",
		  "is missing, but other lists exist" },
		{ "{" HEAD
		  "\"input_lens\": [1], \"output_lens\": [1], \"ttfts\": [1], \"itls\": [1],"
		  "\"errors\": [\"\"]}",
		  "/itls/0: found 1, expected" },
		{ "{" HEAD "\"input_lens\": [1], \"output_lens\": [1], \"ttfts\": [1],"
		  "\"itls\": [[-0.5]], \"errors\": [\"\"]}",
		  "/itls/0/0: found -0.5, expected" },
		{ "{" HEAD "\"input_lens\": [1], \"output_lens\": [1], \"ttfts\": [NaN],"
		  "\"itls\": [[]], \"errors\": [\"\"]}",
		  "/ttfts/0: found null, expected" },
		{ "{" HEAD "\"input_lens\": [1], \"output_lens\": [1], \"ttfts\": [1e300],"
		  "\"itls\": [[]], \"errors\": [\"\"]}",
		  "/ttfts/0: found 1e+300, expected" },
		{ "{" HEAD "\"input_lens\": [1], \"output_lens\": [1.5], \"ttfts\": [1],"
		  "\"itls\": [[]], \"errors\": [\"\"]}",
		  "/output_lens/0: found 1.5, expected" },
		{ "{" HEAD "\"input_lens\": [1], \"output_lens\": [1], \"ttfts\": [1],"
		  "\"itls\": [[]], \"errors\": [null]}",
		  "/errors/0: found null, expected" },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++)
		assert_refused(cases[i].text, cases[i].heard);
}

/* Lists that do not fit are a fault of the file that is named, and the rest of it is read. */
static void test_md_flat__lists_that_do_not_fit(void **state)
{
	static const struct {
		const char *text, *fault;
		size_t count;
	} cases[] = {
		{ "{" HEAD LISTS TIMES SUMMARY "}", "", 4 },
		{ "{" HEAD TIMES "\"input_lens\": [1], \"output_lens\": [1, 2, 3, 4],"
		  "\"ttfts\": [1, 1, 1, 1], \"itls\": [[], [], [], []],"
		  "\"errors\": [\"\", \"\", \"\", \"\"]}",
		  "input_lens: found 1 items, expected 4", 0 },
		{ "{" HEAD LISTS "\"start_times\": [1, 2], " SUMMARY "}",
		  "start_times: found 2 items, expected 4", 0 },
		{ "{" HEAD "\"input_lens\": [1], \"output_lens\": [1], \"ttfts\": [1],"
		  "\"itls\": [[]], \"errors\": [\"\"]}",
		  "the lists have 1 requests, 1 of them finished, but 'completed' is 3", 1 },
		{ "{\"num_prompts\": 1, \"completed\": 2, \"duration\": 1}", "", 0 },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		auto_flat struct res_flat *flat = parsed(cases[i].text);
		if (!pl_text_starts(flat->lists_fault, cases[i].fault) ||
		    (cases[i].fault[0] == '\0' && flat->lists_fault[0] != '\0'))
			fail_msg("%zu: '%s'", i, flat->lists_fault);
		assert_int_equal(flat->count, cases[i].count);
	}
}

/* A whole text is good, and no beginning of it is. */
static void test_md_flat__cut_text_is_refused(void **state)
{
	static const char text[] = "{" HEAD LISTS TIMES SUMMARY "}";
	struct pl_err err = PL_ERR_INIT;
	struct res_flat *flat = NULL;

	(void)state;
	for (size_t len = 0; len < sizeof(text) - 1; len++)
		assert_int_equal(res_flat_parse(text, len, "flat", &flat, &err), -1);
}

static void records_of(const struct res_flat *flat, const struct res_flat_how *how,
		       struct res_record records[4])
{
	assert_int_equal(flat->count, 4);
	res_flat_records(flat, how, records);
}

static void records_done(struct res_record records[4])
{
	for (size_t i = 0; i < 4; i++)
		res_record_done(&records[i]);
}

static void test_md_flat__records(void **state)
{
	auto_flat struct res_flat *flat = parsed("{" HEAD LISTS TIMES SUMMARY "}");
	struct res_flat_how how = { .shift_ns = 7, .keeps_text = true };
	struct res_record records[4];
	struct res_event_at at;

	(void)state;
	records_of(flat, &how, records);
	assert_int_equal(records[0].acted_ns, INT64_C(100000000007));
	assert_int_equal(records[0].queued_ns, records[0].acted_ns);
	assert_int_equal(records[3].queued_ns, records[3].acted_ns - 250000000);
	assert_int_equal(records[0].end_ns, records[0].acted_ns + 1000000000);
	assert_int_equal(records[0].event_count, 3);
	struct res_event_cursor cursor = res_record_cursor(&records[0]);
	for (int i = 0; i < 3; i++) {
		assert_true(res_record_next(&cursor, &at));
		assert_int_equal(at.t_ns, records[0].acted_ns + 500000000 + i * 250000000);
		assert_int_equal(at.tokens, 1);
		assert_int_equal(at.flags, RES_EVENT_USER_STAMP | RES_EVENT_GUESSED);
	}
	assert_true(records[0].ok);
	assert_int_equal(records[0].prompt_tokens, 5);
	assert_int_equal(records[0].output_tokens, 3);
	assert_int_equal(records[0].token_source, RES_TOKENS_USAGE);
	assert_string_equal(records[0].text, "a\xc0\x80"
					     "b");
	assert_string_equal(records[1].text, "\xf0\x9f\x98\x80");
	assert_int_equal(records[0].planned_ns, RES_NO_TIME);
	assert_false(records[2].ok);
	assert_string_equal(records[2].error_kind, "http_status");
	assert_int_equal(records[2].status, 503);
	assert_int_equal(records[2].event_count, 0);
	assert_int_equal(records[2].end_ns, RES_NO_TIME);
	records_done(records);
}

static void test_md_flat__merged_events_and_role(void **state)
{
	auto_flat struct res_flat *flat = parsed(
		"{\"num_prompts\": 1, \"duration\": 1, \"completed\": 1, \"input_lens\": [1],"
		"\"output_lens\": [3], \"ttfts\": [0.1], \"itls\": [[0.02, 0.0000093, 0.0001]],"
		"\"start_times\": [5], \"errors\": [\"\"]}");
	struct res_flat_how how = { .role_first = true };
	static const unsigned merged[] = { 0, 0, RES_EVENT_COALESCED, 0 };
	struct res_record record;
	struct res_event_at at;

	(void)state;
	res_flat_records(flat, &how, &record);
	struct res_event_cursor cursor = res_record_cursor(&record);
	for (int i = 0; i < 4; i++) {
		assert_true(res_record_next(&cursor, &at));
		assert_int_equal(at.tokens, i > 0);
		assert_int_equal(at.flags & RES_EVENT_COALESCED, merged[i]);
	}
	assert_null(record.text);
	assert_int_equal(record.queued_ns, RES_NO_TIME);
	/* no latencies: the last event */
	assert_int_equal(record.end_ns, at.t_ns);
	res_record_done(&record);
}

/* A thousand gaps of a third of a ns more than a whole number: the sum is off by at most one. */
static void test_md_flat__rounding_does_not_add_up(void **state)
{
	auto_buf text = { 0 };
	struct res_flat_how how = { 0 };
	struct res_record record;
	struct res_event_at at = { 0 };

	(void)state;
	pl_buf_init(&text, 1 << 20);
	pl_buf_add_text(&text, "{\"num_prompts\": 1, \"duration\": 1, \"completed\": 1,"
			       "\"input_lens\": [1], \"output_lens\": [1001], \"ttfts\": [1],"
			       "\"start_times\": [0], \"errors\": [\"\"], \"itls\": [[");
	for (int i = 0; i < 1000; i++)
		pl_buf_addf(&text, "%s0.0010000003333333333", i > 0 ? ", " : "");
	pl_buf_add_text(&text, "]]}");
	auto_flat struct res_flat *flat = parsed(pl_buf_text(&text));
	res_flat_records(flat, &how, &record);
	struct res_event_cursor cursor = res_record_cursor(&record);
	while (res_record_next(&cursor, &at)) {}
	assert_true(llabs(at.t_ns - INT64_C(2000000333)) <= 1);
	res_record_done(&record);
}

static void test_md_flat__failures_by_what_vllm_says(void **state)
{
	static const struct {
		const char *error; /* as JSON */
		const char *kind;
		int status;
		const char *message;
	} cases[] = {
		{ "Not Found", "http_status", 404, "Not Found" },
		{ "Strange Phrase", "http_status", 0, "Strange Phrase" },
		{ "HTTP 429: slow down", "http_status", 429, "HTTP 429: slow down" },
		{ "Never received a valid chunk to calculate TTFT.This response will be marked as "
		  "failed!",
		  "no_output", 0, "Never received a valid" },
		{ "Stream ended without a terminal event.This response will be marked as failed!",
		  "truncated", 0, "Stream ended" },
		{ "Traceback (most recent call last):\\n  File x\\n"
		  "aiohttp.client_exceptions.ClientConnectorError: Cannot connect to host a:1\\n",
		  "connect", 0, "aiohttp.client_exceptions.ClientConnectorError" },
		{ "Traceback (most recent call last):\\n"
		  "aiohttp.client_exceptions.ServerDisconnectedError: Server disconnected\\n",
		  "reset", 0, "aiohttp.client_exceptions.ServerDisconnectedError" },
		{ "Traceback (most recent call last):\\n"
		  "aiohttp.client_exceptions.ClientPayloadError: Response payload is not "
		  "completed\\n",
		  "truncated", 0, "aiohttp.client_exceptions.ClientPayloadError" },
		{ "Traceback\\nTimeoutError\\n", "timeout", 0, "TimeoutError" },
		{ "Traceback\\njson.decoder.JSONDecodeError: Expecting value\\n", "protocol", 0,
		  "json.decoder.JSONDecodeError" },
		{ "Traceback\\nKeyError: 'x'\\n", "unknown", 0, "KeyError: 'x'" },
		{ "\\n", "unknown", 0, "vLLM's client recorded no reason" },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		auto_free char *text = pl_asprintf(
			"{\"num_prompts\": 1, \"duration\": 1, \"completed\": 0,"
			"\"input_lens\": [1], \"output_lens\": [0], \"ttfts\": [0], \"itls\": [[]],"
			"\"start_times\": [1], \"errors\": [\"%s\"]}",
			cases[i].error);
		auto_flat struct res_flat *flat = parsed(text);
		struct res_flat_how how = { 0 };
		struct res_record record;
		res_flat_records(flat, &how, &record);
		assert_false(record.ok);
		assert_string_equal(record.error_kind, cases[i].kind);
		assert_int_equal(record.status, cases[i].status);
		assert_true(pl_text_starts(record.error, cases[i].message));
		res_record_done(&record);
	}
}

/* A response with an empty reason phrase has failed as well: its latency is 0. */
static void test_md_flat__failure_without_a_word(void **state)
{
	auto_flat struct res_flat *flat = parsed(
		"{\"num_prompts\": 1, \"duration\": 1, \"completed\": 0, \"failed\": 1,"
		"\"input_lens\": [1], \"output_lens\": [0], \"ttfts\": [0], \"itls\": [[]],"
		"\"latencies\": [0.0], \"start_times\": [1], \"errors\": [\"\"]}");
	struct res_flat_how how = { 0 };
	struct res_record record;

	(void)state;
	res_flat_records(flat, &how, &record);
	assert_false(record.ok);
	assert_string_equal(record.error_kind, "http_status");
	res_record_done(&record);
}

static struct res_flat *read_shared(const char *name)
{
	auto_free char *path = test_data_path(name);
	struct pl_err err = PL_ERR_INIT;
	struct res_flat *flat = NULL;

	if (res_flat_read(path, &flat, &err) < 0)
		fail_msg("%s", err.text);
	return flat;
}

/* Results of both clients against a real server. */
static void test_md_flat__real_results(void **state)
{
	static const char *const names[] = { "data/real/bench/py-random.json",
					     "data/real/bench/rs-random.json" };

	(void)state;
	skip_without_test_data();
	for (size_t i = 0; i < PL_ARRAY_SIZE(names); i++) {
		auto_flat struct res_flat *flat = read_shared(names[i]);
		const char *key = NULL;
		assert_int_equal(flat->completed, 60);
		assert_int_equal(flat->count, 60);
		assert_true(flat->has_starts && flat->has_latencies);
		assert_true(res_flat_difference(flat, &key) < 1e-12);
		assert_true(res_flat_identity_us(flat) < 1e-3);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_md_flat__whole_result),
		cmocka_unit_test(test_md_flat__summary_agrees_with_its_lists),
		cmocka_unit_test(test_md_flat__summary_that_is_off),
		cmocka_unit_test(test_md_flat__without_lists),
		cmocka_unit_test(test_md_flat__spellings_of_releases),
		cmocka_unit_test(test_md_flat__what_json_does_not_have),
		cmocka_unit_test(test_md_flat__refusals),
		cmocka_unit_test(test_md_flat__lists_that_do_not_fit),
		cmocka_unit_test(test_md_flat__cut_text_is_refused),
		cmocka_unit_test(test_md_flat__records),
		cmocka_unit_test(test_md_flat__merged_events_and_role),
		cmocka_unit_test(test_md_flat__rounding_does_not_add_up),
		cmocka_unit_test(test_md_flat__failures_by_what_vllm_says),
		cmocka_unit_test(test_md_flat__failure_without_a_word),
		cmocka_unit_test(test_md_flat__real_results),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
