#include "run/document/facts.h"

#include <math.h>

#include "base/clock.h"
#include "experiment/kinds.h"
#include "result/inflight.h"
#include "result/metrics/turns.h"
#include "result/quality_facts.h"
#include "run/run_priv.h"
#include "run/steps/prefix_hits.h"

/* Returns after - before; NaN if a page or the value is missing. */
static double grown(const struct run_window *window, size_t offset)
{
	if (!window->before.known || !window->after.known)
		return NAN;
	double before = *(const double *)((const char *)&window->before.metrics + offset);
	double after = *(const double *)((const char *)&window->after.metrics + offset);
	return after - before;
}

#define GROWN(window, field) grown(window, offsetof(struct host_metrics, field))

/* Returns whether the intermediate pages show counters of a restarted server. */
static bool is_restart_seen(const struct run_state *run)
{
	return run->telemetry.over && host_telemetry_server_restarted(run->telemetry.host);
}

static double server_restarted(const struct run_window *window)
{
	double moved_s = GROWN(window, start_time_s);
	double counters[] = { GROWN(window, generation_tokens), GROWN(window, prompt_tokens),
			      GROWN(window, request_success) };
	bool known = !isnan(moved_s);

	/* a restarted server has the same start time only if its page lacks it */
	if (known && fabs(moved_s) > 0)
		return 1;
	for (size_t i = 0; i < PL_ARRAY_SIZE(counters); i++) {
		known |= !isnan(counters[i]);
		if (counters[i] < 0)
			return 1;
	}
	return known ? 0 : NAN;
}

double run_server_restarted(const struct run_state *run)
{
	return is_restart_seen(run) ? 1 : server_restarted(&run->measured.window);
}

/*
 * Counts of the server's requests that belong to this run. The server may have answered an attempt whose
 * response was lost; vLLM's client reports no attempts. An embedding model that reranks counts the query too.
 */
struct ours {
	double most;           /* a request per prompt or document */
	double least_by_query; /* and one for each query; NaN without queries */
	double most_by_query;
};

static struct ours count_ours(const struct run_state *run)
{
	const struct res_outcome *outcome = run->measured.outcome;
	const char *backend = run->context.experiment->bench.backend;
	double probes = (double)run_probe_count(run->measured.extras.probe);
	struct ours ours = { probes, probes, probes };

	for (size_t i = 0; i < outcome->count; i++) {
		const struct res_record *record = &outcome->records[i];
		double parts = record->input_sequences > 1 ? (double)record->input_sequences : 1;
		double tries = record->tries > 0 ? record->tries : 1;
		if (record->acted_ns == RES_NO_TIME)
			continue;
		ours.most += tries * parts;
		ours.most_by_query += tries * (parts + 1);
		ours.least_by_query += record->ok ? parts + 1 : 0;
	}
	if (!exp_backend_has(backend, EXP_BACKEND_PAIRS))
		ours.least_by_query = ours.most_by_query = NAN;
	return ours;
}

/*
 * Returns whether a request of ours is several of the server, whose gauges then count more. A pair of a query
 * and one document is one request of a reranker, but two of an embedding model.
 */
static bool has_lists(const struct run_state *run)
{
	const struct res_outcome *outcome = run->measured.outcome;

	for (size_t i = 0; outcome->records != NULL && i < outcome->count; i++) {
		if (outcome->records[i].input_sequences > 1)
			return true;
	}
	return outcome->records != NULL &&
	       GROWN(&run->measured.window, request_success) >= count_ours(run).least_by_query;
}

/* Some servers count a request with n choices n times: then the counts cannot be compared. */
static double foreign_load(const struct run_state *run)
{
	double finished = GROWN(&run->measured.window, request_success);

	if (isnan(finished) ||
	    json_object_get(run->context.experiment->bench.extra_body, "n") != NULL ||
	    run->measured.outcome->records == NULL)
		return NAN;
	struct ours ours = count_ours(run);
	if (finished <= ours.most)
		return 0;
	return finished >= ours.least_by_query && finished <= ours.most_by_query ? 0 : 1;
}

static void agreement(const struct run_state *run, struct res_quality_facts *ret)
{
	size_t count = 0, sent_count = 0;
	const struct host_requests_sample *pages =
		run->telemetry.over ? host_telemetry_requests(run->telemetry.host, &count) : NULL;
	auto_free struct res_inflight_sample *samples = pl_alloc_array(count, sizeof(*samples));

	/* the page was made at some time in between; a late response describes an earlier moment */
	for (size_t i = 0; i < count; i++)
		samples[i] = (struct res_inflight_sample){ .t_ns = pages[i].t_ns,
							   .theirs = pages[i].requests };
	auto_free struct res_inflight *requested = res_inflight_without_retries(
		run->measured.outcome, &sent_count);
	res_inflight_compare(requested, sent_count, samples, count, &ret->inflight_samples,
			     &ret->inflight_disagreement);
}

