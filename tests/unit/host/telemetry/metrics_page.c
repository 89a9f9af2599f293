#include "host/telemetry/metrics_page.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/file.h"
#include "test_data.h"

#define LOADED_PAGE                                                                               \
	"data/ops/prometheus/er0080__packages_protocol_tests_fixtures_metrics_vllm_0_25_1_loaded" \
	"__7460430.txt"
#define LOADED_SAMPLES 435

static struct host_metrics parse(const char *text)
{
	struct host_metrics metrics;
	struct pl_err err = PL_ERR_INIT;

	assert_int_equal(host_metrics_parse(text, strlen(text), &metrics, &err), 0);
	return metrics;
}

static void test_host_telemetry_metrics_page__engines_are_summed(void **state)
{
	(void)state;
	struct host_metrics metrics = parse("# HELP vllm:num_requests_running x\n"
					    "vllm:num_requests_running{engine=\"0\"} 3.0\n"
					    "vllm:num_requests_running{engine=\"1\"} 4\n"
					    "vllm:kv_cache_usage_perc{engine=\"0\"} 0.25\n"
					    "vllm:kv_cache_usage_perc{engine=\"1\"} 0.5\n");
	assert_true(metrics.running == 7);
	assert_true(metrics.kv_cache_usage == 0.5);
	assert_true(isnan(metrics.waiting));
}

static void test_host_telemetry_metrics_page__old_and_new_names(void **state)
{
	(void)state;
	assert_true(parse("vllm:num_preemptions 5\n").preemptions == 5);
	assert_true(parse("vllm:num_preemptions_total 6\n").preemptions == 6);
	assert_true(parse("vllm:gpu_cache_usage_perc 0.5\n").kv_cache_usage == 0.5);
	/* a name that only begins alike is another */
	assert_true(isnan(parse("vllm:num_preemptions_created 1.7e9\n").preemptions));
	assert_true(isnan(
		parse("vllm:num_requests_waiting_by_reason{reason=\"capacity\"} 9\n").waiting));
}

static void test_host_telemetry_metrics_page__labels_may_hold_anything(void **state)
{
	(void)state;
	struct host_metrics metrics = parse(
		"vllm:num_requests_running{model_name=\"a\\\"} b{,\\\\\"} 2 1700000000000\r\n");
	assert_true(metrics.running == 2);
	metrics = parse("vllm:cache_config_info{user_block_size=\"9\",block_size=\"16\","
			"num_gpu_blocks=\"None\"} 1.0\n");
	assert_true(metrics.block_size == 16);
	assert_true(isnan(metrics.kv_blocks));
}

static void test_host_telemetry_metrics_page__infinities_and_nan(void **state)
{
	(void)state;
	assert_true(isinf(parse("vllm:num_requests_running +Inf\n").running));
	assert_true(isnan(parse("vllm:num_requests_running NaN\n").running));
}

static void test_host_telemetry_metrics_page__broken_pages_are_refused(void **state)
{
	(void)state;
	static const char *const broken[] = {
		"x",    "x one",      "x 1 2 3", "x{a=\"b 1", "{a=\"b\"} 1",
		"9x 1", "x{a=\"b\"}", "x 1 two", "<html>",    "ok 1\n\xff 2\n"
	};
	for (size_t i = 0; i < PL_ARRAY_SIZE(broken); i++) {
		struct host_metrics metrics = { .running = 42 };
		struct pl_err err = PL_ERR_INIT;
		assert_int_equal(host_metrics_parse(broken[i], strlen(broken[i]), &metrics, &err),
				 -1);
		assert_int_equal(err.code, PL_ERR_INVALID);
		assert_true(metrics.running == 42);
	}
}

static void test_host_telemetry_metrics_page__the_line_is_named(void **state)
{
	(void)state;
	struct host_metrics metrics;
	struct pl_err err = PL_ERR_INIT;
	const char *text = "a 1\n\n# c\nb\n";

	assert_int_equal(host_metrics_parse(text, strlen(text), &metrics, &err), -1);
	assert_non_null(strstr(err.text, "line 4"));
}

