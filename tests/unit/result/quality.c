#include "result/quality.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/mem.h"

static const char *const ids[] = {
#define QUALITY(id, unit, sense, limit, effect, worse, worse_effect, text) #id,
#include "tbl/quality.h"
#undef QUALITY
};

static const double percentiles[] = { 50, 95, 99 };

/* A run in which no check is beyond and none unknown. */
static struct res_quality_facts good_facts(void)
{
	return (struct res_quality_facts){
		.completed = 400,
		.failed = 0,
		.measured_s = 30,
		.median_itl_ms = 20,
		.median_ttft_ms = 30,
		.mean_e2el_ms = 2000,
		.client_queueing_p99_ms = 0.1,
		.schedule_finite = 1,
		.schedule_lateness_p99_ms = 0.1,
		.schedule_lateness_p95_ms = 0.05,
		.schedule_requests = 400,
		.planned_span_s = 28,
		.actual_span_s = 28,
		.cap_held_share = 0,
		.worker_cpu_share_max = 0.1,
		.host_steal_share = 0,
		.clock_step_ms = 0,
		.inflight_samples = 25,
		.inflight_disagreement = 0.02,
		.merged_token_share = 0.01,
		.output_token_disagreement = 0,
		.prompt_token_disagreement = 0,
		.tokens_by_events = 0,
		.record_identity_us = 0,
		.littles_law_share = 0,
		.prefix_hit_share = 0.1,
		.prefix_hit_expected = 0.1,
		.foreign_load = 0,
		.throttled_share = 0,
		.server_restarted = 0,
		.preemptions = 0,
		.simulated = 0,
		.percentiles = percentiles,
		.percentile_count = PL_ARRAY_SIZE(percentiles),
	};
}

#define AT(field) offsetof(struct res_quality_facts, field)

struct change {
	size_t at;
	double to;
};

