#include "result/report.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/text.h"
#include "result/document.h"
#include "result/metrics/metrics.h"
#include "test_data.h"

static void set_text(char **field, const char *text)
{
	free(*field);
	*field = pl_strdup(text);
}

static json_t *parse(const char *text)
{
	json_t *json = json_loads(text, 0, NULL);

	assert_non_null(json);
	return json;
}

static void test_table(void **state)
{
	static const char expected[] = "============ Serving Benchmark Result ============\n"
				       "Successful requests:                     3         \n"
				       "Failed requests:                         1         \n"
				       "Maximum request concurrency:             4         \n"
				       "Request rate configured (RPS):           2.50      \n"
				       "Benchmark duration (s):                  1.50      \n"
				       "Total input tokens:                      n/a       \n"
				       "Total generated tokens:                  12345     \n"
				       "Request throughput (req/s):              2.00      \n"
				       "Request goodput (req/s):                 0.67      \n"
				       "Output token throughput (tok/s):         8230.00   \n"
				       "Peak output token throughput (tok/s):    99.00     \n"
				       "Peak concurrent requests:                5.00      \n"
				       "Peak requests in flight:                 4         \n"
				       "Total token throughput (tok/s):          n/a       \n"
				       "---------------Time to First Token----------------\n"
				       "Mean TTFT (ms):                          1.00      \n"
				       "Median TTFT (ms):                        2.00      \n"
				       "P99.9 TTFT (ms):                         3.00      \n"
				       "P50 TTFT (ms):                           4.00      \n"
				       "---------------Client-side Queueing---------------\n"
				       "Mean Client Queue Time (ms):             5.00      \n"
				       "Median Client Queue Time (ms):           n/a       \n"
				       "P99.9 Client Queue Time (ms):            n/a       \n"
				       "P50 Client Queue Time (ms):              n/a       \n"
				       "--------Queue-inclusive End-to-end Latency--------\n"
				       "Mean E2EL incl. Client Queue (ms):       n/a       \n"
				       "Median E2EL incl. Client Queue (ms):     n/a       \n"
				       "P99.9 E2EL incl. Client Queue (ms):      n/a       \n"
				       "P50 E2EL incl. Client Queue (ms):        n/a       \n"
				       "==================================================\n";
	json_t *results = parse(
		"{\"completed\": 3, \"failed\": 1, \"duration\": 1.5,"
		"\"total_input_tokens\": null, \"total_output_tokens\": 12345,"
		"\"request_throughput\": 2.0, \"request_goodput\": 0.6667,"
		"\"output_throughput\": 8230, \"max_output_tokens_per_s\": 99.0,"
		"\"max_concurrent_requests\": 5, \"peak_in_flight\": 4, \"rtfx\": null,"
		"\"total_token_throughput\": null, \"mean_ttft_ms\": 1,"
		"\"median_ttft_ms\": 2, \"p99.9_ttft_ms\": 3, \"p50_ttft_ms\": 4,"
		"\"mean_client_queue_time_ms\": 5}");
	struct vllm_bench bench;
	auto_buf buf = { 0 };

	(void)state;
	pl_buf_init(&buf, 1u << 16);
	vllm_bench_init(&bench);
	bench.max_concurrency = 4;
	bench.request_rate = 2.5;
	bench.goodput = parse("[\"ttft:200\"]");
	set_text(&bench.metric_percentiles, "99.9,50");
	set_text(&bench.percentile_metrics,
		 "ttft,nothing,client_queue_time,e2el_including_client_queue");
	res_report_table(results, &bench, &buf);
	assert_string_equal(pl_buf_text(&buf), expected);
	vllm_bench_done(&bench);
	json_decref(results);
}