static void test_host_telemetry_metrics_page__values_are_named(void **state)
{
	(void)state;
	struct host_metrics metrics = parse("vllm:num_requests_running 1\n");
	double values[HOST_METRICS_VALUES_MAX];
	const char *const *names;
	size_t count = host_metrics_values(&metrics, &names, values);

	assert_true(count > 2);
	for (size_t i = 0; i < count; i++)
		assert_true(strcmp(names[i], "running") == 0 ? values[i] == 1 : isnan(values[i]));
}

static void read_page(const char *name, struct host_metrics *ret)
{
	auto_free char *path = test_data_path(name);
	auto_free char *text = NULL;
	struct pl_err err = PL_ERR_INIT;
	size_t len;

	assert_true(pl_file_exists(path));
	assert_int_equal(pl_file_read(path, 1 << 20, &text, &len, &err), 0);
	/* some are whole HTTP answers */
	const char *body = strstr(text, "\r\n\r\n");
	body = body != NULL ? body + 4 : text;
	assert_int_equal(host_metrics_parse(body, strlen(body), ret, &err), 0);
}

/* A release in between has both on its page, for the same thing. */
static void
test_host_telemetry_metrics_page__an_older_name_beside_the_newer_adds_nothing(void **state)
{
	(void)state;
	struct host_metrics metrics = parse("vllm:gpu_prefix_cache_hits_total{engine=\"0\"} 70\n"
					    "vllm:gpu_prefix_cache_hits_total{engine=\"1\"} 30\n"
					    "vllm:prefix_cache_hits_total{engine=\"0\"} 70\n"
					    "vllm:prefix_cache_hits_total{engine=\"1\"} 30\n"
					    "vllm:gpu_prefix_cache_queries_total 400\n"
					    "vllm:gpu_cache_usage_perc 0.75\n"
					    "vllm:kv_cache_usage_perc 0.5\n");
	assert_true(metrics.prefix_hits == 100);
	assert_true(metrics.prefix_queries == 400);
	assert_true(metrics.kv_cache_usage == 0.5);
}

static void test_host_telemetry_metrics_page__labels_and_types_are_checked(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		const char *why;
	} broken[] = {
		{ "x{a} 1", "labels" },
		{ "x{a=b} 1", "labels" },
		{ "x{a=\"b\" c=\"d\"} 1", "labels" },
		{ "x{a=\"b\\t\"} 1", "labels" },
		{ "x{,} 1", "labels" },
		{ "x{1a=\"b\"} 1", "labels" },
		{ "x{a:b=\"c\"} 1", "labels" },
		{ "# TYPE x sometimes\n", "type" },
		{ "# TYPE x\n", "type" },
		{ "# TYPE 9x gauge\n", "type" },
		{ "x_bucket{le=\"1\"} 4 # {trace=\"a\"} 0.5 1.7 3", "exemplar" },
		{ "x_bucket{le=\"1\"} 4 # {trace=a} 0.5", "exemplar" },
		{ "x_bucket{le=\"1\"} 4 # {trace=\"a\"}", "exemplar" },
		{ "x_total 4 # 0.5", "exemplar" },
		{ "x_total 4 #", "exemplar" },
		{ "x 1 soon", "not a timestamp" },
		{ "x 1 +Inf", "not a timestamp" },
		{ "x 1 1.5 2", "after its timestamp" },
		{ "x +-1", "value" },
	};
	for (size_t i = 0; i < PL_ARRAY_SIZE(broken); i++) {
		struct host_metrics metrics;
		struct pl_err err = PL_ERR_INIT;
		assert_int_equal(
			host_metrics_parse(broken[i].text, strlen(broken[i].text), &metrics, &err),
			-1);
		if (strstr(err.text, broken[i].why) == NULL)
			fail_msg("'%s': %s", broken[i].text, err.text);
	}
	static const char *const sound[] = {
		"x{} 1",
		"x{a=\"b\",} 1",
		"x { a = \"\\\\ \\\" \\n } {\" , b = \"\" } 1 -5",
		("# HELP x any text { \"\n# TYPE x histogram \n"
		 "# EOF\nx_bucket{le=\"+Inf\"} 1e9"),
		"x +Inf\nx -Inf\nx NaN\nx 1e5",
	};
	for (size_t i = 0; i < PL_ARRAY_SIZE(sound); i++)
		parse(sound[i]);
}