/* A good run with up to four facts changed: the check's status, and its effect. */
static const struct quality_case {
	const char *id;
	const char *status;
	const char *effect;
	struct change changes[4];
} cases[] = {
	{ "client_queueing", "ok", "degraded", { { AT(client_queueing_p99_ms), 3 } } },
	{ "client_queueing", "beyond", "degraded", { { AT(client_queueing_p99_ms), 3.001 } } },
	{ "client_queueing", "beyond", "degraded", { { AT(client_queueing_p99_ms), 14.999 } } },
	{ "client_queueing", "beyond", "client_limited", { { AT(client_queueing_p99_ms), 15 } } },
	{ "client_queueing",
	  "ok",
	  "degraded",
	  { { AT(client_queueing_p99_ms), 5 }, { AT(median_itl_ms), 50 } } },
	{ "client_queueing",
	  "beyond",
	  "client_limited",
	  { { AT(client_queueing_p99_ms), 25 }, { AT(median_itl_ms), 50 } } },
	{ "client_queueing",
	  "beyond",
	  "degraded",
	  { { AT(client_queueing_p99_ms), 4 }, { AT(median_itl_ms), NAN } } },
	{ "client_queueing", "unknown", "degraded", { { AT(client_queueing_p99_ms), NAN } } },

	{ "schedule_lateness", "ok", "degraded", { { AT(schedule_lateness_p99_ms), 2 } } },
	{ "schedule_lateness", "beyond", "degraded", { { AT(schedule_lateness_p99_ms), 2.01 } } },
	{ "schedule_lateness", "beyond", "degraded", { { AT(schedule_lateness_p99_ms), 19.9 } } },
	{ "schedule_lateness",
	  "beyond",
	  "client_limited",
	  { { AT(schedule_lateness_p99_ms), 20 } } },
	{ "schedule_lateness",
	  "ok",
	  "degraded",
	  { { AT(schedule_lateness_p99_ms), 5 }, { AT(median_ttft_ms), 100 } } },
	{ "schedule_lateness",
	  "ok",
	  "degraded",
	  { { AT(schedule_lateness_p99_ms), 50 }, { AT(schedule_requests), 99 } } },
	{ "schedule_lateness",
	  "beyond",
	  "degraded",
	  { { AT(schedule_lateness_p95_ms), 3 }, { AT(schedule_requests), 99 } } },
	{ "schedule_lateness",
	  "ok",
	  "degraded",
	  { { AT(schedule_lateness_p95_ms), 3 }, { AT(schedule_requests), 100 } } },
	{ "schedule_lateness", "unknown", "degraded", { { AT(schedule_finite), 0 } } },
	{ "schedule_lateness", "unknown", "degraded", { { AT(schedule_finite), NAN } } },
	{ "schedule_lateness", "unknown", "degraded", { { AT(schedule_requests), 0 } } },

	{ "rate_shortfall",
	  "ok",
	  "client_limited",
	  { { AT(planned_span_s), 98 }, { AT(actual_span_s), 100 } } },
	{ "rate_shortfall",
	  "beyond",
	  "client_limited",
	  { { AT(planned_span_s), 97.9 }, { AT(actual_span_s), 100 } } },
	{ "rate_shortfall", "unknown", "client_limited", { { AT(schedule_finite), 0 } } },
	{ "rate_shortfall", "unknown", "client_limited", { { AT(actual_span_s), NAN } } },
	{ "rate_shortfall",
	  "unknown",
	  "client_limited",
	  { { AT(planned_span_s), 0 }, { AT(actual_span_s), 1e-4 } } },

	{ "cap_held_rate", "ok", "info", { { AT(cap_held_share), 0.05 } } },
	{ "cap_held_rate", "beyond", "info", { { AT(cap_held_share), 0.051 } } },
	{ "cap_held_rate", "unknown", "info", { { AT(cap_held_share), NAN } } },

	{ "client_cpu", "ok", "degraded", { { AT(worker_cpu_share_max), 0.80 } } },
	{ "client_cpu", "beyond", "degraded", { { AT(worker_cpu_share_max), 0.81 } } },
	{ "client_cpu", "beyond", "degraded", { { AT(worker_cpu_share_max), 0.95 } } },
	{ "client_cpu", "beyond", "client_limited", { { AT(worker_cpu_share_max), 0.951 } } },
	{ "client_cpu", "unknown", "degraded", { { AT(worker_cpu_share_max), NAN } } },

	{ "host_steal", "ok", "degraded", { { AT(host_steal_share), 0.05 } } },
	{ "host_steal", "beyond", "degraded", { { AT(host_steal_share), 0.06 } } },
	{ "host_steal", "unknown", "degraded", { { AT(host_steal_share), NAN } } },

	{ "clock_step", "ok", "degraded", { { AT(clock_step_ms), 1 } } },
	{ "clock_step", "beyond", "degraded", { { AT(clock_step_ms), 1.01 } } },
	{ "clock_step", "beyond", "degraded", { { AT(clock_step_ms), -1.01 } } },
	{ "clock_step", "unknown", "degraded", { { AT(clock_step_ms), NAN } } },

	{ "inflight_agreement", "ok", "degraded", { { AT(inflight_disagreement), 0.10 } } },
	{ "inflight_agreement", "beyond", "degraded", { { AT(inflight_disagreement), 0.11 } } },
	{ "inflight_agreement",
	  "beyond",
	  "degraded",
	  { { AT(inflight_disagreement), 0.5 }, { AT(inflight_samples), 5 } } },
	{ "inflight_agreement",
	  "unknown",
	  "degraded",
	  { { AT(inflight_disagreement), 0.5 }, { AT(inflight_samples), 4 } } },
	{ "inflight_agreement", "unknown", "degraded", { { AT(inflight_samples), NAN } } },

	{ "merged_events", "ok", "info", { { AT(merged_token_share), 0.05 } } },
	{ "merged_events", "beyond", "info", { { AT(merged_token_share), 0.06 } } },
	{ "merged_events", "beyond", "info", { { AT(merged_token_share), 0.20 } } },
	{ "merged_events", "beyond", "degraded", { { AT(merged_token_share), 0.21 } } },
	{ "merged_events", "unknown", "info", { { AT(merged_token_share), NAN } } },

	{ "token_agreement", "ok", "degraded", { { AT(output_token_disagreement), 0.01 } } },
	{ "token_agreement", "beyond", "degraded", { { AT(output_token_disagreement), 0.011 } } },
	{ "token_agreement", "beyond", "degraded", { { AT(prompt_token_disagreement), 0.011 } } },
	{ "token_agreement",
	  "beyond",
	  "degraded",
	  { { AT(prompt_token_disagreement), 0.011 }, { AT(output_token_disagreement), NAN } } },
	{ "token_agreement",
	  "unknown",
	  "degraded",
	  { { AT(prompt_token_disagreement), NAN }, { AT(output_token_disagreement), NAN } } },

	{ "token_source", "ok", "degraded", { { AT(tokens_by_events), 0 } } },
	{ "token_source", "beyond", "degraded", { { AT(tokens_by_events), 1 } } },
	{ "token_source", "unknown", "degraded", { { AT(tokens_by_events), NAN } } },

	{ "record_identity", "ok", "degraded", { { AT(record_identity_us), 1 } } },
	{ "record_identity", "beyond", "degraded", { { AT(record_identity_us), 1.1 } } },
	{ "record_identity", "unknown", "degraded", { { AT(record_identity_us), NAN } } },

	{ "littles_law", "ok", "degraded", { { AT(littles_law_share), 0.001 } } },
	{ "littles_law", "beyond", "degraded", { { AT(littles_law_share), 0.0011 } } },
	{ "littles_law", "unknown", "degraded", { { AT(littles_law_share), NAN } } },

	{ "prefix_hits",
	  "ok",
	  "degraded",
	  { { AT(prefix_hit_share), 0.02 }, { AT(prefix_hit_expected), 0 } } },
	{ "prefix_hits", "ok", "degraded", { { AT(prefix_hit_share), 0 } } },
	{ "prefix_hits", "beyond", "degraded", { { AT(prefix_hit_share), 0.121 } } },
	{ "prefix_hits", "unknown", "degraded", { { AT(prefix_hit_share), NAN } } },
	{ "prefix_hits", "unknown", "degraded", { { AT(prefix_hit_expected), NAN } } },

	{ "foreign_load", "ok", "degraded", { { AT(foreign_load), 0 } } },
	{ "foreign_load", "beyond", "degraded", { { AT(foreign_load), 1 } } },
	{ "foreign_load", "unknown", "degraded", { { AT(foreign_load), NAN } } },

	{ "throttling", "ok", "degraded", { { AT(throttled_share), 0.01 } } },
	{ "throttling", "beyond", "degraded", { { AT(throttled_share), 0.011 } } },
	{ "throttling", "unknown", "degraded", { { AT(throttled_share), NAN } } },

	{ "profiled", "ok", "degraded", { { AT(profiled), 0 } } },
	{ "profiled", "beyond", "degraded", { { AT(profiled), 1 } } },
	{ "profiled", "unknown", "degraded", { { AT(profiled), NAN } } },

	{ "server_restart", "ok", "degraded", { { AT(server_restarted), 0 } } },
	{ "server_restart", "beyond", "degraded", { { AT(server_restarted), 1 } } },
	{ "server_restart", "unknown", "degraded", { { AT(server_restarted), NAN } } },

	{ "preemptions", "ok", "info", { { AT(preemptions), 0 } } },
	{ "preemptions", "beyond", "info", { { AT(preemptions), 1 } } },
	{ "preemptions", "unknown", "info", { { AT(preemptions), NAN } } },

	{ "sample_size", "ok", "info", { { AT(completed), 368 } } },
	{ "sample_size", "beyond", "info", { { AT(completed), 367 } } },
	{ "sample_size", "unknown", "info", { { AT(completed), NAN } } },

	{ "short_run", "ok", "info", { { AT(measured_s), 10 } } },
	{ "short_run", "beyond", "info", { { AT(measured_s), 9.99 } } },
	{ "short_run", "ok", "info", { { AT(measured_s), 30 }, { AT(mean_e2el_ms), 10000 } } },
	{ "short_run",
	  "beyond",
	  "info",
	  { { AT(measured_s), 29.9 }, { AT(mean_e2el_ms), 10000 } } },
	{ "short_run", "beyond", "info", { { AT(measured_s), 9 }, { AT(mean_e2el_ms), NAN } } },
	{ "short_run", "unknown", "info", { { AT(measured_s), NAN } } },

	{ "failures", "ok", "info", { { AT(failed), 0 } } },
	{ "failures", "beyond", "info", { { AT(failed), 1 } } },
	{ "failures", "unknown", "info", { { AT(failed), NAN } } },

	{ "finish_reasons", "ok", "info", { { AT(reasonless), 0 } } },
	{ "finish_reasons", "beyond", "info", { { AT(reasonless), 1 } } },
	{ "finish_reasons", "unknown", "info", { { AT(reasonless), NAN } } },

	{ "retries", "ok", "info", { { AT(retries), 0 } } },
	{ "retries", "beyond", "info", { { AT(retries), 1 } } },
	{ "retries", "unknown", "info", { { AT(retries), NAN } } },

	{ "simulated", "ok", "info", { { AT(simulated), 0 } } },
	{ "simulated", "beyond", "info", { { AT(simulated), 1 } } },
	{ "simulated", "unknown", "info", { { AT(simulated), NAN } } },
};