/* With n choices, a prompt is processed n times, and cached after the first. */
static double shared_by_choices(const struct vllm_bench *bench, double share)
{
	json_int_t n = pl_json_get_i64(bench->extra_body, "n");

	return n > 1 ? (share + (double)(n - 1)) / (double)n : share;
}

/* Tokens per block of vLLM, if the server does not report its own. */
#define BLOCK_SIZE 16

static double measured_hits(const struct run_state *run)
{
	double queries = GROWN(&run->measured.window, prefix_queries);

	return queries > 0 ? GROWN(&run->measured.window, prefix_hits) / queries : NAN;
}

/* For conversations: a turn repeats the prompt and the response before it; first turns may start alike. */
static double conversation_hits(const struct res_outcome *outcome, const struct run_plan *plan,
				int64_t block_size)
{
	size_t sessions = plan->dataset->session_count;
	auto_free const struct res_record **before = pl_alloc_array(sessions + 1, sizeof(*before));
	auto_free bool *continues = pl_alloc_array(sessions + 1, sizeof(*continues));
	double hits = 0, total = 0, first = 0;
	size_t starts = 0;

	for (size_t i = 0; i < outcome->count; i++) {
		const struct res_record *record = &outcome->records[i];
		starts += plan->requests[i].turn == 0;
		if (!record->ok || record->prompt_tokens < 0)
			continue;
		total += (double)record->prompt_tokens;
		if (record->turn == 0)
			first += (double)record->prompt_tokens;
		else if (before[record->session] != NULL)
			hits += res_turns_cached(before[record->session],
						 continues[record->session], record, block_size);
		before[record->session] = record;
		continues[record->session] = plan->requests[i].keeps_response;
	}
	hits += first * run_shared_prefix_share(plan->dataset->samples, starts, false);
	return total > 0 ? hits / total : NAN;
}

static double expected_hits(const struct run_state *run)
{
	const struct run_plan *plan = run->measured.plan;
	const struct host_metrics_sample *page = &run->measured.window.before;
	double size = page->known ? page->metrics.block_size : NAN;

	if (plan != NULL && plan->grows)
		return conversation_hits(run->measured.outcome, plan,
					 size >= 1 && size <= 1e6 ? (int64_t)size : BLOCK_SIZE);

	/* unknown for another client's dataset */
	if (plan == NULL)
		return NAN;
	double share = run_prefix_hits(plan->dataset->samples, plan->count,
				       size >= 1 && size <= 1e6 ? (size_t)size : BLOCK_SIZE);
	return shared_by_choices(&run->context.experiment->bench,
				 isnan(share) ? plan->shared_prefix_share : share);
}

void run_prefix_results(const struct run_state *run, json_t *results)
{
	json_object_set_new(results, "prefix_cache_hit_rate", pl_json_number(measured_hits(run)));
	json_object_set_new(results, "expected_prefix_cache_hit_rate",
			    pl_json_number(expected_hits(run)));
}

void run_facts(const struct run_state *run, const json_t *results, const struct res_how *how,
	       const json_t *mismatches, struct res_quality_facts *ret)
{
	const struct vllm_bench *bench = &run->context.experiment->bench;

	res_quality_init(ret);
	ret->percentiles = how->percentiles;
	ret->percentile_count = how->percentile_count;
	if (run->identity.known)
		ret->simulated = run->identity.simulated ? 1 : 0;
	if (mismatches != NULL) {
		ret->config_mismatch = (double)json_array_size(mismatches);
		ret->mismatches = mismatches;
	}
	if (run->measured.outcome == NULL)
		return;
	res_quality_facts(run->measured.outcome, results, how, ret);
	ret->host_steal_share = run->measured.window.stolen_share;
	ret->host_withheld_share = run->measured.window.withheld_share;
	ret->prefix_hit_share = measured_hits(run);
	/* unknown for another client's dataset */
	const struct run_plan *plan = run->measured.plan;
	ret->prefix_hit_expected = plan == NULL ? NAN
				   : plan->grows
					   ? expected_hits(run)
					   : shared_by_choices(bench, plan->shared_prefix_share);
	ret->preemptions = GROWN(&run->measured.window, preemptions);
	ret->server_restarted = run_server_restarted(run);
	ret->profiled = run->measured.extras.profiled ? 1 : 0;
	ret->foreign_load = foreign_load(run);
	if (!has_lists(run))
		agreement(run, ret);
	if (run->client->facts != NULL)
		run->client->facts(run->context.experiment, &run->measured, ret);
	run_telemetry_facts(&run->telemetry, ret);
}