/* What vLLM selects when nothing is asked, and that it does not trim names. */
static void test_sections(void **state)
{
	static const struct {
		const char *asked;
		bool ttft, tpot, itl, e2el, queue;
	} cases[] = {
		{ NULL, true, true, true, false, false },
		{ "", false, false, false, false, false },
		{ "e2el", false, false, false, true, false },
		{ "ttft, e2el", true, false, false, false, false },
		{ "client_queue_time,itl", false, false, true, false, false },
		{ "ttft_ms", false, false, false, false, false },
	};
	json_t *results = json_object();

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		struct vllm_bench bench;
		auto_buf buf = { 0 };
		pl_buf_init(&buf, 1u << 16);
		vllm_bench_init(&bench);
		set_text(&bench.percentile_metrics, cases[i].asked);
		res_report_table(results, &bench, &buf);
		const char *text = pl_buf_text(&buf);
		assert_int_equal(strstr(text, "Mean TTFT") != NULL, cases[i].ttft);
		assert_int_equal(strstr(text, "Mean TPOT") != NULL, cases[i].tpot);
		assert_int_equal(strstr(text, "Mean ITL") != NULL, cases[i].itl);
		assert_int_equal(strstr(text, "Mean E2EL") != NULL, cases[i].e2el);
		assert_int_equal(strstr(text, "Client Queue") != NULL, cases[i].queue);
		vllm_bench_done(&bench);
	}
	json_decref(results);
}

/* The planned TTFT has its section from the first figure on that lies more than 5 % from TTFT's. */
static void test_planned(void **state)
{
	static const struct {
		const char *asked;
		double mean, median, p99;
		bool shown;
		int64_t max_concurrency; /* 0: none */
	} cases[] = {
		/* at rate inf under a cap it is the wait for a free slot */
		{ NULL, 200, 200, 200, false, 8 },      { NULL, 100, 100, 100, false, 0 },
		{ NULL, 104.9, 104.9, 95.1, false, 0 }, { NULL, 105.1, 100, 100, true, 0 },
		{ NULL, 100, 105.1, 100, true, 0 },     { NULL, 100, 100, 105.1, true, 0 },
		{ NULL, 100, 94.9, 100, true, 0 },      { "itl", 200, 200, 200, false, 0 },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		auto_json json_t *results = json_pack(
			"{s:i, s:i, s:i, s:f, s:f, s:f, s:f}", "mean_ttft_ms", 100,
			"median_ttft_ms", 100, "p99_ttft_ms", 100, "mean_ttft_planned_ms",
			cases[i].mean, "median_ttft_planned_ms", cases[i].median,
			"p99_ttft_planned_ms", cases[i].p99, "p50_ttft_planned_ms", 999.0);
		auto_free char *line = pl_asprintf(
			"P99 Planned TTFT (ms):                   %-10.2f\n", cases[i].p99);
		struct vllm_bench bench;
		auto_buf buf = { 0 };
		pl_buf_init(&buf, 1u << 16);
		vllm_bench_init(&bench);
		set_text(&bench.percentile_metrics, cases[i].asked);
		if (cases[i].max_concurrency > 0)
			bench.max_concurrency = cases[i].max_concurrency;
		res_report_table(results, &bench, &buf);
		const char *text = pl_buf_text(&buf);
		assert_int_equal(strstr(text, "Planned Time to First Token") != NULL,
				 cases[i].shown);
		assert_int_equal(strstr(text, line) != NULL, cases[i].shown);
		assert_false(res_report_shows("ttft_planned_ms", &bench));
		vllm_bench_done(&bench);
	}
}

static json_t *result_with(const char *status, const char *verdict, json_t *checks)
{
	return json_pack("{s:s, s:{s:i}, s:{s:s?, s:o}}", "status", status, "results", "completed",
			 verdict != NULL ? 3 : 0, "quality", "verdict", verdict, "checks", checks);
}

static void test_verdict(void **state)
{
	json_t *checks = parse(
		"[{\"id\": \"a\", \"status\": \"ok\", \"effect\": \"degraded\", \"value\": 1,"
		" \"limit\": 2, \"unit\": \"ms\", \"text\": \"fine\"},"
		"{\"id\": \"b\", \"status\": \"beyond\", \"effect\": \"degraded\", \"value\": "
		"12.345,"
		" \"limit\": 3.0, \"unit\": \"ms\", \"text\": \"late\"},"
		"{\"id\": \"c\", \"status\": \"beyond\", \"effect\": \"info\", \"value\": 7,"
		" \"limit\": 0, \"unit\": \"count\", \"text\": \"failed requests\"},"
		"{\"id\": \"d\", \"status\": \"unknown\", \"effect\": \"degraded\", \"value\": "
		"null,"
		" \"limit\": 1, \"unit\": \"ms\", \"text\": \"not known\"}]");
	auto_json json_t *result = result_with("completed", "degraded", checks);
	auto_json json_t *empty = result_with("completed", NULL, json_array());
	auto_buf buf = { 0 };

	(void)state;
	pl_buf_init(&buf, 1u << 16);
	res_report_verdict(result, false, &buf);
	assert_string_equal(pl_buf_text(&buf), "Verdict: degraded\n"
					       "  client error not known; load not known\n"
					       "  degraded: b: value 12.35 ms, limit 3 ms (late)\n"
					       "  info: c: value 7, limit 0 (failed requests)\n");
	pl_buf_clear(&buf);
	res_report_verdict(result, true, &buf);
	assert_non_null(strstr(pl_buf_text(&buf), "Verdict: \033[33mdegraded\033[0m\n"));
	pl_buf_clear(&buf);
	res_report_verdict(empty, true, &buf);
	assert_string_equal(pl_buf_text(&buf), "Verdict: none, nothing was measured\n");
	pl_buf_clear(&buf);
	json_object_set_new(json_object_get(empty, "results"), "completed", json_integer(2));
	res_report_verdict(empty, true, &buf);
	assert_string_equal(pl_buf_text(&buf),
			    "Verdict: none, too little is known of what was measured\n"
			    "  client error not known; load not known\n");
}