static struct res_quality_facts facts_of(const struct quality_case *one)
{
	struct res_quality_facts facts = good_facts();

	for (size_t i = 0; i < PL_ARRAY_SIZE(one->changes); i++) {
		/* offset 0 is `completed`: an unused slot is 0, 0, and no case sets completed to
		 * 0 */
		if (one->changes[i].at != 0 || one->changes[i].to != 0)
			memcpy((char *)&facts + one->changes[i].at, &one->changes[i].to,
			       sizeof(double));
	}
	return facts;
}

static const json_t *check_of(const json_t *quality, const char *id)
{
	const json_t *list = json_object_get(quality, "checks");

	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *row = json_array_get(list, i);
		if (strcmp(json_string_value(json_object_get(row, "id")), id) == 0)
			return row;
	}
	fail_msg("no check '%s'", id);
	return NULL;
}

static const char *text_of(const json_t *row, const char *key)
{
	return json_string_value(json_object_get(row, key));
}

static void assert_verdict(const struct res_quality_facts *facts, const char *wanted)
{
	auto_json json_t *quality = res_quality_evaluate(facts);
	const json_t *verdict = json_object_get(quality, "verdict");

	if (wanted == NULL)
		assert_true(json_is_null(verdict));
	else
		assert_string_equal(json_string_value(verdict), wanted);
}

