/*
 * `results` and `quality` of a synthetic run. Latencies have a log-normal distribution, so all their statistics follow
 * from a median and a width. Metrics without a value stay null.
 */
#include <stddef.h>
#include <stdio.h>

#include "demo/history_priv.h"
#include "result/metrics/metrics.h"
#include "result/quality.h"

#define KEY_BYTES_MAX 80
#define CI_LEAST      100 /* requests for a confidence interval */

/* The percentiles in results, and their distance from the median in standard deviations. */
static const struct {
	const char *name;
	double widths;
} percentiles[] = {
	{ "p1", -2.326 }, { "p5", -1.645 }, { "p10", -1.282 }, { "p25", -0.674 }, { "p50", 0 },
	{ "p75", 0.674 }, { "p90", 1.282 }, { "p95", 1.645 },  { "p99", 2.326 },  { "p99.9", 3.09 },
};
static const double reported[] = { RES_PERCENTILES };

/* A family of statistics; median 0: no values. */
struct spread {
	const char *key;
	double median;
	double width;
};

static void set(json_t *into, const char *statistic, const char *family, const char *suffix,
		json_t *value)
{
	char key[KEY_BYTES_MAX];

	snprintf(key, sizeof(key), "%s_%s%s", statistic, family, suffix);
	json_object_set_new(into, key, value);
}

/* Adds its confidence interval if requested. */
static void set_statistic(json_t *into, const char *statistic, const struct spread *spread,
			  double value, double off)
{
	set(into, statistic, spread->key, "", json_real(value));
	if (off > 0)
		set(into, statistic, spread->key, "_ci95",
		    json_pack("[f, f]", value * (1 - off), value * (1 + off)));
}

static double mean_of(double median, double width)
{
	return median * exp(width * width / 2);
}

/* requests: number of samples; 0: without intervals, as in the steady part. */
static void add_family(json_t *into, const struct spread *spread, double requests)
{
	double width = spread->width;
	double off = requests >= CI_LEAST ? 2 * width / sqrt(requests) : 0;
	double mean = mean_of(spread->median, width);

	if (spread->median <= 0)
		return;
	set_statistic(into, "mean", spread, mean, off);
	set_statistic(into, "median", spread, spread->median, off * 1.25);
	set_statistic(into, "std", spread, mean * sqrt(expm1(width * width)), 0);
	for (size_t i = 0; i < PL_ARRAY_SIZE(percentiles); i++) {
		bool is_rare = fabs(percentiles[i].widths) > 2;
		set_statistic(into, percentiles[i].name, spread,
			      spread->median * exp(width * percentiles[i].widths),
			      is_rare ? 0 : off * 1.6);
	}
}

/* The mean E2EL is that of TTFT and of all later tokens. */
static double median_e2el_ms(const struct demo_figures *figures)
{
	double width = figures->spread;
	double first = mean_of(figures->ttft_ms, width * 1.5);
	double later = (figures->output - 1) * mean_of(figures->tpot_ms, width / 3);

	return (first + later) / mean_of(1, width / 2);
}

static void add_families(json_t *into, const struct demo_figures *figures, double requests)
{
	bool is_planned = isfinite(figures->rate);
	double width = figures->spread, e2el_ms = median_e2el_ms(figures);
	const struct spread families[] = {
		{ "ttft_ms", figures->ttft_ms, width * 1.5 },
		{ "tpot_ms", figures->tpot_ms, width / 3 },
		{ "itl_ms", figures->tpot_ms * 0.97, width },
		{ "e2el_ms", e2el_ms, width / 2 },
		{ "first_token_ms", figures->ttft_ms, width * 1.5 },
		{ "token_gap_ms", figures->tpot_ms * 0.97, width },
		{ "time_per_token_ms", figures->tpot_ms, width / 3 },
		{ "ttft_planned_ms", is_planned ? figures->ttft_ms + 0.05 : 0, width * 1.5 },
		{ "first_token_planned_ms", is_planned ? figures->ttft_ms + 0.05 : 0, width * 1.5 },
		{ "e2el_planned_ms", is_planned ? e2el_ms + 0.05 : 0, width / 2 },
	};

	for (size_t i = 0; i < PL_ARRAY_SIZE(families); i++)
		add_family(into, &families[i], requests);
}

