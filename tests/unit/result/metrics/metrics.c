#include "result/metrics/metrics.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/text.h"
#include "result/quality_facts.h"

#define EVENTS_MAX  16
#define RECORDS_MAX 32

/* Records whose events live in the test's own memory. */
struct plan {
	struct res_record records[RECORDS_MAX];
	struct res_event events[RECORDS_MAX][EVENTS_MAX];
	struct res_outcome outcome;
	struct res_how how;
};

static void plan_init(struct plan *plan, double duration_s)
{
	memset(plan, 0, sizeof(*plan));
	plan->outcome = (struct res_outcome){
		.records = plan->records,
		.start_ns = isnan(duration_s) ? RES_NO_TIME : 0,
		.end_ns = isnan(duration_s) ? RES_NO_TIME : llround(duration_s * 1e9),
		.inflight_peak = OPTION_NO_I64,
	};
	plan->how = (struct res_how){
		.slo = { NAN, NAN, NAN },
		.max_concurrency = OPTION_NO_I64,
		.steady_share = 0.95,
		.steady_window_s = 10,
	};
}

static struct res_record *add_record(struct plan *plan, double start_s, int64_t output_tokens)
{
	size_t i = plan->outcome.count++;
	struct res_record *record = &plan->records[i];

	res_record_init(record, i);
	record->planned_ns = (int64_t)(start_s * 1e9);
	record->acted_ns = record->planned_ns;
	record->end_ns = record->acted_ns;
	record->events = plan->events[i];
	record->output_tokens = output_tokens;
	record->token_source = RES_TOKENS_USAGE;
	record->ok = true;
	return record;
}

static void add_event(struct res_record *record, double gap_s, unsigned tokens, unsigned flags)
{
	record->event_count += res_event_encode(record->events + record->event_count, 1,
						(int64_t)(gap_s * 1e9), tokens, flags);
	record->end_ns += (int64_t)(gap_s * 1e9);
}

static void set_failed(struct res_record *record, const char *kind, int32_t status,
		       const char *error)
{
	record->ok = false;
	record->error_kind = kind;
	record->status = status;
	record->error = (char *)error;
}

static void assert_key(const json_t *results, const char *key, double wanted)
{
	char got_text[PL_F64_TEXT_BYTES], wanted_text[PL_F64_TEXT_BYTES];
	const json_t *value = json_object_get(results, key);

	if (!json_is_number(value))
		fail_msg("'%s' is not a number", key);
	pl_text_from_f64(json_number_value(value), got_text);
	pl_text_from_f64(wanted, wanted_text);
	if (!pl_text_equal(got_text, wanted_text))
		fail_msg("'%s' is %s, not %s", key, got_text, wanted_text);
}

static void assert_null_key(const json_t *results, const char *key)
{
	if (!json_is_null(json_object_get(results, key)))
		fail_msg("'%s' is not null", key);
}

/* The vector of vLLM's peaks: (start; ttft; itl; output tokens). */
static void fill_vector(struct plan *plan)
{
	static const double gaps[4][6] = { { 0.5, 0.25, 0.25, 0.5 },
					   { 0.25, 0.5, 0.5, 0.5, 0.5 },
					   { 0.5 },
					   { 0.125, 0.125, 0.125 } };
	static const double starts[] = { 100.25, 100.75, 101.5, 103 };
	static const int64_t tokens[] = { 4, 9, 1, 3 };

	plan_init(plan, 4);
	for (size_t i = 0; i < 4; i++) {
		struct res_record *record = add_record(plan, starts[i], tokens[i]);
		for (size_t j = 0; gaps[i][j] > 0; j++)
			add_event(record, gaps[i][j], 1, RES_EVENT_CONTENT | RES_EVENT_GUESSED);
	}
	set_failed(add_record(plan, 102, RES_NO_COUNT), "connect", 0, "connection refused");
	plan->how.slo = (struct exp_slo){ 300, 300, NAN };
}

