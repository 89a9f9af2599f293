/* Histograms as Prometheus reads them: cumulative buckets, a count, a sum. */
#include "sim/metrics.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void assert_line(const struct pl_buf *text, const char *line)
{
	const char *at = strstr(pl_buf_text(text), line);

	assert_non_null(at);
	assert_true(at == text->data || at[-1] == '\n');
	assert_int_equal(at[strlen(line)], '\n');
}

static void test_sim_metrics__buckets(void **state)
{
	struct sim_metrics *metrics = pl_alloc(sizeof(*metrics));
	auto_buf text = { 0 };

	(void)state;
	pl_buf_init(&text, 1u << 20);
	sim_metrics_observe(metrics, SIM_HIST_PARAMS_N, 1); /* a bound belongs to its bucket */
	sim_metrics_observe(metrics, SIM_HIST_PARAMS_N, 3);
	sim_metrics_observe(metrics, SIM_HIST_PARAMS_N, 500);
	sim_metrics_observe_lateness(metrics, 0.0025);
	sim_metrics_write(metrics, "a=\"b\"", 12.5, &text);
	assert_line(&text, "# TYPE vllm:request_params_n histogram");
	assert_line(&text, "vllm:request_params_n_bucket{a=\"b\",le=\"1.0\"} 1.0");
	assert_line(&text, "vllm:request_params_n_bucket{a=\"b\",le=\"2.0\"} 1.0");
	assert_line(&text, "vllm:request_params_n_bucket{a=\"b\",le=\"5.0\"} 2.0");
	assert_line(&text, "vllm:request_params_n_bucket{a=\"b\",le=\"20.0\"} 2.0");
	assert_line(&text, "vllm:request_params_n_bucket{a=\"b\",le=\"+Inf\"} 3.0");
	assert_line(&text, "vllm:request_params_n_count{a=\"b\"} 3.0");
	assert_line(&text, "vllm:request_params_n_sum{a=\"b\"} 504.0");
	assert_line(&text, "vllm:request_params_n_created{a=\"b\"} 12.5");
	assert_line(&text, "profllm_sim_step_lateness_seconds_bucket{le=\"0.002\"} 0.0");
	assert_line(&text, "profllm_sim_step_lateness_seconds_bucket{le=\"0.003\"} 1.0");
	assert_line(&text, "profllm_sim_step_lateness_seconds_sum{} 0.0025");
	assert_line(&text, "vllm:time_to_first_token_seconds_count{a=\"b\"} 0.0");
	free(metrics);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sim_metrics__buckets),
	};

	return cmocka_run_group_tests_name("test_sim_metrics", tests, NULL, NULL);
}