/* Sets the client error bounds: close to zero. */
static void add_client_errors(json_t *into, const struct demo_figures *figures)
{
	static const char *const statistics[] = {
#define STATISTIC(name, percentile) #name,
#include "tbl/metrics.h"
	};
	const struct spread families[] = {
		{ "ttft_ms", figures->ttft_ms, 0 },        { "tpot_ms", figures->tpot_ms, 0 },
		{ "itl_ms", figures->tpot_ms, 0 },         { "e2el_ms", figures->e2el_ms, 0 },
		{ "first_token_ms", figures->ttft_ms, 0 },
	};

	for (size_t i = 0; i < PL_ARRAY_SIZE(families); i++) {
		for (size_t j = 0; j < PL_ARRAY_SIZE(statistics); j++)
			set(into, statistics[j], families[i].key, "_client_error",
			    json_pack("[f, f]", -0.0004 * families[i].median, 0.0));
	}
}

static json_t *steady(const struct demo_figures *figures)
{
	if (figures->completed < CI_LEAST)
		return json_null();
	json_t *json = json_pack("{s:f, s:f, s:I}", "start_s", figures->duration_s * 0.1, "end_s",
				 figures->duration_s * 0.85, "completed",
				 (json_int_t)(figures->completed * 0.75));
	add_families(json, figures, 0);
	return json;
}

static void add_totals(json_t *into, const struct demo_figures *figures)
{
	double rate = figures->completed / figures->duration_s;
	double peak = fmin(figures->running * 1.2 + 1, figures->prompts);
	double failed = figures->prompts - figures->completed;

	json_object_update_new(
		into,
		json_pack("{s:f, s:I, s:I, s:I, s:I, s:i, s:i, s:I, s:I}", "duration",
			  figures->duration_s, "completed_requests", (json_int_t)figures->completed,
			  "failed_requests", (json_int_t)failed, "completed",
			  (json_int_t)figures->completed, "failed", (json_int_t)failed, "retries",
			  0, "retried_requests", 0, "total_input_tokens",
			  (json_int_t)(figures->completed * figures->input), "total_output_tokens",
			  (json_int_t)(figures->completed * figures->output)));
	json_object_update_new(
		into,
		json_pack("{s:f, s:f, s:f, s:f, s:f, s:I, s:I, s:f, s:f}", "request_throughput",
			  rate, "input_throughput", rate * figures->input, "output_throughput",
			  rate * figures->output, "total_token_throughput",
			  rate * (figures->input + figures->output), "max_output_tokens_per_s",
			  floor(rate * figures->output * 1.15), "max_concurrent_requests",
			  (json_int_t)ceil(peak * 1.5), "peak_in_flight", (json_int_t)ceil(peak),
			  "peak_output_tokens_per_s_sliding", floor(rate * figures->output * 1.22),
			  "prompt_token_offset_median", 0.0));
}

json_t *demo_results(const struct demo *history, const struct demo_plan *plan,
		     const struct demo_figures *figures)
{
	double watts = plan->host->gpu_w * (0.3 + 0.65 * figures->load) * figures->gpus;
	double tokens = figures->completed * figures->output;
	double failed = figures->prompts - figures->completed;
	/* documents are made and read in several threads, so they share no reference counts */
	json_t *json = json_deep_copy(history->results);

	add_totals(json, figures);
	/* For limits of 500 ms and 50 ms, if the load requests it. */
	bool keeps = figures->tpot_ms <= 50;
	double late = log(500 / figures->ttft_ms) / fmax(0.05, figures->spread * 1.5);
	double share = keeps ? 1 / (1 + exp(-1.7 * late)) : 0;
	if (json_object_get(plan->load, "goodput") != NULL)
		json_object_set_new(json, "request_goodput",
				    json_real(share * figures->completed / figures->duration_s));
	if (figures->completed > 0) {
		add_families(json, figures, figures->completed);
		add_client_errors(json, figures);
		json_object_set_new(json, "energy_per_token_j",
				    json_real(watts * figures->duration_s / tokens));
	}
	if (failed > 0)
		json_object_set_new(json, "errors",
				    json_pack("[{s:s, s:n, s:I, s:i, s:s}]", "kind", "reset",
					      "status", "count", (json_int_t)failed, "retried", 0,
					      "sample", "Connection reset by peer"));
	json_object_set_new(json, "steady", steady(figures));
	json_object_set_new(json, "latency_breakdown", demo_breakdown(figures, json));
	return json;
}

/* ---- quality ------------------------------------------------------------------------------- */