static void test_reference_vector(void **state)
{
	static const struct {
		const char *key;
		double value;
	} wanted[] = {
		{ "max_output_tokens_per_s", 5 },
		{ "max_concurrent_requests", 3 },
		{ "completed", 4 },
		{ "failed", 1 },
		{ "total_output_tokens", 17 },
		{ "request_goodput", 0.5 },
		{ "output_throughput", 4.25 },
		{ "mean_ttft_ms", 343.75 },
		{ "median_ttft_ms", 375 },
		{ "std_ttft_ms", 162.37976320958225 },
		{ "mean_tpot_ms", 236.1111111111111 },
		{ "median_tpot_ms", 250 },
		{ "std_tpot_ms", 85.61686115234689 },
		{ "p90_tpot_ms", 316.66666666666663 },
		{ "mean_itl_ms", 361.1111111111111 },
		{ "median_itl_ms", 500 },
		{ "std_itl_ms", 160.77551253875313 },
		{ "mean_e2el_ms", 1156.25 },
		{ "median_e2el_ms", 1000 },
		{ "std_e2el_ms", 767.3768223630422 },
		{ "p90_e2el_ms", 2025.0000000000005 },
	};
	struct plan plan;

	(void)state;
	fill_vector(&plan);
	json_t *results = res_metrics_compute(&plan.outcome, &plan.how);
	for (size_t i = 0; i < PL_ARRAY_SIZE(wanted); i++)
		assert_key(results, wanted[i].key, wanted[i].value);
	const json_t *error = json_array_get(json_object_get(results, "errors"), 0);
	assert_string_equal(json_string_value(json_object_get(error, "kind")), "connect");
	assert_null_key(error, "status");
	assert_key(error, "count", 1);
	json_decref(results);
}

static void test_nothing_is_null(void **state)
{
	struct plan plan;

	(void)state;
	plan_init(&plan, 0);
	json_t *results = res_metrics_compute(&plan.outcome, &plan.how);
	assert_key(results, "completed", 0);
	assert_null_key(results, "request_throughput");
	assert_null_key(results, "request_goodput");
	assert_null_key(results, "mean_ttft_ms");
	assert_null_key(results, "p99.9_itl_ms");
	assert_null_key(results, "mean_ttft_ms_ci95");
	assert_null_key(results, "max_output_tokens_per_s");
	assert_null_key(results, "peak_in_flight");
	assert_null_key(results, "steady");
	assert_null_key(results, "prompt_token_offset_median");
	json_decref(results);
}

static void test_tokens_are_not_events(void **state)
{
	struct plan plan;

	(void)state;
	plan_init(&plan, 1);
	struct res_record *record = add_record(&plan, 1, 4);
	add_event(record, 0.125, 0, RES_EVENT_GUESSED); /* the role alone */
	add_event(record, 0.125, 1, RES_EVENT_CONTENT);
	add_event(record, 0.375, 3, RES_EVENT_CONTENT);
	/* Guesses that do not add up to usage: its gaps are not known. */
	record = add_record(&plan, 1, 9);
	add_event(record, 0.25, 1, RES_EVENT_CONTENT | RES_EVENT_GUESSED);
	add_event(record, 0.75, 1, RES_EVENT_CONTENT | RES_EVENT_GUESSED);
	json_t *results = res_metrics_compute(&plan.outcome, &plan.how);
	assert_key(results, "mean_ttft_ms", 187.5);
	assert_key(results, "mean_first_token_ms", 250);
	assert_key(results, "p50_token_gap_ms", 125);
	assert_key(results, "p99.9_token_gap_ms", 125);
	assert_key(results, "mean_time_per_token_ms", 109.375);
	assert_key(results, "peak_output_tokens_per_s_sliding", 6);
	json_decref(results);
}

static void test_asked_percentiles_join(void **state)
{
	double requested[] = { 99, 33.3, 5, 50 };
	struct plan plan;

	(void)state;
	fill_vector(&plan);
	plan.how.percentiles = requested;
	plan.how.percentile_count = PL_ARRAY_SIZE(requested);
	json_t *results = res_metrics_compute(&plan.outcome, &plan.how);
	assert_non_null(json_object_get(results, "p33.3_ttft_ms"));
	assert_non_null(json_object_get(results, "p33.3_ttft_ms_ci95"));
	assert_non_null(json_object_get(results, "p5_ttft_ms"));
	assert_null(json_object_get(results, "p5.0_ttft_ms"));
	json_decref(results);
}

