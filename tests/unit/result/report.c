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

/* vLLM's default selection; vLLM does not trim names. */
static void test_sections(void **state)
{
	static const struct {
		const char *requested;
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
		set_text(&bench.percentile_metrics, cases[i].requested);
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
		const char *requested;
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
		set_text(&bench.percentile_metrics, cases[i].requested);
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

#define CLIENT_OK                                                                            \
	"{'id': 'client_error', 'status': 'passed', 'value': 0.001, 'limit': 0.02, 'unit': " \
	"'share',"                                                                           \
	" 'effect': 'degraded', 'text': 't'}"
#define RATE_OK                                                                                    \
	"{'id': 'rate_shortfall', 'status': 'passed', 'value': 1, 'limit': 0.98, 'unit': 'share'," \
	" 'effect': 'degraded', 'text': 't'}"
#define MEASURED "{'metric': 'p99_ttft_ms', 'share': 0.00098, 'lo': -0.0213, 'hi': 0.005}"
#define OVER(id, value, limit, unit, effect)                                           \
	"{'id': '" id "', 'status': 'over_limit', 'value': " value ", 'limit': " limit \
	", 'unit': '" unit "', 'effect': '" effect "', 'text': 'of its version'}"
#define CHECKED(verdict, measurement, checks)                                                  \
	"{'status': 'completed', 'results': {'completed': 3}, 'quality': {'verdict': " verdict \
	", 'measurement': " measurement ", 'checks': [" checks "]}}"

#define AT_SERVER(kind, checks)                                                                  \
	"{'status': 'completed', 'results': {'completed': 3}, 'config': {'benchmark': {'kind': " \
	"'" kind "'}}, 'quality': {'verdict': 'degraded', 'checks': [" checks "]}}"

#define SIMULATED(verdict, checks)                                                           \
	"{'status': 'completed', 'results': {'completed': 3}, 'environment': {'engine': "    \
	"{'simulated': true}}, 'quality': {'verdict': " verdict ", 'measurement': " MEASURED \
	", 'checks': [" checks "]}}"
#define SIMULATOR OVER("simulated", "1", "0", "yes", "info")

/* Each kind of result: its console line, its sentences, and the checks that the console notes. */
static const struct ruling_case {
	const char *document; /* ' for " */
	const char *verdict;
	const char *sentences;
	const char *notes[3];
} ruling_cases[] = {
	{ CHECKED("'trusted'", MEASURED, CLIENT_OK ", " RATE_OK),
	  "trusted",
	  "You can rely on these metrics.\n"
	  "The load generator changed p99 TTFT, the most affected metric, by at most 0.022 ms "
	  "(0.098 %), and the server received the configured load.\n"
	  "No action is "
	  "needed.",
	  { NULL } },
	/* a simulator: the sentences name it, the notes do not repeat it */
	{ SIMULATED("'trusted'", CLIENT_OK ", " RATE_OK ", " SIMULATOR),
	  "trusted",
	  "The measurement is sound, but the server is simulated: these metrics do not "
	  "describe a real engine.\n"
	  "The load generator changed p99 TTFT, the most affected metric, by at most 0.022 ms "
	  "(0.098 %), and the server received the configured load.\n"
	  "Measure a real server "
	  "before you draw conclusions about hardware.",
	  { NULL } },
	{ SIMULATED("'degraded'", OVER("failures", "0.1", "0.01", "share",
				       "degraded") ", " CLIENT_OK ", " RATE_OK ", " SIMULATOR),
	  "degraded",
	  "Use these metrics only to try out ProfLLM: the server is simulated, and the measurement "
	  "is degraded.\n"
	  "Some requests failed and are not part of the latencies (failures: found 10 %, expected "
	  "at most 1 %).\n"
	  "Read the errors of the failed requests, then repeat the run.",
	  { NULL } },
	{ SIMULATED("'client_limited'",
		    OVER("client_error", "0.1", "0.02", "share", "client_limited") ", " RATE_OK),
	  "client_limited",
	  "Do not use these metrics: they describe the load generator, not the server. The server "
	  "is simulated.\n"
	  "The load generator may have changed p99 TTFT by up to 0.022 ms (0.098 %), "
	  "more than the limit of 2 % (client_error).\n"
	  "Run the client on idle CPU cores, raise benchmark.threads (--threads), or send less "
	  "load.",
	  { NULL } },
	/* the absolute limit applies, because 2 % of the metric is less */
	{ CHECKED("'degraded'", "{'metric': 'p99_itl_ms', 'share': 0.042, 'lo': -0.01, 'hi': 0.12}",
		  OVER("client_error", "0.042", "0.035", "share", "degraded") ", " RATE_OK),
	  "degraded",
	  "Use these metrics with care.\n"
	  "The load generator may have changed p99 ITL by up to 0.12 ms (4.2 %), more than the "
	  "limit of 0.1 ms (3.5 %) (client_error).\n"
	  "Run the client on idle CPU cores, raise benchmark.threads (--threads), or send less "
	  "load.",
	  { NULL } },
	/* a state of the client alone causes no note; other checks over their limits do */
	{ CHECKED("'trusted'", MEASURED,
		  CLIENT_OK ", " RATE_OK
			    ", " OVER("client_cpu", "0.9", "0.8", "share",
				      "info") ", " OVER("short_run", "2", "10", "s", "info")),
	  "trusted",
	  "You can rely on these metrics.\n"
	  "The load generator changed p99 TTFT, the most affected metric, by at most 0.022 ms "
	  "(0.098 %), and the server received the configured load.\n"
	  "No action is "
	  "needed; read the note on short_run.",
	  { "  note: The run was short", "(short_run: found 2 s, expected at least 10 s)." } },
	{ CHECKED("'degraded'",
		  "{'metric': 'median_e2el_ms', 'share': 1.25, 'lo': -1, 'hi': 1234.5}",
		  OVER("client_error", "1.25", "0.02", "share", "degraded") ", " RATE_OK ", " OVER(
			  "client_cpu", "0.9", "0.8", "share", "info")),
	  "degraded",
	  "Use these metrics with care.\n"
	  "The load generator may have changed median E2EL by up to 1235 ms (125 %), more "
	  "than the limit of 2 % (client_error).\n"
	  "Run the client on idle CPU cores, raise benchmark.threads (--threads), or send less "
	  "load.",
	  { "  note: A worker", "(client_cpu: found 90 %, expected at most 80 %)." } },
	/* the worst check is the reason, the other one follows */
	{ CHECKED("'client_limited'", MEASURED,
		  OVER("throttling", "0.5", "0.01", "share", "degraded") ", " OVER(
			  "rate_shortfall", "0.5", "0.98", "share", "client_limited")),
	  "client_limited",
	  "Do not use these metrics: they describe the load generator, not the server.\n"
	  "The load generator sent requests more slowly than the configured rate (rate_shortfall: "
	  "found 50 %, expected at least 98 %).\n"
	  "Raise benchmark.threads (--threads), give the client idle CPU cores, or lower "
	  "benchmark.request_rate (--request-rate).",
	  { "  degraded: A GPU lowered", "(throttling: found 50 %, expected at most 1 %)." } },
	{ CHECKED("'degraded'", MEASURED,
		  CLIENT_OK ", " RATE_OK
			    ", " OVER("record_identity", "12.5", "1", "us", "degraded")),
	  "degraded",
	  "Use these metrics with care.\n"
	  "The times of a request contradict each other (record_identity: found 12.5 µs, expected "
	  "at "
	  "most 1 µs).\n"
	  "Do not use its latencies; report the result file as a bug of profllm.",
	  { NULL } },
	{ CHECKED("'degraded'", MEASURED,
		  CLIENT_OK ", " RATE_OK
			    ", " OVER("config_mismatch", "2", "0", "count", "degraded")),
	  "degraded",
	  "Use these metrics with care.\n"
	  "The server runs with other values than the configured arguments (config_mismatch: found "
	  "2, "
	  "expected 0).\n"
	  "Compare the arguments and the server log, correct the configuration, then repeat the "
	  "run.",
	  { NULL } },
	{ CHECKED("'degraded'", MEASURED, OVER("foreign_load", "1", "0", "yes", "degraded")),
	  "degraded",
	  "Use these metrics with care.\n"
	  "Other requests or processes used the server or its GPUs during the run (foreign_load); "
	  "the result does not record how far the client changed the metrics, or whether the "
	  "server received the configured load.\n"
	  "Stop them ('profllm gpus' lists the processes), then repeat the run.",
	  { NULL } },
	/* a check of the machine that lowers the verdict is shown although the client was fine */
	{ CHECKED("'degraded'", MEASURED,
		  CLIENT_OK ", " RATE_OK
			    ", " OVER("host_steal", "0.2", "0.05", "share", "degraded")),
	  "degraded",
	  "Use these metrics with care.\n"
	  "The hypervisor took CPU time from the client's machine (host_steal: found 20 %, "
	  "expected at "
	  "most 5 %).\n"
	  "Run the client on a machine with dedicated CPU cores.",
	  { NULL } },
	/* files of other versions */
	{ CHECKED("'degraded'", MEASURED, OVER("moon_phase", "7", "3", "ms", "degraded")),
	  "degraded",
	  "Use these metrics with care.\n"
	  "Of its version (moon_phase: found 7 ms, limit 3 ms); " /* check-words: allow of-opening */
	  "the result does not record how far the client changed the metrics, or whether the "
	  "server received the configured load.\nLook up this check in the documentation of the "
	  "version that wrote the file.",
	  { NULL } },
	{ CHECKED("'client_limited'", MEASURED, CLIENT_OK ", " RATE_OK),
	  "client_limited",
	  "Do not use these metrics: they describe the load generator, not the server.\n"
	  "The file records the verdict 'client_limited', but none of its checks gives this "
	  "verdict.\n"
	  "Check which program wrote or changed the file; measure again with 'profllm run'.",
	  { NULL } },
	{ CHECKED("'degraded'", "null", ""),
	  "degraded",
	  "Use these metrics with care.\n"
	  "The file records the verdict 'degraded', but has no checks.\n"
	  "Check which program wrote or changed the file; measure again with 'profllm run'.",
	  { NULL } },
	{ CHECKED("'trusted'", MEASURED, OVER("profiled", "1", "0", "yes", "degraded")),
	  "trusted",
	  "Use these metrics with care.\n"
	  "The file records the verdict 'trusted', but its checks give the worse verdict "
	  "'degraded', which applies: the profiler slowed the server down (profiled).\n"
	  "Repeat the run with benchmark.profile false (without --profile).",
	  { NULL } },
	{ CHECKED("'degraded'", MEASURED, OVER("profiled", "1", "0", "yes", "client_limited")),
	  "degraded",
	  "Do not use these metrics: they describe the load generator, not the server.\n"
	  "The file records the verdict 'degraded', but its checks give the worse verdict "
	  "'client_limited', which applies: the profiler slowed the server down (profiled).\n"
	  "Repeat the run with benchmark.profile false (without --profile).",
	  { NULL } },
	{ CHECKED("'client_limited'", MEASURED, OVER("profiled", "1", "0", "yes", "degraded")),
	  "client_limited",
	  "Do not use these metrics: they describe the load generator, not the server.\n"
	  "The recorded verdict 'client_limited' applies, although the checks in the file support "
	  "only 'degraded': "
	  "the profiler slowed the server down (profiled).\n"
	  "Repeat the run with benchmark.profile false (without --profile).",
	  { NULL } },
	/* an offline benchmark at a server: its own options, and no flags that it refuses */
	{ AT_SERVER("latency", OVER("short_run", "3", "10", "s", "degraded") ", " CLIENT_OK),
	  "degraded",
	  "Use these metrics with care.\n"
	  "The run was short, so its start and end weigh heavily (short_run: found 3 s, expected "
	  "at "
	  "least 10 s); the result does not record whether the server received the configured "
	  "load.\n"
	  "Raise benchmark.num_iters (--num-iters) until the run lasts at least 10 s and 3 times "
	  "the "
	  "mean E2EL.",
	  { NULL } },
	{ AT_SERVER("latency", OVER("client_queueing", "9", "3", "ms", "degraded")),
	  "degraded",
	  "Use these metrics with care.\n"
	  "Received bytes waited before the client read them (client_queueing: found 9 ms, "
	  "expected "
	  "at most 3 ms); the result does not record how far the client changed the metrics, or "
	  "whether the server received the configured load.\n"
	  "Run the client on idle CPU cores, or raise benchmark.threads.",
	  { NULL } },
	{ AT_SERVER("throughput", OVER("short_run", "3", "10", "s", "degraded") ", " RATE_OK),
	  "degraded",
	  "Use these metrics with care.\n"
	  "The run was short, so its start and end weigh heavily (short_run: found 3 s, expected "
	  "at "
	  "least 10 s); the result does not record how far the client changed the metrics.\n"
	  "Raise benchmark.num_prompts (--num-prompts) until the run lasts at least 10 s and 3 "
	  "times "
	  "the mean E2EL.",
	  { NULL } },
	{ CHECKED("'excellent'", "null", ""),
	  "excellent",
	  "The verdict 'excellent' is unknown to this version of profllm.\n"
	  "The file records the verdict 'excellent', but has no checks.\n"
	  "Check which program wrote or changed the file; measure again with 'profllm run'.",
	  { NULL } },
	/* no verdict */
	{ CHECKED("null", "null", "{'id': 'failures', 'status': 'passed', 'value': 0, 'limit': 0}"),
	  "none",
	  "It is unknown whether you can rely on these metrics.\n"
	  "The result does not record how far the client changed the metrics, or whether the "
	  "server "
	  "received the configured load.\n"
	  "To get a verdict, measure with 'profllm run' or 'profllm bench'.",
	  { NULL } },
	{ CHECKED("null", "null", CLIENT_OK),
	  "none",
	  "It is unknown whether you can rely on these metrics.\n"
	  "The result does not record whether the server received the configured load.\n"
	  "To get a verdict, measure with 'profllm run' or 'profllm bench'.",
	  { NULL } },
	{ "{'status': 'completed', 'results': {'requests_per_second': 3}, 'config': {'benchmark': "
	  "{'kind': 'throughput'}}, 'quality': {'verdict': null, 'checks': []}}",
	  "none",
	  "It is unknown whether you can rely on these metrics.\n"
	  "An offline benchmark has no load generator to check.\n"
	  "Repeat the run, and compare the results.",
	  { NULL } },
	{ "{'results': {'completed': 3}}",
	  "none",
	  "It is unknown whether you can rely on these metrics.\n"
	  "The result has no quality checks.\n"
	  "To get a verdict, measure with 'profllm run' or 'profllm bench'.",
	  { NULL } },
	/* nothing measured, or not all */
	{ "{'status': 'partial', 'results': {'completed': 0, 'failed': 12}}",
	  "none",
	  "There are no metrics: this is a partial run.\n"
	  "12 requests failed.\n"
	  "Correct the errors, then repeat the run.",
	  { NULL } },
	{ "{'status': 'launch_failed', 'results': null, 'error': {'message': 'server exited with "
	  "status "
	  "1', 'hint': 'lower max_model_len'}}",
	  "none",
	  "There are no metrics: the server did not start.\n"
	  "Server exited with status 1.\n"
	  "Lower "
	  "max_model_len.",
	  { NULL } },
	/* a running server that does not respond: nothing was launched */
	{ "{'status': 'launch_failed', 'results': null, 'error': {'message': 'the server does not "
	  "respond', 'cause': 'unreachable', 'hint': 'check the address'}}",
	  "none",
	  "There are no metrics: the server did not respond.\n"
	  "The server does not respond.\n"
	  "Check the address.",
	  { NULL } },
	/* the concurrency limit held a finite rate back, which is not the configured load */
	{ CHECKED("'trusted'", MEASURED,
		  CLIENT_OK ", " RATE_OK
			    ", " OVER("concurrency_limited", "0.5", "0.05", "share", "info")),
	  "trusted",
	  "You can rely on these metrics.\n"
	  "The load generator changed p99 TTFT, the most affected metric, by at most 0.022 ms "
	  "(0.098 %), and the server received the load that max_concurrency allowed.\n"
	  "No action is needed; read the note on concurrency_limited.",
	  { "  note: max_concurrency delayed requests" } },
	{ "{'status': 'interrupted', 'results': {'completed': 3}, 'error': {'message': 'stopped by "
	  "SIGINT',"
	  " 'hint': 'run it again'}, 'quality': {'verdict': 'trusted', 'checks': []}}",
	  "none",
	  "Do not compare these metrics with others: they belong to an interrupted run.\n"
	  "Stopped by SIGINT; for the finished requests alone, the verdict is 'trusted'.\n"
	  "Run it again.",
	  { NULL } },
};

static json_t *document_of(const char *quoted)
{
	auto_free char *text = pl_strdup(quoted);

	for (char *c = text; *c != '\0'; c++) {
		if (*c == '\'')
			*c = '"';
	}
	return parse(text);
}

/* Without the line breaks of the console. The caller's (free()). */
static char *unwrapped(const char *text)
{
	char *line = pl_strdup(text);
	char *end = line;

	for (const char *c = text; *c != '\0'; c++) {
		*end++ = pl_text_starts(c, "\n    ") ? ' ' : *c;
		if (pl_text_starts(c, "\n    "))
			c += strlen("    ");
	}
	*end = '\0';
	return line;
}

static void test_verdict(void **state)
{
	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(ruling_cases); i++) {
		const struct ruling_case *ruling = &ruling_cases[i];
		auto_json json_t *result = document_of(ruling->document);
		auto_buf sentences = PL_BUF(1u << 16), console = PL_BUF(1u << 16);
		res_report_sentences(result, &sentences);
		if (strcmp(pl_buf_text(&sentences), ruling->sentences) != 0)
			fail_msg("case %zu: found:\n%s\nexpected:\n%s", i, pl_buf_text(&sentences),
				 ruling->sentences);
		res_report_verdict(result, false, &console);
		auto_free char *head = pl_asprintf("Verdict: %s\n", ruling->verdict);
		auto_free char *line = unwrapped(pl_buf_text(&console));
		assert_true(pl_text_starts(line, head));
		for (const char *c = ruling->sentences; *c != '\0'; c += *c == '\n') {
			size_t len = strcspn(c, "\n");
			auto_free char *sentence = pl_asprintf("\n  %.*s\n", (int)len, c);
			if (strstr(line, sentence) == NULL)
				fail_msg("case %zu: no line %s in:\n%s", i, sentence, line);
			c += len;
		}
		size_t notes = 0, lines = 0;
		for (; notes < PL_ARRAY_SIZE(ruling->notes) && ruling->notes[notes] != NULL;
		     notes++) {
			if (strstr(line, ruling->notes[notes]) == NULL)
				fail_msg("case %zu: no note %s in:\n%s", i, ruling->notes[notes],
					 line);
		}
		for (const char *c = line; *c != '\0'; c++)
			lines += *c == '\n';
		assert_int_equal(lines, 4 + (notes > 0));
		for (const char *c = pl_buf_text(&console); *c != '\0'; c += strcspn(c, "\n") + 1)
			assert_true(pl_text_columns(c, strcspn(c, "\n")) <= 80);
	}
}

/* Bounds are rounded up, and a share of a metric near 0 is cut off. */
static void test_client_error_is_rounded_up(void **state)
{
	static const struct {
		const char *metric;
		double share, lo, hi;
		const char *text;
	} cases[] = {
		{ "p99_ttft_ms", 0.00098, -0.0213, 0.005,
		  "changed p99 TTFT, the most affected metric, by at most 0.022 ms (0.098 %)" },
		{ "mean_first_token_ms", 0, 0, 0,
		  "changed mean First Token, the most affected metric, by at most 0 ms (0 %)" },
		/* a nanosecond is not more than a microsecond */
		{ "p90_itl_ms", 1e-9, 0, 1e-6,
		  "changed p90 ITL, the most affected metric, by at most 0.001 ms (0.01 %)" },
		{ "p90_itl_ms", 1.5e8, -1, 153.4,
		  "changed p90 ITL, the most affected metric, by at most 154 ms (over 1000 %)" },
		{ "p12_moon", 0.01, -1, 2,
		  "changed p12_moon, the most affected metric, by at most 2 ms (1 %)" },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		auto_json json_t *result = document_of(
			CHECKED("'trusted'", "null", CLIENT_OK ", " RATE_OK));
		auto_buf sentences = PL_BUF(1u << 16);
		json_object_set_new(json_object_get(result, "quality"), "measurement",
				    json_pack("{s:s, s:f, s:f, s:f}", "metric", cases[i].metric,
					      "share", cases[i].share, "lo", cases[i].lo, "hi",
					      cases[i].hi));
		res_report_sentences(result, &sentences);
		if (strstr(pl_buf_text(&sentences), cases[i].text) == NULL)
			fail_msg("no %s in %s", cases[i].text, pl_buf_text(&sentences));
	}
}

/* Counts and names that a check of this version adds to its text are shown. */
static void test_detail_of_check(void **state)
{
	const char *const text =
#define FACT(name, text)
#define QUALITY(id, about, unit, sense, limit, effect, worse, worse_effect, text, finding, action) \
	strcmp(#id, "config_mismatch") == 0 ? text:
#include "tbl/quality.h"
#undef QUALITY
#undef FACT
		"";
	auto_json json_t *result = document_of(
		CHECKED("'degraded'", "null",
			OVER("config_mismatch", "1", "0", "count", "degraded") ", " CLIENT_OK
									       ", " RATE_OK));
	json_t *check = json_array_get(pl_json_get_path(result, "quality.checks"), 0);
	auto_free char *detailed = pl_asprintf("%s; dtype: requested half, reported float32", text);
	auto_buf sentences = PL_BUF(1u << 16);

	(void)state;
	json_object_set_new(check, "text", json_string(detailed));
	res_report_sentences(result, &sentences);
	assert_non_null(strstr(pl_buf_text(&sentences),
			       "(config_mismatch: found 1, expected 0; "
			       "dtype: requested half, reported float32)."));
}

/* Each row has a finding and an action that fit into a sentence. */
static void test_rows_are_fragments(void **state)
{
	static const char *const texts[] = {
#define QUALITY(id, about, unit, sense, limit, effect, worse, worse_effect, text, finding, action) \
	finding, action,
#include "tbl/quality.h"
#undef QUALITY
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(texts); i++) {
		size_t len = strlen(texts[i]);
		assert_in_range(len, 20, 130);
		assert_true(texts[i][0] >= 'a' && texts[i][0] <= 'z');
		assert_true(texts[i][len - 1] != '.');
	}
}

/* Only a run that completed has a verdict, whatever its checks say. */
static void test_verdict_of_status(void **state)
{
	static const char *const verdicts[] = { "trusted", "degraded", "client_limited" };

	(void)state;
	for (unsigned i = 0; i < RES_STATUS_COUNT * PL_ARRAY_SIZE(verdicts); i++) {
		enum res_status status = (enum res_status)(i / PL_ARRAY_SIZE(verdicts));
		const char *verdict = verdicts[i % PL_ARRAY_SIZE(verdicts)];
		bool is_complete = status == RES_STATUS_COMPLETED;
		auto_json json_t *result = json_pack(
			"{s:s, s:{s:i}, s:{s:s, s:[]}}", "status", res_status_name(status),
			"results", "completed", 3, "quality", "verdict", verdict, "checks");
		auto_free char *line = pl_asprintf("Verdict: %s\n", is_complete ? verdict : "none");
		auto_buf buf = PL_BUF(1u << 16);
		res_report_verdict(result, false, &buf);
		assert_true(pl_text_starts(pl_buf_text(&buf), line));
		auto_buf sentences = PL_BUF(1u << 16);
		res_report_sentences(result, &sentences);
		assert_int_equal(strstr(pl_buf_text(&sentences), res_status_run(status)) != NULL,
				 !is_complete);
	}
}

/* The verdict and the effects of further checks are colored; colors take no columns. */
static void test_verdict_colors(void **state)
{
	auto_json json_t *result = document_of(
		CHECKED("'client_limited'", MEASURED,
			OVER("idle_slots", "0.5", "0.05", "share", "client_limited") ", " OVER(
				"throttling", "0.5", "0.01", "share", "degraded")));
	auto_buf plain = PL_BUF(1u << 16), colored = PL_BUF(1u << 16), stripped = PL_BUF(1u << 16);

	(void)state;
	res_report_verdict(result, false, &plain);
	res_report_verdict(result, true, &colored);
	assert_non_null(strstr(pl_buf_text(&colored), "Verdict: \033[31mclient_limited\033[0m\n"));
	assert_non_null(strstr(pl_buf_text(&colored), "\n  \033[33mdegraded\033[0m: A GPU"));
	for (const char *c = pl_buf_text(&colored); *c != '\0'; c++) {
		if (*c == '\033')
			c += strcspn(c, "m");
		else
			pl_buf_add_char(&stripped, *c);
	}
	assert_string_equal(pl_buf_text(&stripped), pl_buf_text(&plain));
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
	assert_string_equal(pl_buf_text(&buf),
			    "Failed requests by kind:\n  1 x timeout\nFailed attempts that were "
			    "retried, by kind:\n  4 x http_status 503: busy later\n");
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

static void test_result_report__shows_sections_that_it_has_and_can_measure(void **state)
{
	struct vllm_bench bench;

	(void)state;
	vllm_bench_init(&bench);
	set_text(&bench.percentile_metrics, "other,ttft,e2el");
	assert_true(res_report_shows("ttft_ms", &bench));
	assert_false(res_report_shows("tpot_ms", &bench));
	assert_false(res_report_shows("other_ms", &bench));
	bench.skip_tokenizer_init = true;
	assert_false(res_report_shows("ttft_ms", &bench));
	assert_true(res_report_shows("e2el_ms", &bench));
	vllm_bench_done(&bench);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table),
		cmocka_unit_test(test_sections),
		cmocka_unit_test(test_planned),
		cmocka_unit_test(test_verdict),
		cmocka_unit_test(test_verdict_of_status),
		cmocka_unit_test(test_client_error_is_rounded_up),
		cmocka_unit_test(test_detail_of_check),
		cmocka_unit_test(test_rows_are_fragments),
		cmocka_unit_test(test_verdict_colors),
		cmocka_unit_test(test_failures),
		cmocka_unit_test(test_first_failures),
		cmocka_unit_test(test_real_run),
		cmocka_unit_test(test_probes),
		cmocka_unit_test(test_result_report__shows_sections_that_it_has_and_can_measure),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