static json_t *check_with(const char *id, const char *status, double value, double limit)
{
	bool info = pl_text_equal(id, "client_cpu") || pl_text_equal(id, "short_run");

	return json_pack("{s:s, s:s, s:s, s:f, s:f, s:s, s:s}", "id", id, "status", status,
			 "effect", info ? "info" : "degraded", "value", value, "limit", limit,
			 "unit", "share", "text", "why");
}

/* Without the breaks of a terminal. The caller's (free()). */
static char *unwrapped(const char *text)
{
	char *line = pl_strdup(text);
	char *end = line;

	for (const char *c = text; *c != '\0'; c++) {
		*end++ = *c == '\n' ? ' ' : *c;
		if (*c == '\n')
			c += strspn(c + 1, " ");
	}
	*end = '\0';
	return line;
}

/* What is beyond its limit in each case, and what is read then. */
static void test_sentence(void **state)
{
	static const struct {
		const char *figure;
		double share, lo, hi;
		const char *error, *rate, *gaps; /* status of client_error, rate_…, gap_distance */
		const char *sentence;
		bool explained;
	} cases[] = {
		{ "p99_ttft_ms", 0.00098, -0.0213, 0.005, "ok", "ok", "ok",
		  "client error at most 0.022 ms (0.098 %) on p99 TTFT; load as asked", false },
		{ "mean_first_token_ms", 0, 0, 0, "ok", "unknown", "ok",
		  "client error at most 0 ms (0 %) on mean First Token; load as asked", false },
		/* a nanosecond is not more than a microsecond */
		{ "p90_itl_ms", 1e-9, 0, 1e-6, "ok", "ok", "unknown",
		  "client error at most 0.001 ms (0.01 %) on p90 ITL; load as asked", false },
		{ "median_e2el_ms", 1.25, -1, 1234.5, "beyond", "ok", "ok",
		  "client error at most 1235 ms (125 %) on median E2EL; load as asked", true },
		{ "p90_itl_ms", 1.5e8, -1, 153.4, "beyond", "ok", "ok",
		  "client error at most 154 ms (over 1000 %) on p90 ITL; load as asked", true },
		{ "p99_ttft_ms", 0.001, -1, 2, "ok", "ok", "beyond",
		  "client error at most 2 ms (0.1 %) on p99 TTFT; load off: gap_distance 0.14\n"
		  "    (limit 0.1)",
		  true },
		{ "p99_ttft_ms", 0.001, -1, 2, "ok", "beyond", "unknown",
		  "client error at most 2 ms (0.1 %) on p99 TTFT; rate not reached: 0.5 (limit\n"
		  "    0.98)",
		  true },
		{ "p99_ttft_ms", 0.001, -1, 2, "ok", "beyond", "beyond",
		  "client error at most 2 ms (0.1 %) on p99 TTFT; rate not reached: 0.5 (limit\n"
		  "    0.98); load off: gap_distance 0.14 (limit 0.1)",
		  true },
		{ NULL, 0, 0, 0, "unknown", "unknown", "unknown",
		  "client error not known; load not known", true },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		json_t *measurement = cases[i].figure == NULL
					      ? json_null()
					      : json_pack("{s:s, s:f, s:f, s:f}", "worst_figure",
							  cases[i].figure, "share", cases[i].share,
							  "lo", cases[i].lo, "hi", cases[i].hi);
		auto_json json_t *result = result_with("completed", "degraded", json_array());
		json_t *quality = json_object_get(result, "quality");
		json_t *checks = json_object_get(quality, "checks");
		auto_free char *wanted = pl_asprintf("Verdict: degraded\n  %s\n",
						     cases[i].sentence);
		auto_buf buf = { 0 };
		json_object_set_new(quality, "measurement", measurement);
		json_array_append_new(checks,
				      check_with("client_error", cases[i].error, 0.03, 0.02));
		json_array_append_new(checks,
				      check_with("rate_shortfall", cases[i].rate, 0.5, 0.98));
		json_array_append_new(checks, check_with("gap_distance", cases[i].gaps, 0.14, 0.1));
		json_array_append_new(checks, check_with("client_cpu", "beyond", 0.9, 0.8));
		json_array_append_new(checks, check_with("short_run", "beyond", 2, 10));
		pl_buf_init(&buf, 1u << 16);
		res_report_verdict(result, false, &buf);
		const char *text = pl_buf_text(&buf);
		if (!pl_text_starts(text, wanted))
			fail_msg("case %zu: %s is not %s", i, text, wanted);
		auto_free char *line = unwrapped(cases[i].sentence);
		auto_buf sentence = PL_BUF(1u << 16);
		res_report_sentence(result, &sentence);
		assert_string_equal(pl_buf_text(&sentence), line);
		json_object_set_new(json_object_get(result, "results"), "completed",
				    json_integer(0));
		auto_buf none = PL_BUF(1u << 16);
		res_report_sentence(result, &none);
		assert_int_equal(none.len, 0);
		/* a client's state explains; of itself it is nothing to read of */
		assert_int_equal(strstr(text, "  info: client_cpu: value 0.9, limit 0.8") != NULL,
				 cases[i].explained);
		assert_non_null(strstr(text, "  info: short_run: "));
		assert_int_equal(strstr(text, "degraded: client_error: ") != NULL,
				 pl_text_equal(cases[i].error, "beyond"));
	}
}