/* OpenMetrics, as a server writes it that is asked for it: the values are those of the plain text. */
static void test_host_telemetry_metrics_page__openmetrics(void **state)
{
	static const char page[] =
		"# HELP vllm:num_requests_running Requests in execution.\n"
		"# TYPE vllm:num_requests_running gauge\n"
		"vllm:num_requests_running{engine=\"0\"} 3.0 1764230400.123\n"
		"vllm:num_requests_running{engine=\"1\"} 4 1764230400\n"
		"# TYPE vllm:generation_tokens counter\n"
		"# UNIT vllm:generation_tokens tokens\n"
		"vllm:generation_tokens_total{engine=\"0\"} 77.0 # {trace_id=\"a # b\"} 1.0 "
		"1764230399.5\n"
		"vllm:generation_tokens_created{engine=\"0\"} 1.7642304e9\n"
		"# TYPE vllm:e2e_request_latency_seconds histogram\n"
		"vllm:e2e_request_latency_seconds_bucket{le=\"0.3\"} 2 1764230400.1 # {} 0.25\n"
		"vllm:e2e_request_latency_seconds_bucket{le=\"+Inf\"} 5 # {trace_id=\"c\"} 9e-1\r\n"
		"# TYPE vllm:cache_config info\n"
		"vllm:cache_config_info{block_size=\"16\",num_gpu_blocks=\"100\"} 1.0\n"
		"# TYPE engine_state stateset\n"
		"engine_state{engine_state=\"awake\"} 1\n"
		"# TYPE odd unknown\nodd 1 -1.5e3\n"
		"# TYPE sizes gaugehistogram\n"
		"# EOF\n";

	(void)state;
	struct host_metrics metrics = parse(page);
	assert_true(metrics.running == 7);
	assert_true(metrics.generation_tokens == 77);
	assert_true(metrics.block_size == 16 && metrics.kv_blocks == 100);
	/* Prometheus text has milliseconds */
	assert_true(parse("vllm:num_requests_running 3 1764230400123\n# EOF\n").running == 3);
	/* cut anywhere, nothing is read beyond the end */
	for (size_t len = 0; len < sizeof(page) - 1; len++) {
		auto_free char *cut = pl_strndup(page, len);
		struct pl_err err = PL_ERR_INIT;
		if (host_metrics_parse(cut, len, &metrics, &err) < 0)
			assert_non_null(strstr(err.text, "metrics page: line "));
	}
}

/* ---- every sample of a page, compared with another parser's ---- */

struct lines {
	const char *at;
	size_t count;
};

/* Compares a sample with its line: the name ends at '{' or a blank, the value begins after the
 * last blank, and the labels are between the first brace and the last. */
static void compare_sample(void *data, const struct host_sample *sample)
{
	struct lines *lines = data;
	char line[4096], *end;

	do {
		size_t len = strcspn(lines->at, "\n");
		assert_true(len < sizeof(line));
		memcpy(line, lines->at, len);
		line[len] = '\0';
		lines->at += len + 1;
	} while (line[0] == '#' || line[0] == '\0');
	size_t name_len = strcspn(line, "{ ");
	assert_int_equal(sample->name_len, name_len);
	assert_memory_equal(sample->name, line, name_len);
	double value = strtod(strrchr(line, ' ') + 1, &end);
	assert_int_equal(*end, '\0');
	assert_memory_equal(&sample->value, &value, sizeof(value));
	if (line[name_len] == '{') {
		size_t labels_len = (size_t)(strrchr(line, '}') - line) - name_len - 1;
		assert_int_equal(sample->labels_len, labels_len);
		assert_memory_equal(sample->labels, line + name_len + 1, labels_len);
	} else {
		assert_null(sample->labels);
	}
	lines->count++;
}

static void test_host_telemetry_metrics_page__every_sample_of_a_real_page(void **state)
{
	skip_without_test_data();
	(void)state;
	auto_free char *text = NULL;
	struct pl_err err = PL_ERR_INIT;
	size_t len;

	auto_free char *path = test_data_path(LOADED_PAGE);

	assert_int_equal(pl_file_read(path, 1 << 20, &text, &len, &err), 0);
	struct lines lines = { .at = text };
	assert_int_equal(host_metrics_walk(text, len, compare_sample, &lines, &err), 0);
	/* lines of the file without those that begin with '#' */
	assert_int_equal(lines.count, LOADED_SAMPLES);
	/* nothing is left over but comments */
	while (lines.at < text + len) {
		assert_true(*lines.at == '#' || *lines.at == '\n');
		lines.at += strcspn(lines.at, "\n") + 1;
	}
}