static void test_steady_windows(void **state)
{
	struct plan plan;

	(void)state;
	plan_init(&plan, 20);
	/* Open loop: planned at 0, 1 … 20 s; the window is 2 … 18 s. */
	for (int i = 0; i <= 20; i++)
		add_event(add_record(&plan, i, 1), 0.5, 1, RES_EVENT_CONTENT);
	plan.how.finite_rate = true;
	json_t *results = res_metrics_compute(&plan.outcome, &plan.how);
	const json_t *steady = json_object_get(results, "steady");
	assert_key(steady, "start_s", 2);
	assert_key(steady, "end_s", 18);
	assert_key(steady, "completed", 16); /* ends at 2.5 … 17.5 */
	assert_key(steady, "mean_ttft_ms", 500);
	assert_null(json_object_get(steady, "mean_ttft_ms_ci95"));
	assert_null(json_object_get(steady, "mean_ttft_ms_client_error"));
	assert_non_null(json_object_get(results, "mean_ttft_ms_client_error"));
	json_decref(results);

	/* Closed loop of one: full from the first start to the last end. */
	plan.how.finite_rate = false;
	plan.how.max_concurrency = 1;
	results = res_metrics_compute(&plan.outcome, &plan.how);
	steady = json_object_get(results, "steady");
	assert_key(steady, "start_s", 0);
	assert_key(steady, "end_s", 20.5);
	assert_key(steady, "completed", 21);
	json_decref(results);

	/* Never full. */
	plan.how.max_concurrency = 3;
	results = res_metrics_compute(&plan.outcome, &plan.how);
	assert_null_key(results, "steady");
	json_decref(results);
}

static void test_errors_by_kind(void **state)
{
	struct plan plan;

	(void)state;
	plan_init(&plan, 1);
	set_failed(add_record(&plan, 1, 0), "http_status", 503, "busy");
	set_failed(add_record(&plan, 1, 0), "http_status", 503, "busier");
	set_failed(add_record(&plan, 1, 0), "http_status", 400, "bad \xff byte");
	set_failed(add_record(&plan, 1, 0), "not_sent", 0, NULL);
	plan.records[3].acted_ns = RES_NO_TIME;
	json_t *results = res_metrics_compute(&plan.outcome, &plan.how);
	json_t *errors = json_object_get(results, "errors");
	assert_key(results, "failed", 3);
	assert_int_equal(json_array_size(errors), 2);
	assert_key(json_array_get(errors, 0), "count", 2);
	assert_string_equal(json_string_value(json_object_get(json_array_get(errors, 0), "sample")),
			    "busy");
	assert_non_null(json_string_value(json_object_get(json_array_get(errors, 1), "sample")));
	json_decref(results);
}

static void test_tries(void **state)
{
	struct res_record tries[3];
	struct res_record *list[] = { &tries[0], &tries[1], &tries[2] };
	struct plan plan;

	(void)state;
	plan_init(&plan, 1);
	set_failed(add_record(&plan, 1, 0), "http_status", 503, "busy");
	add_record(&plan, 1, 2);
	plan.records[0].tries = 3;
	plan.records[1].tries = 2;
	for (size_t i = 0; i < 3; i++) {
		res_record_init(&tries[i], i / 2);
		tries[i].retried = true;
		tries[i].acted_ns = plan.records[0].acted_ns;
		set_failed(&tries[i], i == 1 ? "connect" : "http_status", i == 1 ? 0 : 503, "no");
	}
	plan.outcome.tries = list;
	plan.outcome.try_count = 3;
	json_t *results = res_metrics_compute(&plan.outcome, &plan.how);
	json_t *errors = json_object_get(results, "errors");
	assert_key(results, "failed", 1);
	assert_key(results, "retries", 3);
	assert_key(results, "retried_requests", 2);
	assert_int_equal(json_array_size(errors), 2);
	assert_key(json_array_get(errors, 0), "count", 1);
	assert_key(json_array_get(errors, 0), "retried", 2);
	assert_key(json_array_get(errors, 1), "count", 0);
	assert_key(json_array_get(errors, 1), "retried", 1);
	json_decref(results);
}