/* Of every status: only a run that came to its end has a verdict, and the line fits into 80. */
static void test_verdict_of_status(void **state)
{
	static const char *const verdicts[] = { "trusted", "degraded", "client_limited" };
	auto_buf buf = { 0 };

	(void)state;
	pl_buf_init(&buf, 1u << 16);
	for (unsigned i = 0; i < RES_STATUS_COUNT * PL_ARRAY_SIZE(verdicts); i++) {
		enum res_status status = (enum res_status)(i / PL_ARRAY_SIZE(verdicts));
		const char *verdict = verdicts[i % PL_ARRAY_SIZE(verdicts)];
		auto_json json_t *result = result_with(res_status_name(status), verdict,
						       json_array());
		auto_free char *bare = pl_asprintf("Verdict: %s\n", verdict);
		pl_buf_clear(&buf);
		res_report_verdict(result, false, &buf);
		assert_int_equal(pl_text_starts(pl_buf_text(&buf), bare),
				 status == RES_STATUS_COMPLETED);
		assert_true(strcspn(pl_buf_text(&buf), "\n") <= 80);
	}
	auto_json json_t *result = result_with("timeout", "trusted", json_array());
	pl_buf_clear(&buf);
	res_report_verdict(result, true, &buf);
	assert_string_equal(pl_buf_text(&buf), "Verdict: no verdict on a run that timed out; what "
					       "was measured: trusted\n"
					       "  client error not known; load not known\n");
}

/* Further lines stand under the first; colours take no columns. */
static void test_verdict_wraps(void **state)
{
	auto_json json_t *result = parse(
		"{\"quality\": {\"verdict\": \"degraded\", \"checks\": [{\"id\": "
		"\"prefix_hits\", \"status\": "
		"\"beyond\", \"effect\": \"degraded\", \"value\": 0.37, \"limit\": 0.02, \"unit\": "
		"\"share\", \"text\": \"hits above those that the data set itself brings: prompts "
		"were "
		"seen before\"}]}}");
	auto_buf buf = { 0 };

	(void)state;
	for (int colour = 0; colour < 2; colour++) {
		const char *on = colour ? "\033[33m" : "", *off = colour ? "\033[0m" : "";
		auto_free char *wanted = pl_asprintf(
			"Verdict: %sdegraded%s\n"
			"  %sdegraded%s: prefix_hits: value 0.37, limit 0.02 (hits above those "
			"that "
			"the data\n"
			"    set itself brings: prompts were seen before)\n",
			on, off, on, off);
		pl_buf_init(&buf, 1u << 16);
		res_report_verdict(result, colour == 1, &buf);
		assert_string_equal(pl_buf_text(&buf), wanted);
		pl_buf_done(&buf);
	}
}

