#include "host/telemetry/latencies.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/file.h"
#include "test_data.h"

static void parse(const char *text, struct host_latencies *ret)
{
	host_latencies_parse(text, strlen(text), ret);
}

/* Two engines, labels in another order, the creation time, another family with the same beginning. */
static const char page[] =
	"# TYPE vllm:request_queue_time_seconds histogram\n"
	"vllm:request_queue_time_seconds_bucket{engine=\"0\",le=\"0.3\",model_name=\"a\"} 2.0\n"
	"vllm:request_queue_time_seconds_bucket{engine=\"0\",le=\"+Inf\",model_name=\"a\"} 3.0\n"
	"vllm:request_queue_time_seconds_count{engine=\"0\",model_name=\"a\"} 3.0\n"
	"vllm:request_queue_time_seconds_sum{engine=\"0\",model_name=\"a\"} 1.5\n"
	"vllm:request_queue_time_seconds_created{engine=\"0\",model_name=\"a\"} 1.7e9\n"
	"vllm:request_queue_time_seconds_bucket{le=\"0.3\",engine=\"1\",scale=\"7\"} 1.0\n"
	"vllm:request_queue_time_seconds_bucket{le=\"+Inf\",engine=\"1\"} 1.0\n"
	"vllm:request_queue_time_seconds_count{engine=\"1\"} 1.0\n"
	"vllm:request_queue_time_seconds_sum{engine=\"1\"} 0.25\n"
	"vllm:request_queue_time_seconds_other_count 9\n"
	"vllm:e2e_request_latency_seconds_count 4\n"
	"vllm:e2e_request_latency_seconds_sum 8\n";

static void test_host_telemetry_latencies__engines_add_up(void **state)
{
	struct host_latencies latencies;

	(void)state;
	parse(page, &latencies);
	const struct pl_buckets *queue = &latencies.of[HOST_LATENCY_QUEUE];
	assert_true(latencies.known[HOST_LATENCY_QUEUE] && latencies.known[HOST_LATENCY_E2EL]);
	assert_false(latencies.known[HOST_LATENCY_TTFT]);
	assert_true(queue->count == 4 && queue->sum == 1.75);
	assert_int_equal(queue->size, 1);
	assert_true(queue->bounds[0] == 0.3 && queue->totals[0] == 3);
	assert_int_equal(latencies.of[HOST_LATENCY_E2EL].size, 0);
}

static void test_host_telemetry_latencies__older_names_come_second(void **state)
{
	struct host_latencies latencies;

	(void)state;
	parse("vllm:time_in_queue_requests_count 2\nvllm:time_in_queue_requests_sum 3\n",
	      &latencies);
	assert_true(latencies.of[HOST_LATENCY_QUEUE].sum == 3);
	parse("vllm:time_in_queue_requests_count 2\nvllm:time_in_queue_requests_sum 3\n"
	      "vllm:request_queue_time_seconds_count 2\nvllm:request_queue_time_seconds_sum 4\n",
	      &latencies);
	assert_true(latencies.of[HOST_LATENCY_QUEUE].sum == 4);
}

static void test_host_telemetry_latencies__odd_pages(void **state)
{
	static const char *const pages[] = {
		"",
		"vllm:request_queue_time_seconds_count{le=\"",
		"vllm:request_queue_time_seconds_count 1\n# no page {\nx{ 1\n",
		"vllm:request_queue_time_seconds_bucket{le=\"0.3\"} 1\n",
	};
	struct host_latencies latencies;

	(void)state;
	for (size_t i = 0; i < sizeof(pages) / sizeof(pages[0]); i++) {
		parse(pages[i], &latencies);
		assert_false(latencies.known[HOST_LATENCY_QUEUE]);
	}
	/* bounds that are none are not used */
	parse("vllm:request_queue_time_seconds_bucket{le=\"x\"} 1\n"
	      "vllm:request_queue_time_seconds_bucket{le=\"-1\"} 1\n"
	      "vllm:request_queue_time_seconds_bucket{able=\"1\"} 1\n"
	      "vllm:request_queue_time_seconds_bucket 1\n"
	      "vllm:request_queue_time_seconds_count 1\n",
	      &latencies);
	assert_true(latencies.known[HOST_LATENCY_QUEUE]);
	assert_int_equal(latencies.of[HOST_LATENCY_QUEUE].size, 0);
}

static double mean_ms(const struct host_latencies *latencies, enum host_latency id)
{
	assert_true(latencies->known[id]);
	return latencies->of[id].sum / latencies->of[id].count * 1000;
}

/* On the page of vLLM 0.32 the engine's parts fit into the front end's latencies. */
static void test_host_telemetry_latencies__of_a_real_server(void **state)
{
	struct host_latencies latencies;
	struct pl_err err = PL_ERR_INIT;

	(void)state;
	skip_without_test_data();
	auto_free char *path = test_data_path("data/real/http/metrics.txt");
	auto_free char *text = NULL;
	assert_int_equal(pl_file_read(path, 1u << 24, &text, NULL, &err), 0);
	const char *body = strstr(text, "# HELP");
	assert_non_null(body);
	parse(body, &latencies);
	double queue = mean_ms(&latencies, HOST_LATENCY_QUEUE);
	double prefill = mean_ms(&latencies, HOST_LATENCY_PREFILL);
	double decode = mean_ms(&latencies, HOST_LATENCY_DECODE);
	assert_true(latencies.of[HOST_LATENCY_QUEUE].count == 12);
	assert_true(mean_ms(&latencies, HOST_LATENCY_TTFT) > queue + prefill);
	assert_true(mean_ms(&latencies, HOST_LATENCY_E2EL) > queue + prefill + decode);
	double inference = mean_ms(&latencies, HOST_LATENCY_INFERENCE);
	assert_true(inference - prefill - decode < 1e-6 && prefill + decode - inference < 1e-6);
	struct pl_range median = pl_buckets_quantile(&latencies.of[HOST_LATENCY_TTFT], 0.5);
	assert_true(median.low == 0.02 && median.high == 0.04);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_host_telemetry_latencies__engines_add_up),
		cmocka_unit_test(test_host_telemetry_latencies__older_names_come_second),
		cmocka_unit_test(test_host_telemetry_latencies__odd_pages),
		cmocka_unit_test(test_host_telemetry_latencies__of_a_real_server),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
