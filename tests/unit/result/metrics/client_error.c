#include "result/metrics/client_error.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "result/metrics/metrics.h"
#include "result/record_line.h"

/* Times in us from here on. */
#define BASE_US 1000000

/* Builds a record as the requests file has it, so that this test does not depend on the memory
 * layout of events. */
static struct res_record make_record(int sent_us, int handshake_us, int output_tokens, int end_us,
				     const char *events)
{
	struct pl_err err = PL_ERR_INIT;
	struct res_record record;
	auto_free char *line = NULL;

	res_record_init(&record, 0);
	record.acted_ns = BASE_US * 1000LL;
	record.planned_ns = record.acted_ns;
	record.sent_ns = record.acted_ns + sent_us * 1000LL;
	record.handshake_ns = handshake_us * 1000LL;
	record.end_ns = record.acted_ns + end_us * 1000LL;
	record.output_tokens = output_tokens;
	record.tries = 1;
	record.ok = true;
	auto_buf buf = PL_BUF(1 << 16);
	assert_true(res_record_add_json(&buf, &record));
	auto_json json_t *json = json_loads(pl_buf_text(&buf), 0, NULL);
	auto_json json_t *list = json_loads(events, 0, NULL);
	assert_non_null(list);
	for (size_t i = 0; i < json_array_size(list); i++) {
		json_t *event = json_array_get(list, i);
		/* [t, earliest], us after the start; a time is in the file only where it is not exact */
		json_int_t t_ns = (BASE_US + json_integer_value(json_array_get(event, 0))) * 1000;
		json_int_t earliest_ns = (BASE_US + json_integer_value(json_array_get(event, 1))) *
					 1000;
		json_t *reported = json_pack("[I, i, i]", t_ns, 1, RES_EVENT_CONTENT);
		if (earliest_ns < t_ns)
			json_array_append_new(reported, json_integer(earliest_ns));
		json_array_append_new(json_object_get(json, "events"), reported);
		if (i == 0) {
			json_object_set_new(json, "first_event_ns", json_integer(t_ns));
			json_object_set_new(json, "first_token_ns", json_integer(t_ns));
		}
	}
	if (res_record_from_json(json, &record, &err) < 0)
		fail_msg("%s", err.text);
	return record;
}

struct plan {
	struct res_record records[3];
	struct res_outcome outcome;
	struct res_how how;
};

/*
 * Two requests of which the first was held up here for 30 us, and did not see by when its first and
 * its last event came; and one that failed, of which nothing counts.
 */
static void plan_init(struct plan *plan)
{
	*plan = (struct plan){
		.records = { make_record(100, 60, 3, 81000,
					 "[[50000,45000],[60000,60000],[80000,70000]]"),
			     make_record(10, 0, 2, 31000, "[[20000,20000],[30000,30000]]"),
			     make_record(0, 0, 2, 90000, "[[90000,1]]") },
		.outcome = { .records = plan->records,
			     .count = 3,
			     .start_ns = 0,
			     .end_ns = BASE_US * 2000LL,
			     .inflight_peak = OPTION_NO_I64 },
		.how = { .slo = { NAN, NAN, NAN }, .max_concurrency = OPTION_NO_I64 },
	};
	plan->records[2].ok = false;
	plan->records[2].error_kind = "truncated";
}

static void plan_done(struct plan *plan)
{
	for (size_t i = 0; i < PL_ARRAY_SIZE(plan->records); i++)
		res_record_done(&plan->records[i]);
}

static void assert_error(const json_t *results, const char *key, double lo, double hi)
{
	const json_t *error = json_object_get(results, key);

	if (json_array_size(error) != 2)
		fail_msg("'%s' is not an interval", key);
	double low = json_number_value(json_array_get(error, 0));
	double high = json_number_value(json_array_get(error, 1));
	if (fabs(low - lo) > 1e-9 || fabs(high - hi) > 1e-9)
		fail_msg("'%s' is [%.12g, %.12g], not [%.12g, %.12g]", key, low, high, lo, hi);
}

static void test_bounds_by_hand(void **state)
{
	struct plan plan;

	(void)state;
	plan_init(&plan);
	auto_json json_t *results = res_metrics_compute(&plan.outcome, &plan.how);
	/* 50 ms: from 45 - 0.03 on; the other's 20 ms are exact */
	assert_error(results, "mean_ttft_ms_client_error", -5.03 / 2, 0);
	assert_error(results, "median_ttft_ms_client_error", -5.03 / 2, 0);
	assert_error(results, "p90_ttft_ms_client_error", -0.9 * 5.03, 0);
	assert_error(results, "mean_first_token_ms_client_error", -5.03 / 2, 0);
	/* 80 ms: from 70 - 0.03 on */
	assert_error(results, "mean_e2el_ms_client_error", -10.03 / 2, 0);
	/* (80 - 50) / 2 = 15 ms: (70 - 50) / 2 to (80 - 45) / 2; the other's 10 ms are exact */
	assert_error(results, "mean_tpot_ms_client_error", -2.5, 1.25);
	assert_error(results, "p99_tpot_ms_client_error", 0.99 * -5, 0.99 * 2.5);
	/* 30 ms in two gaps: 20 to 35; 10 ms in a third */
	assert_error(results, "mean_itl_ms_client_error", -10. / 3, 5. / 3);
	/* 10, 20, 10: at least 10, 10, 10 and at most 15, 20, 10 */
	assert_error(results, "median_itl_ms_client_error", 0, 5);
	plan_done(&plan);
}