static void test_result_quality__cases(void **state)
{
	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		struct res_quality_facts facts = facts_of(&cases[i]);
		auto_json json_t *quality = res_quality_evaluate(&facts);
		const json_t *row = check_of(quality, cases[i].id);
		if (strcmp(text_of(row, "status"), cases[i].status) != 0 ||
		    strcmp(text_of(row, "effect"), cases[i].effect) != 0)
			fail_msg("case %zu, %s: %s %s, expected %s %s", i, cases[i].id,
				 text_of(row, "status"), text_of(row, "effect"), cases[i].status,
				 cases[i].effect);
		assert_int_equal(json_is_null(json_object_get(row, "value")),
				 strcmp(cases[i].status, "unknown") == 0);
	}
}

/* Changing one fact to make a check beyond gives that check's effect as the verdict. */
static void test_result_quality__verdict_is_the_worst_effect(void **state)
{
	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		struct res_quality_facts facts = facts_of(&cases[i]);
		bool beyond = strcmp(cases[i].status, "beyond") == 0;
		if (isnan(facts.completed))
			assert_verdict(&facts, NULL);
		else if (!beyond || strcmp(cases[i].effect, "info") == 0)
			assert_verdict(&facts, "trusted");
		else
			assert_verdict(&facts, cases[i].effect);
	}
}

static void test_result_quality__worst_of_several(void **state)
{
	struct res_quality_facts facts = good_facts();

	(void)state;
	facts.failed = 3;
	assert_verdict(&facts, "trusted");
	facts.throttled_share = 0.5;
	assert_verdict(&facts, "degraded");
	facts.worker_cpu_share_max = 0.99;
	assert_verdict(&facts, "client_limited");
	facts.throttled_share = 0;
	assert_verdict(&facts, "client_limited");
}

static void test_result_quality__nothing_measured_has_no_verdict(void **state)
{
	struct res_quality_facts facts;

	(void)state;
	res_quality_init(&facts);
	assert_verdict(&facts, NULL);
	facts = good_facts();
	facts.completed = 0;
	assert_verdict(&facts, NULL);
	facts.completed = 40;
	assert_verdict(&facts, "trusted");
}

static void test_result_quality__init_knows_nothing(void **state)
{
	struct res_quality_facts facts;
	auto_json json_t *quality = NULL;

	(void)state;
	res_quality_init(&facts);
	quality = res_quality_evaluate(&facts);
	const json_t *list = json_object_get(quality, "checks");
	for (size_t i = 0; i < json_array_size(list); i++)
		assert_string_equal(text_of(json_array_get(list, i), "status"), "unknown");
}