/* As vLLM prints them: of those that failed the first ten. */
static void test_first_failures(void **state)
{
	struct res_record records[14];
	auto_buf buf = PL_BUF(1u << 16), wanted = PL_BUF(1u << 16);

	(void)state;
	pl_buf_add_text(&wanted,
			"Failed requests during benchmark run detected (capping to 10):\n");
	for (uint64_t i = 0; i < PL_ARRAY_SIZE(records); i++) {
		res_record_init(&records[i], i);
		records[i].ok = i == 1;
		records[i].error = i == 0 ? NULL : pl_asprintf("fault %d", (int)i);
		if (i != 1 && i <= 10)
			pl_buf_addf(&wanted, "Error %d: %s\n", i == 0 ? 0 : (int)i - 1,
				    i == 0 ? "" : records[i].error);
	}
	res_report_first_failures(&records[1], 1, &buf);
	assert_string_equal(pl_buf_text(&buf), "");
	res_report_first_failures(&records[2], 1, &buf);
	assert_string_equal(pl_buf_text(&buf), "Failed requests during benchmark run detected "
					       "(capping to 10):\nError 0: fault 2\n");
	pl_buf_clear(&buf);
	res_report_first_failures(records, 11, &buf);
	assert_string_equal(pl_buf_text(&buf), pl_buf_text(&wanted));
	pl_buf_clear(&buf);
	res_report_first_failures(records, PL_ARRAY_SIZE(records), &buf);
	assert_string_equal(pl_buf_text(&buf), pl_buf_text(&wanted));
	for (size_t i = 0; i < PL_ARRAY_SIZE(records); i++)
		res_record_done(&records[i]);
}

static void test_failures(void **state)
{
	json_t *results = parse("{\"errors\": []}");
	auto_buf buf = { 0 };

	(void)state;
	pl_buf_init(&buf, 1u << 16);
	res_report_failures(results, &buf);
	assert_string_equal(pl_buf_text(&buf), "");
	json_t *errors = json_object_get(results, "errors");
	json_array_append_new(errors, parse("{\"kind\": \"http_status\", \"status\": 503,"
					    "\"count\": 3, \"sample\": \"busy\\nlater\"}"));
	json_array_append_new(errors, parse("{\"kind\": \"timeout\", \"status\": null,"
					    "\"count\": 1, \"sample\": null}"));
	res_report_failures(results, &buf);
	assert_string_equal(pl_buf_text(&buf), "Failed requests by kind:\n"
					       "  3 x http_status 503: busy later\n"
					       "  1 x timeout\n");
	pl_buf_clear(&buf);
	json_object_set_new(json_array_get(errors, 0), "count", json_integer(0));
	json_object_set_new(json_array_get(errors, 0), "retried", json_integer(4));
	res_report_failures(results, &buf);
	assert_string_equal(pl_buf_text(&buf), "Failed requests by kind:\n"
					       "  1 x timeout\n"
					       "Failed tries that another one followed, by kind:\n"
					       "  4 x http_status 503: busy later\n");
	json_array_clear(errors);
	json_array_append_new(errors, parse("{\"kind\": \"timeout\", \"count\": 1}"));
	json_array_append_new(errors, parse("{\"kind\": \"timeout\", \"count\": 1}"));
	pl_buf_clear(&buf);
	for (int i = 0; i < 10; i++)
		json_array_append_new(errors, parse("{\"kind\": \"reset\", \"count\": 1}"));
	res_report_failures(results, &buf);
	const char *text = pl_buf_text(&buf);
	size_t lines = 0;
	for (const char *at = text; (at = strchr(at, '\n')) != NULL; at++)
		lines++;
	assert_int_equal(lines, 11);
	json_decref(results);
}

/* A run of the reference client, from its per-request arrays to its console table. */

static double item(const json_t *detail, const char *key, size_t i)
{
	return json_number_value(json_array_get(json_object_get(detail, key), i));
}