/* Problems of some runs. */
static const struct {
	double share;
	size_t fact;
	double value;
} troubles[] = {
	{ 0.030, offsetof(struct res_quality_facts, client_error_share), 0.045 },
	{ 0.012, offsetof(struct res_quality_facts, client_error_share), 0.17 },
	{ 0.015, offsetof(struct res_quality_facts, foreign_load), 1 },
	{ 0.020, offsetof(struct res_quality_facts, throttled_share), 0.06 },
	{ 0.010, offsetof(struct res_quality_facts, host_steal_share), 0.13 },
	{ 0.010, offsetof(struct res_quality_facts, prefix_hit_share), 0.35 },
	{ 0.008, offsetof(struct res_quality_facts, server_restarted), 1 },
	{ 0.006, offsetof(struct res_quality_facts, output_token_disagreement), 0.04 },
	{ 0.050, offsetof(struct res_quality_facts, preemptions), 12 },
};

/* Returns the number of entries if there is none. */
static size_t trouble_of(const struct demo_plan *plan)
{
	double share = plan->trouble;
	size_t i = 0;

	for (; i < PL_ARRAY_SIZE(troubles) && share >= troubles[i].share; i++)
		share -= troubles[i].share;
	return i;
}

bool demo_is_hot(const struct demo_plan *plan)
{
	size_t trouble = trouble_of(plan);

	return trouble < PL_ARRAY_SIZE(troubles) &&
	       troubles[trouble].fact == offsetof(struct res_quality_facts, throttled_share);
}

/* Sets the facts of a good run. */
static void set_facts(const struct demo_figures *figures, struct res_quality_facts *facts)
{
	bool has_rate = isfinite(figures->rate);

	facts->measured_s = figures->duration_s;
	facts->median_itl_ms = figures->tpot_ms;
	facts->median_ttft_ms = figures->ttft_ms;
	facts->mean_e2el_ms = facts->median_e2el_ms = figures->e2el_ms;
	facts->client_error_share = 0.0004;
	facts->client_error_limit = 0.02;
	facts->client_error_lo_ms = -0.0004 * figures->ttft_ms;
	facts->client_error_hi_ms = 0;
	facts->closed_loop = !has_rate;
	facts->burst = 0;
	facts->schedule_finite = has_rate;
	if (has_rate) {
		facts->rate_reached = 0.9995;
		facts->gap_distance = 0.004;
		facts->send_lateness_ms = facts->schedule_lateness_p99_ms = 0.06;
		facts->schedule_lateness_p95_ms = 0.03;
		facts->schedule_requests = figures->prompts;
		facts->mean_gap_ms = 1e3 / figures->rate;
	}
	facts->in_flight_distance = 0.0006;
	facts->client_queueing_p99_ms = 0.05;
	facts->worker_cpu_share_max = 0.02 + 0.2 * figures->load;
	facts->host_steal_share = facts->host_withheld_share = 0;
	facts->clock_step_ms = 0.004;
	facts->inflight_samples = figures->duration_s;
	facts->inflight_disagreement = 0.01;
	facts->merged_token_share = facts->output_token_disagreement = 0;
	facts->prompt_token_disagreement = facts->tokens_by_events = 0;
	facts->record_identity_us = facts->littles_law_share = 0;
	facts->prefix_hit_share = facts->prefix_hit_expected = 0;
	facts->foreign_load = facts->throttled_share = facts->server_restarted = 0;
	facts->preemptions = facts->profiled = 0;
}

json_t *demo_quality(const struct demo_plan *plan, const struct demo_figures *figures)
{
	struct res_quality_facts facts;

	res_quality_init(&facts);
	facts.simulated = 1;
	if (figures == NULL)
		return res_quality_evaluate(&facts);
	set_facts(figures, &facts);
	facts.completed = figures->completed;
	facts.failed = figures->prompts - figures->completed;
	facts.retries = facts.reasonless = 0;
	facts.percentiles = reported;
	facts.percentile_count = PL_ARRAY_SIZE(reported);
	snprintf(facts.worst_metric, sizeof(facts.worst_metric), "p99_ttft_ms");
	size_t trouble = trouble_of(plan);
	if (trouble < PL_ARRAY_SIZE(troubles))
		*(double *)((char *)&facts + troubles[trouble].fact) = troubles[trouble].value;
	return res_quality_evaluate(&facts);
}

json_t *demo_error(const struct demo_fate *fate)
{
	struct pl_err why = PL_ERR_INIT;

	if (fate == NULL || fate->message == NULL)
		return NULL;
	pl_err_set(&why, fate->code, "%s", fate->message);
	json_t *error = res_error(fate->stage, &why, fate->cause, NULL, OPTION_AS_FILE, 0, NULL);
	if (fate->log_line != NULL)
		json_object_set_new(error, "log_line", json_string(fate->log_line));
	return error;
}