static void test_quality_facts(void **state)
{
	double queueing[] = { 1, 2, 3 };
	struct res_quality_facts facts;
	struct plan plan;

	(void)state;
	plan_init(&plan, 2);
	struct res_record *record = add_record(&plan, 1, 4);
	record->prompt_tokens_requested = 100;
	record->prompt_tokens = 101;
	record->acted_ns += 3 * PL_NS_PER_MS;
	record->end_ns += 3 * PL_NS_PER_MS;
	add_event(record, 0.1, 1, RES_EVENT_CONTENT);
	add_event(record, 0.1, 1, RES_EVENT_CONTENT);
	add_event(record, 0, 1, RES_EVENT_CONTENT | RES_EVENT_COALESCED);
	add_event(record, 0.1, 2, RES_EVENT_CONTENT);
	record = add_record(&plan, 1.5, 5);
	record->prompt_tokens_requested = 100;
	record->prompt_tokens = 99;
	record->queued_ns = record->planned_ns;
	add_event(record, 0.5, 5, RES_EVENT_CONTENT | RES_EVENT_FINISH);
	json_t *results = res_metrics_compute(&plan.outcome, &plan.how);
	struct res_outcome outcome = {
		.records = plan.records,
		.count = 2,
		.start_ns = 0,
		.clock_step_ns = -2 * PL_NS_PER_MS,
		.worker_cpu_share_max = 0.25,
		.queueing_ms = queueing,
		.queueing_count = 3,
		.inflight_integral_s = 1.0,
	};
	res_quality_init(&facts);
	plan.how.finite_rate = true;
	plan.how.max_concurrency = 2;
	res_quality_facts(&outcome, results, &plan.how, &facts);
	json_decref(results);
	assert_true(facts.completed == 2 && facts.failed == 0 && facts.measured_s == 2);
	assert_true(fabs(facts.client_queueing_p99_ms - 2.98) < 1e-12);
	assert_true(facts.schedule_finite == 1 && facts.schedule_requests == 1);
	assert_true(facts.schedule_lateness_p99_ms == 3);
	/* two slots for two: neither waits for the other's end; 3 ms late of 0.303 s, and in time */
	assert_true(facts.closed_loop == 0 && facts.burst == 0);
	assert_true(fabs(facts.rate_reached - 1) < 1e-12);
	assert_true(facts.mean_gap_ms == 500 && isnan(facts.gap_distance));
	assert_true(fabs(facts.in_flight_distance - 0.003 / 0.803) < 1e-9);
	assert_true(facts.cap_held_share == 0.5);
	assert_true(facts.worker_cpu_share_max == 0.25);
	assert_true(facts.clock_step_ms == 2);
	/* one of ten tokens came alone */
	assert_true(facts.merged_token_share == 0.9);
	/* 4 by usage and 5 by events; 5 and 5. */
	assert_true(facts.output_token_disagreement == 1.0 / 9);
	/* 1 and -1 about a median of 0, of 200 tokens. */
	assert_true(facts.prompt_token_disagreement == 0.01);
	assert_true(facts.tokens_by_events == 0);
	/* the second names its reason, for a choice that is not the first */
	assert_true(facts.reasonless == 1);
	assert_true(facts.record_identity_us < 1e-3);
	/* 0.3 s and 0.5 s of records against an integral of 1 s. */
	assert_true(fabs(facts.littles_law_share - 0.2) < 1e-9);
	assert_true(isnan(facts.simulated) && isnan(facts.preemptions));
}

static void test_quality_facts_of_nothing(void **state)
{
	struct res_outcome outcome = { .start_ns = 0, .worker_cpu_share_max = NAN };
	struct res_quality_facts facts;
	struct plan plan;

	(void)state;
	plan_init(&plan, NAN);
	json_t *results = res_metrics_compute(&plan.outcome, &plan.how);
	res_quality_init(&facts);
	res_quality_facts(&outcome, results, &plan.how, &facts);
	json_decref(results);
	assert_true(facts.schedule_finite == 0);
	assert_true(isnan(facts.schedule_lateness_p99_ms) && isnan(facts.cap_held_share));
	assert_true(isnan(facts.client_queueing_p99_ms) && isnan(facts.merged_token_share));
	assert_true(isnan(facts.record_identity_us) && isnan(facts.littles_law_share));
	assert_true(isnan(facts.tokens_by_events) && isnan(facts.measured_s));
	assert_true(isnan(facts.reasonless));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reference_vector),
		cmocka_unit_test(test_nothing_is_null),
		cmocka_unit_test(test_tokens_are_not_events),
		cmocka_unit_test(test_asked_percentiles_join),
		cmocka_unit_test(test_steady_windows),
		cmocka_unit_test(test_errors_by_kind),
		cmocka_unit_test(test_tries),
		cmocka_unit_test(test_quality_facts),
		cmocka_unit_test(test_quality_facts_of_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