/* The newer names are those that a release writes. */
static void test_host_telemetry_metrics_page__names_of_a_release(void **state)
{
	skip_without_test_data();
	(void)state;
	static const char *const names[] = {
		"num_requests_running gauge",         "num_requests_waiting gauge",
		"kv_cache_usage_perc gauge",          "num_preemptions_total counter",
		"prefix_cache_queries_total counter", "prefix_cache_hits_total counter",
		"prompt_tokens_total counter",        "generation_tokens_total counter",
		"request_success_total counter",      "cache_config_info gauge",
	};
	auto_free char *text = NULL;
	struct pl_err err = PL_ERR_INIT;
	size_t len;

	auto_free char *path = test_data_path(
		"data/ops/prometheus/vllm_metric_families_v0.26.0.txt");

	assert_int_equal(pl_file_read(path, 1 << 20, &text, &len, &err), 0);
	for (size_t i = 0; i < PL_ARRAY_SIZE(names); i++) {
		auto_free char *line = pl_asprintf("\nvllm:%s\n", names[i]);
		if (strstr(text, line) == NULL)
			fail_msg("no%s", line);
	}
	/* a list of families is not a page */
	struct host_metrics metrics;
	assert_int_equal(host_metrics_parse(text, len, &metrics, &err), -1);
}

/* Figures read from the pages by eye. */
static void test_host_telemetry_metrics_page__real_idle_server(void **state)
{
	skip_without_test_data();
	(void)state;
	struct host_metrics metrics;

	read_page("data/real/http/metrics.txt", &metrics);
	assert_true(metrics.running == 0 && metrics.waiting == 0);
	assert_true(metrics.prefix_queries == 45 && metrics.prefix_hits == 0);
	assert_true(metrics.preemptions == 0);
	assert_true(metrics.request_success == 12);
	assert_true(metrics.start_time_s == 1.79522727502e+09);
	assert_true(metrics.kv_blocks == 8192 && metrics.block_size == 128);
}

static void test_host_telemetry_metrics_page__real_loaded_server(void **state)
{
	skip_without_test_data();
	(void)state;
	struct host_metrics metrics;

	read_page(LOADED_PAGE, &metrics);
	assert_true(metrics.running == 64 && metrics.waiting == 64);
	assert_true(metrics.kv_cache_usage == 0.11223878211531546);
	assert_true(metrics.prefix_queries == 339968 && metrics.prefix_hits == 2480);
	assert_true(metrics.request_success == 600);
	assert_true(metrics.start_time_s == 1.78692899276e+09);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_host_telemetry_metrics_page__engines_are_summed),
		cmocka_unit_test(test_host_telemetry_metrics_page__old_and_new_names),
		cmocka_unit_test(test_host_telemetry_metrics_page__labels_may_hold_anything),
		cmocka_unit_test(test_host_telemetry_metrics_page__infinities_and_nan),
		cmocka_unit_test(test_host_telemetry_metrics_page__broken_pages_are_refused),
		cmocka_unit_test(test_host_telemetry_metrics_page__the_line_is_named),
		cmocka_unit_test(test_host_telemetry_metrics_page__values_are_named),
		cmocka_unit_test(
			test_host_telemetry_metrics_page__an_older_name_beside_the_newer_adds_nothing),
		cmocka_unit_test(test_host_telemetry_metrics_page__labels_and_types_are_checked),
		cmocka_unit_test(test_host_telemetry_metrics_page__openmetrics),
		cmocka_unit_test(test_host_telemetry_metrics_page__every_sample_of_a_real_page),
		cmocka_unit_test(test_host_telemetry_metrics_page__names_of_a_release),
		cmocka_unit_test(test_host_telemetry_metrics_page__real_idle_server),
		cmocka_unit_test(test_host_telemetry_metrics_page__real_loaded_server),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