static void test_result_quality__all_checks_in_the_tables_order(void **state)
{
	struct res_quality_facts facts = good_facts();
	auto_json json_t *quality = res_quality_evaluate(&facts);
	const json_t *list = json_object_get(quality, "checks");

	(void)state;
	assert_int_equal(json_array_size(list), PL_ARRAY_SIZE(ids));
	for (size_t i = 0; i < PL_ARRAY_SIZE(ids); i++) {
		const json_t *row = json_array_get(list, i);
		assert_string_equal(text_of(row, "id"), ids[i]);
		assert_string_equal(text_of(row, "status"), "ok");
		assert_true(json_is_number(json_object_get(row, "limit")));
		assert_true(strlen(text_of(row, "text")) > 0);
		assert_int_equal(json_object_size(row), 7);
	}
}

static void test_result_quality__every_check_has_cases(void **state)
{
	static const char *const statuses[] = { "ok", "beyond", "unknown" };

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(ids); i++) {
		for (size_t k = 0; k < PL_ARRAY_SIZE(statuses); k++) {
			bool found = false;
			for (size_t j = 0; j < PL_ARRAY_SIZE(cases); j++)
				found = found || (strcmp(cases[j].id, ids[i]) == 0 &&
						  strcmp(cases[j].status, statuses[k]) == 0);
			if (!found)
				fail_msg("%s has no case that is %s", ids[i], statuses[k]);
		}
	}
}

static void test_result_quality__reports_the_limit_in_force(void **state)
{
	struct res_quality_facts facts = good_facts();
	auto_json json_t *quality = NULL;

	(void)state;
	facts.median_itl_ms = 80;
	facts.mean_e2el_ms = 5000;
	quality = res_quality_evaluate(&facts);
	const json_t *row = check_of(quality, "client_queueing");
	assert_float_equal(json_real_value(json_object_get(row, "limit")), 8, 1e-12);
	assert_string_equal(text_of(row, "unit"), "ms");
	row = check_of(quality, "short_run");
	assert_float_equal(json_real_value(json_object_get(row, "limit")), 15, 1e-12);
}

static void test_result_quality__names_percentiles_not_carried(void **state)
{
	static const double asked[] = { 0, 50, 95, 99, 99.9, 100 };
	struct res_quality_facts facts = good_facts();
	auto_json json_t *quality = NULL;

	(void)state;
	facts.percentiles = asked;
	facts.percentile_count = PL_ARRAY_SIZE(asked);
	facts.completed = 72;
	quality = res_quality_evaluate(&facts);
	const json_t *row = check_of(quality, "sample_size");
	assert_float_equal(json_real_value(json_object_get(row, "limit")), 3688, 0);
	assert_non_null(
		strstr(text_of(row, "text"), "not carried: p99 (needs 368), p99.9 (needs 3688)"));
	assert_null(strstr(text_of(row, "text"), "p95"));
	assert_null(strstr(text_of(row, "text"), "p100"));
}

static void test_result_quality__sample_needed(void **state)
{
	static const struct {
		double percentile, needed;
	} wanted[] = { { 50, 6 },  { 25, 13 }, { 75, 13 },  { 10, 36 },     { 90, 36 },   { 5, 72 },
		       { 95, 72 }, { 1, 368 }, { 99, 368 }, { 99.9, 3688 }, { 0.1, 3688 } };

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(wanted); i++)
		assert_float_equal(res_quality_sample_needed(wanted[i].percentile),
				   wanted[i].needed, 0);
	assert_true(isinf(res_quality_sample_needed(0)));
	assert_true(isinf(res_quality_sample_needed(100)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_result_quality__cases),
		cmocka_unit_test(test_result_quality__verdict_is_the_worst_effect),
		cmocka_unit_test(test_result_quality__worst_of_several),
		cmocka_unit_test(test_result_quality__nothing_measured_has_no_verdict),
		cmocka_unit_test(test_result_quality__init_knows_nothing),
		cmocka_unit_test(test_result_quality__all_checks_in_the_tables_order),
		cmocka_unit_test(test_result_quality__every_check_has_cases),
		cmocka_unit_test(test_result_quality__reports_the_limit_in_force),
		cmocka_unit_test(test_result_quality__names_percentiles_not_carried),
		cmocka_unit_test(test_result_quality__sample_needed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
