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
#include "result/metrics/client_error.h"

static const char *const ids[] = {
#define QUALITY(id, about, unit, sense, limit, effect, worse, worse_effect, text, finding, action) \
#id,
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
		.median_e2el_ms = 2000,
		.client_error_share = 0.001,
		.client_error_limit = 0.02,
		.client_error_lo_ms = -0.03,
		.client_error_hi_ms = 0.01,
		.closed_loop = 0,
		.burst = 0,
		.rate_reached = 1,
		.gap_distance = 0.01,
		.send_lateness_ms = 1,
		.mean_gap_ms = 50,
		.in_flight_distance = 0.001,
		.client_queueing_p99_ms = 0.1,
		.schedule_finite = 1,
		.schedule_lateness_p99_ms = 0.1,
		.schedule_lateness_p95_ms = 0.05,
		.schedule_requests = 400,
		.cap_held_share = 0,
		.worker_cpu_share_max = 0.1,
		.host_steal_share = 0,
		.host_withheld_share = 0,
		.clock_step_ms = 0,
		.inflight_samples = 25,
		.inflight_disagreement = 0.02,
		.merged_token_share = 0.01,
		.output_token_disagreement = 0,
		.prompt_token_disagreement = 0,
		.tokens_by_events = 0,
		.lacking_done = 0,
		.output_off_share = 0,
		.output_off = 0,
		.output_counted = 500,
		.output_asked = 5000,
		.output_received = 5000,
		.output_exact = 1,
		.prompt_off_share = 0,
		.outputless_share = 0,
		.usage_below_share = 0,
		.buffered_share = 0,
		.empty_first_share = 0,
		.record_identity_us = 0,
		.littles_law_share = 0,
		.prefix_hit_share = 0.1,
		.prefix_hit_expected = 0.1,
		.foreign_load = 0,
		.throttled_share = 0,
		.profiled = 0,
		.server_restarted = 0,
		.preemptions = 0,
		.totals_off_share = 0,
		.order_off_share = 0,
		.impossible_zeros = 0,
		.lists_off_share = 0,
		.requests_missing_share = 0,
		.simulated = 0,
		.percentiles = percentiles,
		.percentile_count = PL_ARRAY_SIZE(percentiles),
		.worst_metric = "p99_ttft_ms",
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
	{ "client_error", "passed", "degraded", { { AT(client_error_share), 0.02 } } },
	{ "client_error", "over_limit", "degraded", { { AT(client_error_share), 0.021 } } },
	{ "client_error", "over_limit", "degraded", { { AT(client_error_share), 0.10 } } },
	{ "client_error", "over_limit", "client_limited", { { AT(client_error_share), 0.101 } } },
	/* 0.1 ms of a figure of half a millisecond */
	{ "client_error",
	  "passed",
	  "degraded",
	  { { AT(client_error_share), 0.2 }, { AT(client_error_limit), 0.2 } } },
	{ "client_error",
	  "over_limit",
	  "client_limited",
	  { { AT(client_error_share), 0.21 }, { AT(client_error_limit), 0.2 } } },
	{ "client_error",
	  "unknown",
	  "degraded",
	  { { AT(client_error_share), NAN }, { AT(client_error_limit), NAN } } },

	{ "rate_shortfall", "passed", "degraded", { { AT(rate_reached), 0.98 } } },
	{ "rate_shortfall", "over_limit", "degraded", { { AT(rate_reached), 0.979 } } },
	{ "rate_shortfall", "over_limit", "degraded", { { AT(rate_reached), 0.95 } } },
	{ "rate_shortfall", "over_limit", "client_limited", { { AT(rate_reached), 0.949 } } },
	{ "rate_shortfall", "unknown", "degraded", { { AT(rate_reached), NAN } } },

	{ "gap_distance", "passed", "degraded", { { AT(gap_distance), 0.10 } } },
	{ "gap_distance", "over_limit", "degraded", { { AT(gap_distance), 0.101 } } },
	{ "gap_distance", "unknown", "degraded", { { AT(gap_distance), NAN } } },

	/* small against a latency of two seconds, or against a gap of half a second */
	{ "send_lateness", "passed", "degraded", { { AT(send_lateness_ms), 100 } } },
	{ "send_lateness", "over_limit", "degraded", { { AT(send_lateness_ms), 101 } } },
	{ "send_lateness", "over_limit", "degraded", { { AT(send_lateness_ms), 5000 } } },
	{ "send_lateness",
	  "passed",
	  "degraded",
	  { { AT(send_lateness_ms), 250 }, { AT(mean_gap_ms), 500 } } },
	{ "send_lateness",
	  "over_limit",
	  "degraded",
	  { { AT(send_lateness_ms), 251 }, { AT(mean_gap_ms), 500 } } },
	{ "send_lateness",
	  "passed",
	  "degraded",
	  { { AT(send_lateness_ms), 200 }, { AT(burst), 1 }, { AT(mean_gap_ms), NAN } } },
	{ "send_lateness",
	  "over_limit",
	  "degraded",
	  { { AT(send_lateness_ms), 201 }, { AT(burst), 1 }, { AT(mean_gap_ms), NAN } } },
	{ "send_lateness", "unknown", "degraded", { { AT(send_lateness_ms), NAN } } },
	{ "send_lateness", "unknown", "degraded", { { AT(median_e2el_ms), NAN } } },

	{ "in_flight_distance", "passed", "degraded", { { AT(in_flight_distance), 0.05 } } },
	{ "in_flight_distance", "over_limit", "degraded", { { AT(in_flight_distance), 0.9 } } },
	{ "in_flight_distance", "unknown", "degraded", { { AT(in_flight_distance), NAN } } },
	{ "in_flight_distance", "unknown", "degraded", { { AT(closed_loop), 1 } } },

	{ "idle_slots",
	  "passed",
	  "degraded",
	  { { AT(closed_loop), 1 }, { AT(in_flight_distance), 0.05 } } },
	{ "idle_slots",
	  "over_limit",
	  "degraded",
	  { { AT(closed_loop), 1 }, { AT(in_flight_distance), 0.10 } } },
	{ "idle_slots",
	  "over_limit",
	  "client_limited",
	  { { AT(closed_loop), 1 }, { AT(in_flight_distance), 0.101 } } },
	{ "idle_slots", "unknown", "degraded", { { AT(in_flight_distance), 0.9 } } },

	{ "concurrency_limited",
	  "passed",
	  "info",
	  { { AT(schedule_finite), 1 }, { AT(cap_held_share), 0.05 } } },
	{ "concurrency_limited",
	  "over_limit",
	  "info",
	  { { AT(schedule_finite), 1 }, { AT(cap_held_share), 0.051 } } },
	{ "concurrency_limited",
	  "unknown",
	  "info",
	  { { AT(schedule_finite), 1 }, { AT(cap_held_share), NAN } } },
	/* at rate inf no rate is configured that the limit could lower */
	{ "concurrency_limited",
	  "unknown",
	  "info",
	  { { AT(schedule_finite), 0 }, { AT(cap_held_share), 0.9 } } },

	{ "client_queueing", "passed", "info", { { AT(client_queueing_p99_ms), 3 } } },
	{ "client_queueing", "over_limit", "info", { { AT(client_queueing_p99_ms), 3.001 } } },
	{ "client_queueing", "over_limit", "info", { { AT(client_queueing_p99_ms), 300 } } },
	{ "client_queueing",
	  "passed",
	  "info",
	  { { AT(client_queueing_p99_ms), 5 }, { AT(median_itl_ms), 50 } } },
	{ "client_queueing",
	  "over_limit",
	  "info",
	  { { AT(client_queueing_p99_ms), 4 }, { AT(median_itl_ms), NAN } } },
	{ "client_queueing", "unknown", "info", { { AT(client_queueing_p99_ms), NAN } } },

	{ "schedule_lateness", "passed", "info", { { AT(schedule_lateness_p99_ms), 2 } } },
	{ "schedule_lateness", "over_limit", "info", { { AT(schedule_lateness_p99_ms), 2.01 } } },
	{ "schedule_lateness", "over_limit", "info", { { AT(schedule_lateness_p99_ms), 200 } } },
	{ "schedule_lateness",
	  "passed",
	  "info",
	  { { AT(schedule_lateness_p99_ms), 5 }, { AT(median_ttft_ms), 100 } } },
	{ "schedule_lateness",
	  "passed",
	  "info",
	  { { AT(schedule_lateness_p99_ms), 50 }, { AT(schedule_requests), 99 } } },
	{ "schedule_lateness",
	  "over_limit",
	  "info",
	  { { AT(schedule_lateness_p95_ms), 3 }, { AT(schedule_requests), 99 } } },
	{ "schedule_lateness",
	  "passed",
	  "info",
	  { { AT(schedule_lateness_p95_ms), 3 }, { AT(schedule_requests), 100 } } },
	{ "schedule_lateness", "unknown", "info", { { AT(schedule_finite), 0 } } },
	{ "schedule_lateness", "unknown", "info", { { AT(schedule_finite), NAN } } },
	{ "schedule_lateness", "unknown", "info", { { AT(schedule_requests), 0 } } },

	{ "client_cpu", "passed", "info", { { AT(worker_cpu_share_max), 0.80 } } },
	{ "client_cpu", "over_limit", "info", { { AT(worker_cpu_share_max), 0.81 } } },
	{ "client_cpu", "over_limit", "info", { { AT(worker_cpu_share_max), 0.99 } } },
	{ "client_cpu", "unknown", "info", { { AT(worker_cpu_share_max), NAN } } },

	{ "host_steal", "passed", "info", { { AT(host_steal_share), 0.05 } } },
	{ "host_steal", "over_limit", "info", { { AT(host_steal_share), 0.1 } } },
	{ "host_steal", "over_limit", "degraded", { { AT(host_steal_share), 0.11 } } },
	{ "host_steal", "unknown", "info", { { AT(host_steal_share), NAN } } },
	{ "host_withheld", "passed", "info", { { AT(host_withheld_share), 0.05 } } },
	{ "host_withheld", "over_limit", "info", { { AT(host_withheld_share), 0.9 } } },
	{ "host_withheld", "unknown", "info", { { AT(host_withheld_share), NAN } } },

	{ "clock_step", "passed", "info", { { AT(clock_step_ms), 1 } } },
	{ "clock_step", "over_limit", "info", { { AT(clock_step_ms), 1.01 } } },
	{ "clock_step", "over_limit", "info", { { AT(clock_step_ms), -1.01 } } },
	{ "clock_step", "unknown", "info", { { AT(clock_step_ms), NAN } } },

	{ "merged_events", "passed", "info", { { AT(merged_token_share), 0.05 } } },
	{ "merged_events", "over_limit", "info", { { AT(merged_token_share), 0.06 } } },
	{ "merged_events", "over_limit", "info", { { AT(merged_token_share), 0.9 } } },
	{ "merged_events", "unknown", "info", { { AT(merged_token_share), NAN } } },

	{ "inflight_agreement", "passed", "degraded", { { AT(inflight_disagreement), 0.10 } } },
	{ "inflight_agreement", "over_limit", "degraded", { { AT(inflight_disagreement), 0.11 } } },
	{ "inflight_agreement",
	  "over_limit",
	  "degraded",
	  { { AT(inflight_disagreement), 0.5 }, { AT(inflight_samples), 5 } } },
	{ "inflight_agreement",
	  "unknown",
	  "degraded",
	  { { AT(inflight_disagreement), 0.5 }, { AT(inflight_samples), 4 } } },
	{ "inflight_agreement", "unknown", "degraded", { { AT(inflight_samples), NAN } } },

	{ "token_agreement", "passed", "degraded", { { AT(output_token_disagreement), 0.01 } } },
	{ "token_agreement",
	  "over_limit",
	  "degraded",
	  { { AT(output_token_disagreement), 0.011 } } },
	{ "token_agreement",
	  "over_limit",
	  "degraded",
	  { { AT(prompt_token_disagreement), 0.011 } } },
	{ "token_agreement",
	  "over_limit",
	  "degraded",
	  { { AT(prompt_token_disagreement), 0.011 }, { AT(output_token_disagreement), NAN } } },
	{ "token_agreement",
	  "unknown",
	  "degraded",
	  { { AT(prompt_token_disagreement), NAN }, { AT(output_token_disagreement), NAN } } },

	{ "token_source", "passed", "degraded", { { AT(tokens_by_events), 0 } } },
	{ "token_source", "over_limit", "degraded", { { AT(tokens_by_events), 1 } } },
	{ "token_source", "unknown", "degraded", { { AT(tokens_by_events), NAN } } },

	{ "record_identity", "passed", "degraded", { { AT(record_identity_us), 1 } } },
	{ "record_identity", "over_limit", "degraded", { { AT(record_identity_us), 1.1 } } },
	{ "record_identity", "unknown", "degraded", { { AT(record_identity_us), NAN } } },

	{ "littles_law", "passed", "degraded", { { AT(littles_law_share), 0.001 } } },
	{ "littles_law", "over_limit", "degraded", { { AT(littles_law_share), 0.0011 } } },
	{ "littles_law", "unknown", "degraded", { { AT(littles_law_share), NAN } } },

	{ "prefix_hits",
	  "passed",
	  "degraded",
	  { { AT(prefix_hit_share), 0.02 }, { AT(prefix_hit_expected), 0 } } },
	{ "prefix_hits", "passed", "degraded", { { AT(prefix_hit_share), 0 } } },
	{ "prefix_hits", "over_limit", "degraded", { { AT(prefix_hit_share), 0.121 } } },
	{ "prefix_hits", "unknown", "degraded", { { AT(prefix_hit_share), NAN } } },
	{ "prefix_hits", "unknown", "degraded", { { AT(prefix_hit_expected), NAN } } },

	{ "foreign_load", "passed", "degraded", { { AT(foreign_load), 0 } } },
	{ "foreign_load", "over_limit", "degraded", { { AT(foreign_load), 1 } } },
	{ "foreign_load", "unknown", "degraded", { { AT(foreign_load), NAN } } },

	{ "throttling", "passed", "degraded", { { AT(throttled_share), 0.01 } } },
	{ "throttling", "over_limit", "degraded", { { AT(throttled_share), 0.011 } } },
	{ "throttling", "unknown", "degraded", { { AT(throttled_share), NAN } } },

	{ "profiled", "passed", "degraded", { { AT(profiled), 0 } } },
	{ "profiled", "over_limit", "degraded", { { AT(profiled), 1 } } },
	{ "profiled", "unknown", "degraded", { { AT(profiled), NAN } } },

	{ "server_restart", "passed", "degraded", { { AT(server_restarted), 0 } } },
	{ "server_restart", "over_limit", "degraded", { { AT(server_restarted), 1 } } },
	{ "server_restart", "unknown", "degraded", { { AT(server_restarted), NAN } } },

	{ "config_mismatch", "passed", "degraded", { { AT(config_mismatch), 0 } } },
	{ "config_mismatch", "over_limit", "degraded", { { AT(config_mismatch), 1 } } },
	{ "config_mismatch", "unknown", "degraded", { { AT(config_mismatch), NAN } } },

	{ "preemptions", "passed", "info", { { AT(preemptions), 0 } } },
	{ "preemptions", "over_limit", "info", { { AT(preemptions), 1 } } },
	{ "preemptions", "unknown", "info", { { AT(preemptions), NAN } } },

	{ "sample_size", "passed", "info", { { AT(completed), 368 } } },
	{ "sample_size", "over_limit", "info", { { AT(completed), 367 } } },
	{ "sample_size", "unknown", "info", { { AT(completed), NAN } } },

	{ "short_run", "passed", "info", { { AT(measured_s), 10 } } },
	{ "short_run", "over_limit", "info", { { AT(measured_s), 9.99 } } },
	{ "short_run", "passed", "info", { { AT(measured_s), 30 }, { AT(mean_e2el_ms), 10000 } } },
	{ "short_run",
	  "over_limit",
	  "info",
	  { { AT(measured_s), 29.9 }, { AT(mean_e2el_ms), 10000 } } },
	{ "short_run", "over_limit", "info", { { AT(measured_s), 9 }, { AT(mean_e2el_ms), NAN } } },
	{ "short_run", "unknown", "info", { { AT(measured_s), NAN } } },

	{ "failures", "passed", "info", { { AT(failed), 0 } } },
	{ "failures", "over_limit", "info", { { AT(failed), 1 } } },
	{ "failures", "unknown", "info", { { AT(failed), NAN } } },

	{ "finish_reasons", "passed", "info", { { AT(reasonless), 0 } } },
	{ "finish_reasons", "over_limit", "info", { { AT(reasonless), 1 } } },
	{ "finish_reasons", "unknown", "info", { { AT(reasonless), NAN } } },

	{ "stream_end", "passed", "info", { { AT(lacking_done), 0 } } },
	{ "stream_end", "over_limit", "info", { { AT(lacking_done), 1 } } },
	{ "stream_end", "unknown", "info", { { AT(lacking_done), NAN } } },

	{ "output_length", "passed", "degraded", { { AT(output_off_share), 0.01 } } },
	{ "output_length", "over_limit", "degraded", { { AT(output_off_share), 0.011 } } },
	/* where answers may end earlier there is no limit */
	{ "output_length",
	  "passed",
	  "degraded",
	  { { AT(output_off_share), 1 }, { AT(output_exact), 0 } } },
	{ "output_length", "unknown", "degraded", { { AT(output_off_share), NAN } } },

	{ "prompt_length", "passed", "info", { { AT(prompt_off_share), 0.01 } } },
	{ "prompt_length", "over_limit", "info", { { AT(prompt_off_share), 0.02 } } },
	{ "prompt_length", "unknown", "info", { { AT(prompt_off_share), NAN } } },

	{ "empty_output", "passed", "info", { { AT(outputless_share), 0 } } },
	{ "empty_output", "over_limit", "info", { { AT(outputless_share), 0.99 } } },
	{ "empty_output", "over_limit", "degraded", { { AT(outputless_share), 1 } } },
	{ "empty_output", "unknown", "info", { { AT(outputless_share), NAN } } },

	{ "usage_contradiction", "passed", "degraded", { { AT(usage_below_share), 0 } } },
	{ "usage_contradiction", "over_limit", "degraded", { { AT(usage_below_share), 0.001 } } },
	{ "usage_contradiction", "unknown", "degraded", { { AT(usage_below_share), NAN } } },

	{ "buffered_stream", "passed", "degraded", { { AT(buffered_share), 0.5 } } },
	{ "buffered_stream", "over_limit", "degraded", { { AT(buffered_share), 0.51 } } },
	{ "buffered_stream", "unknown", "degraded", { { AT(buffered_share), NAN } } },

	{ "empty_first_event", "passed", "info", { { AT(empty_first_share), 0.01 } } },
	{ "empty_first_event", "over_limit", "info", { { AT(empty_first_share), 0.02 } } },
	{ "empty_first_event", "unknown", "info", { { AT(empty_first_share), NAN } } },
	{ "totals_agreement", "passed", "degraded", { { AT(totals_off_share), 0.01 } } },
	{ "totals_agreement", "over_limit", "degraded", { { AT(totals_off_share), 0.011 } } },
	{ "totals_agreement", "unknown", "degraded", { { AT(totals_off_share), NAN } } },
	{ "statistics_order", "passed", "degraded", { { AT(order_off_share), 0.001 } } },
	{ "statistics_order", "over_limit", "degraded", { { AT(order_off_share), 0.0011 } } },
	{ "statistics_order", "unknown", "degraded", { { AT(order_off_share), NAN } } },
	{ "impossible_zeros", "passed", "degraded", { { AT(impossible_zeros), 0 } } },
	{ "impossible_zeros", "over_limit", "degraded", { { AT(impossible_zeros), 1 } } },
	{ "impossible_zeros", "unknown", "degraded", { { AT(impossible_zeros), NAN } } },
	{ "lists_agreement", "passed", "degraded", { { AT(lists_off_share), 0.01 } } },
	{ "lists_agreement", "over_limit", "degraded", { { AT(lists_off_share), 0.011 } } },
	{ "lists_agreement", "unknown", "degraded", { { AT(lists_off_share), NAN } } },
	{ "request_count", "passed", "info", { { AT(requests_missing_share), 0 } } },
	{ "request_count", "over_limit", "info", { { AT(requests_missing_share), 0.1 } } },
	{ "request_count", "unknown", "info", { { AT(requests_missing_share), NAN } } },

	{ "retries", "passed", "info", { { AT(retries), 0 } } },
	{ "retries", "over_limit", "info", { { AT(retries), 1 } } },
	{ "retries", "unknown", "info", { { AT(retries), NAN } } },

	{ "simulated", "passed", "info", { { AT(simulated), 0 } } },
	{ "simulated", "over_limit", "info", { { AT(simulated), 1 } } },
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

/*
 * Changing one fact to make a check beyond gives that check's effect as the verdict. Nothing is
 * trusted of which it is not known how far the client moved it.
 */
static void test_result_quality__verdict_is_the_worst_effect(void **state)
{
	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		struct res_quality_facts facts = facts_of(&cases[i]);
		bool beyond = strcmp(cases[i].status, "over_limit") == 0;
		if (isnan(facts.completed) || isnan(facts.client_error_share))
			assert_verdict(&facts, NULL);
		else if (facts.in_flight_distance > 0.05 && facts.closed_loop == 0)
			assert_verdict(&facts, "degraded");
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
	facts.client_error_share = 0.3;
	assert_verdict(&facts, "client_limited");
	facts.throttled_share = 0;
	assert_verdict(&facts, "client_limited");
}

/* A busy, stopped, starved client whose metrics and load are correct. */
static void test_result_quality__the_clients_state_is_no_verdict(void **state)
{
	struct res_quality_facts facts = good_facts();

	(void)state;
	facts.client_queueing_p99_ms = 500;
	facts.schedule_lateness_p99_ms = facts.schedule_lateness_p95_ms = 500;
	facts.worker_cpu_share_max = 1;
	facts.host_steal_share = 0.1;
	facts.host_withheld_share = 0.9;
	facts.clock_step_ms = 1000;
	facts.merged_token_share = 1;
	assert_verdict(&facts, "trusted");
	facts.host_steal_share = 0.2; /* of this one: the kernel's stamps are late too */
	assert_verdict(&facts, "degraded");
	facts.host_steal_share = 0.1;
	facts.gap_distance = 0.2;
	assert_verdict(&facts, "degraded");
}

/* Trust wants both known; a fault needs no more than itself. */
static void test_result_quality__unknown_is_not_trusted(void **state)
{
	struct res_quality_facts facts = good_facts();

	(void)state;
	facts.client_error_share = NAN;
	assert_verdict(&facts, NULL);
	facts.foreign_load = 1;
	assert_verdict(&facts, "degraded");
	facts = good_facts();
	facts.rate_reached = facts.gap_distance = facts.send_lateness_ms = NAN;
	assert_verdict(&facts, "trusted");
	facts.in_flight_distance = NAN;
	assert_verdict(&facts, NULL);
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
	assert_true(json_is_null(json_object_get(quality, "measurement")));
	json_t *load = json_object_get(quality, "load"), *value;
	const char *key;
	assert_int_equal(json_object_size(load), 5);
	json_object_foreach(load, key, value) assert_true(json_is_null(value));
}

static void assert_load(const json_t *quality, const char *key, double value, double limit)
{
	const json_t *row = json_object_get(json_object_get(quality, "load"), key);

	assert_int_equal(json_object_size(row), 2);
	assert_float_equal(json_real_value(json_object_get(row, "value")), value, 1e-12);
	assert_float_equal(json_real_value(json_object_get(row, "limit")), limit, 1e-12);
}

static void test_result_quality__reports_measurement_and_load(void **state)
{
	struct res_quality_facts facts = good_facts();

	(void)state;
	for (int closed = 0; closed < 2; closed++) {
		facts.closed_loop = closed;
		facts.burst = 1 - closed;
		auto_json json_t *quality = res_quality_evaluate(&facts);
		const json_t *measurement = json_object_get(quality, "measurement");
		assert_string_equal(text_of(measurement, "metric"), "p99_ttft_ms");
		assert_float_equal(json_real_value(json_object_get(measurement, "share")), 0.001,
				   1e-12);
		assert_float_equal(json_real_value(json_object_get(measurement, "lo")), -0.03,
				   1e-12);
		assert_float_equal(json_real_value(json_object_get(measurement, "hi")), 0.01,
				   1e-12);
		assert_load(quality, "rate_reached", 1, 0.98);
		assert_load(quality, "gap_distance", 0.01, 0.10);
		assert_load(quality, "lateness_p99_of_mean_gap", 0.02, 0.50);
		assert_load(quality, "lateness_p99_of_median_e2el", 0.0005, closed ? 0.05 : 0.10);
		assert_load(quality, "in_flight_distance", 0.001, 0.05);
	}
}

/* The limit next to the client error selects the worst metric; the limit of the check is a row. */
static void test_result_quality__one_limit_of_the_client_error(void **state)
{
	struct res_quality_facts facts = good_facts();
	auto_json json_t *quality = NULL;

	(void)state;
	facts.client_error_limit = RES_CLIENT_ERROR_SHARE_MAX;
	quality = res_quality_evaluate(&facts);
	const json_t *limit = json_object_get(check_of(quality, "client_error"), "limit");
	assert_true(json_real_value(limit) == RES_CLIENT_ERROR_SHARE_MAX);
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
		/* there are no slots without a cap */
		assert_string_equal(text_of(row, "status"),
				    strcmp(ids[i], "idle_slots") == 0 ? "unknown" : "passed");
		assert_true(json_is_number(json_object_get(row, "limit")));
		assert_true(strlen(text_of(row, "text")) > 0);
		assert_int_equal(json_object_size(row), 7);
	}
}