static void record_of(const json_t *detail, size_t i, struct res_record *record)
{
	const json_t *gaps = json_array_get(json_object_get(detail, "itls"), i);
	size_t count = json_array_size(gaps) + 1;

	res_record_init(record, i);
	record->ok = true;
	record->acted_ns = llround(item(detail, "start_times", i) * 1e9);
	record->planned_ns = record->acted_ns;
	record->prompt_tokens = (int64_t)item(detail, "input_lens", i);
	record->output_tokens = (int64_t)item(detail, "output_lens", i);
	record->events = pl_alloc_array(count, sizeof(*record->events));
	for (size_t j = 0; j < count; j++) {
		double gap = j == 0 ? item(detail, "ttfts", i)
				    : json_number_value(json_array_get(gaps, j - 1));
		record->event_count += res_event_encode(record->events + j, 1, llround(gap * 1e9),
							1, RES_EVENT_CONTENT);
	}
}

static char *table_of_run(const json_t *detail)
{
	size_t count = json_array_size(json_object_get(detail, "ttfts"));
	auto_free struct res_record *records = pl_alloc_array(count, sizeof(*records));
	double percentiles[] = { 25, 50, 90, 99 };
	struct vllm_bench bench;
	auto_buf buf = { 0 };

	pl_buf_init(&buf, 1u << 16);
	for (size_t i = 0; i < count; i++)
		record_of(detail, i, &records[i]);
	const struct res_outcome outcome = {
		.records = records,
		.count = count,
		.end_ns = llround(json_number_value(json_object_get(detail, "duration")) * 1e9),
		.inflight_peak = OPTION_NO_I64,
	};
	const struct res_how how = {
		.percentiles = percentiles,
		.percentile_count = PL_ARRAY_SIZE(percentiles),
		.slo = { 200, 50, NAN },
		.max_concurrency = OPTION_NO_I64,
		.finite_rate = true,
	};
	json_t *results = res_metrics_compute(&outcome, &how);
	vllm_bench_init(&bench);
	bench.request_rate = 20;
	bench.goodput = parse("[\"ttft:200\", \"tpot:50\"]");
	set_text(&bench.percentile_metrics, "ttft,tpot,itl,e2el");
	set_text(&bench.metric_percentiles, "25,50,90,99");
	res_report_table(results, &bench, &buf);
	vllm_bench_done(&bench);
	json_decref(results);
	for (size_t i = 0; i < count; i++)
		res_record_done(&records[i]);
	return pl_buf_take(&buf);
}

static void test_real_run(void **state)
{
	skip_without_test_data();
	auto_free char *detail_path = test_data_path("data/real/bench/py-random.json");
	auto_free char *console_path = test_data_path("data/real/bench/py-random.console.txt");
	auto_free char *console = NULL;
	struct pl_err err = PL_ERR_INIT;
	auto_json json_t *detail = NULL;

	(void)state;
	assert_true(pl_file_exists(detail_path));
	assert_int_equal(pl_json_read_file(detail_path, &detail, &err), 0);
	assert_int_equal(pl_file_read(console_path, 1u << 20, &console, NULL, &err), 0);
	auto_free char *table = table_of_run(detail);
	if (strstr(console, table) == NULL)
		fail_msg("the console has no such table:\n%s", table);
}

/* A run with probes has a section of its own for them. */
static void test_probes(void **state)
{
	auto_json json_t *results = json_pack("{s:i, s:i, s:f}", "probe_completed", 7,
					      "probe_failed", 1, "probe_median_e2el_ms", 12.5);
	struct vllm_bench bench;
	auto_buf buf = PL_BUF(1 << 16);

	(void)state;
	vllm_bench_init(&bench);
	res_report_table(results, &bench, &buf);
	const char *title = strstr(pl_buf_text(&buf), "Probe Requests---");
	assert_non_null(title);
	const char *count = strstr(title, "\nProbe requests completed:");
	assert_non_null(count);
	assert_int_equal(strtol(count + strlen("\nProbe requests completed:"), NULL, 10), 7);
	vllm_bench_done(&bench);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table),          cmocka_unit_test(test_sections),
		cmocka_unit_test(test_planned),        cmocka_unit_test(test_verdict),
		cmocka_unit_test(test_sentence),       cmocka_unit_test(test_verdict_of_status),
		cmocka_unit_test(test_verdict_wraps),  cmocka_unit_test(test_failures),
		cmocka_unit_test(test_first_failures), cmocka_unit_test(test_real_run),
		cmocka_unit_test(test_probes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