static void test_exact_is_zero_and_nothing_is_null(void **state)
{
	struct plan plan;

	(void)state;
	plan_init(&plan);
	plan.outcome.records = &plan.records[1];
	plan.outcome.count = 1;
	plan.outcome.clock_step_ns = RES_CLIENT_ERROR_STEP_NS_MIN - 1;
	json_t *results = res_metrics_compute(&plan.outcome, &plan.how);
	assert_error(results, "mean_ttft_ms_client_error", 0, 0);
	assert_error(results, "p99_itl_ms_client_error", 0, 0);
	json_decref(results);
	plan.outcome.clock_step_ns = -RES_CLIENT_ERROR_STEP_NS_MIN;
	results = res_metrics_compute(&plan.outcome, &plan.how);
	assert_error(results, "mean_ttft_ms_client_error", -0.01, 0.01);
	assert_error(results, "p99_itl_ms_client_error", -0.01, 0.01);
	json_decref(results);
	plan.outcome.count = 0;
	results = res_metrics_compute(&plan.outcome, &plan.how);
	assert_true(json_is_null(json_object_get(results, "mean_ttft_ms_client_error")));
	json_decref(results);
	plan_done(&plan);
}

/* A step of the clock of more than a gap: there is no negative time. One event alone has a TPOT of 0. */
static void test_no_time_is_negative(void **state)
{
	struct plan plan;

	(void)state;
	plan_init(&plan);
	plan.outcome.clock_step_ns = 15000000;
	res_record_done(&plan.records[0]);
	plan.records[0] = make_record(10, 0, 5, 81000, "[[50000,45000]]");
	auto_json json_t *results = res_metrics_compute(&plan.outcome, &plan.how);
	assert_error(results, "mean_itl_ms_client_error", -10, 15);
	assert_error(results, "mean_tpot_ms_client_error", -10. / 2, 15. / 2);
	assert_error(results, "p99_e2el_ms_client_error", 0.99 * -20 + 0.01 * -15, 15);
	plan_done(&plan);
}

static json_t *make_results(void)
{
	return json_pack("{s:f, s:[f, f], s:f, s:[f, f], s:f, s:[f, f], s:f, s:n}", "mean_ttft_ms",
			 10.0, "mean_ttft_ms_client_error", -1.0, 0.25, "p99_itl_ms", 0.5,
			 "p99_itl_ms_client_error", -0.125, 0.25, "median_itl_ms", 0.0,
			 "median_itl_ms_client_error", 0.0, 0.05, "mean_tpot_ms", 3.0,
			 "mean_tpot_ms_client_error");
}

/* 1 ms of the 0.2 ms that 2 % of 10 ms are is more than half of 0.5 ms, for which 0.1 ms are allowed. */
static void test_worst_is_relative_to_its_limit(void **state)
{
	struct res_client_error_worst worst;
	auto_json json_t *results = make_results();

	(void)state;
	/* what may be off by more than a tenth comes first, though nearer to its limit */
	assert_true(res_client_error_worst(results, &worst));
	assert_string_equal(worst.key, "p99_itl_ms");
	assert_true(worst.share == 0.5 && worst.limit_share == 0.2);
	json_object_set_new(results, "p99_itl_ms_client_error", json_pack("[f, f]", 0.0, 0.03125));
	assert_true(res_client_error_worst(results, &worst));
	assert_string_equal(worst.key, "mean_ttft_ms");
	assert_true(worst.figure == 10 && worst.lo_ms == -1 && worst.hi_ms == 0.25);
	assert_true(worst.share == 0.1 && worst.limit_share == 0.02);
	/* a figure of 0 has a share too */
	json_object_set_new(results, "median_itl_ms_client_error", json_pack("[f, f]", 0.0, 5.0));
	assert_true(res_client_error_worst(results, &worst));
	assert_string_equal(worst.key, "median_itl_ms");
	assert_true(isfinite(worst.share));
	assert_true(fabs(worst.share / worst.limit_share - 50) < 1e-9);
}

static void test_nothing_known_has_no_worst(void **state)
{
	struct res_client_error_worst worst;
	auto_json json_t *results = make_results();

	(void)state;
	assert_false(res_client_error_worst(NULL, &worst));
	res_client_error_forget(results);
	assert_false(res_client_error_worst(results, &worst));
	assert_true(json_is_null(json_object_get(results, "p99_itl_ms_client_error")));
	assert_true(json_is_null(json_object_get(results, "p90_first_token_ms_client_error")));
	assert_null(json_object_get(results, "mean_token_gap_ms_client_error"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bounds_by_hand),
		cmocka_unit_test(test_exact_is_zero_and_nothing_is_null),
		cmocka_unit_test(test_no_time_is_negative),
		cmocka_unit_test(test_worst_is_relative_to_its_limit),
		cmocka_unit_test(test_nothing_known_has_no_worst),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