static void test_result_quality__every_check_has_cases(void **state)
{
	static const char *const statuses[] = { "passed", "over_limit", "unknown" };

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

/* Checks of a file of another program: the known ones, and their outcomes. */
static void test_result_quality__known_checks_alone(void **state)
{
	struct res_quality_facts facts;

	(void)state;
	res_quality_init(&facts);
	facts.completed = 5;
	facts.totals_off_share = 0.5;
	facts.order_off_share = 0;
	snprintf(facts.totals_detail, sizeof(facts.totals_detail), "duration: found 1");
	auto_json json_t *quality = res_quality_evaluate_known(&facts);
	assert_int_equal(json_array_size(json_object_get(quality, "checks")), 2);
	assert_string_equal(text_of(quality, "verdict"), "degraded");
	const json_t *totals = check_of(quality, "totals_agreement");
	assert_non_null(strstr(text_of(totals, "text"), "; duration: found 1"));
	assert_true(json_is_null(json_object_get(quality, "measurement")));
	/* what agrees is not trusted for that */
	facts.totals_off_share = 0;
	auto_json json_t *sound = res_quality_evaluate_known(&facts);
	assert_true(json_is_null(json_object_get(sound, "verdict")));
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
	static const double requested[] = { 0, 50, 95, 99, 99.9, 100 };
	struct res_quality_facts facts = good_facts();
	auto_json json_t *quality = NULL;

	(void)state;
	facts.percentiles = requested;
	facts.percentile_count = PL_ARRAY_SIZE(requested);
	facts.completed = 72;
	quality = res_quality_evaluate(&facts);
	const json_t *row = check_of(quality, "sample_size");
	assert_float_equal(json_real_value(json_object_get(row, "limit")), 3688, 0);
	assert_non_null(strstr(text_of(row, "text"),
			       "this run has too few requests for p99 (needs 368), p99.9"));
	assert_null(strstr(text_of(row, "text"), "(needs 3688)"));
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
		cmocka_unit_test(test_result_quality__the_clients_state_is_no_verdict),
		cmocka_unit_test(test_result_quality__unknown_is_not_trusted),
		cmocka_unit_test(test_result_quality__reports_measurement_and_load),
		cmocka_unit_test(test_result_quality__one_limit_of_the_client_error),
		cmocka_unit_test(test_result_quality__nothing_measured_has_no_verdict),
		cmocka_unit_test(test_result_quality__init_knows_nothing),
		cmocka_unit_test(test_result_quality__all_checks_in_the_tables_order),
		cmocka_unit_test(test_result_quality__every_check_has_cases),
		cmocka_unit_test(test_result_quality__known_checks_alone),
		cmocka_unit_test(test_result_quality__reports_the_limit_in_force),
		cmocka_unit_test(test_result_quality__names_percentiles_not_carried),
		cmocka_unit_test(test_result_quality__sample_needed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
