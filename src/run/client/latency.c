/*
 * benchmark.kind: latency on a server: a batch of requests of one length, all sent at once, and the time until the last
 * response is complete; repeatedly. The records of all batches become those of one load.
 */
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/stats.h"
#include "bench/load/load.h"
#include "result/flat/offline.h"
#include "run/client/native.h"
#include "run/client/silence.h"
#include "run/context.h"
#include "run/journal/journal.h"
#include "run/route.h"
#include "run/steps/identity.h"
#include "run/steps/judge.h"
#include "run/steps/plan.h"
#include "run/steps/server.h"
#include "run/telemetry.h"

/* Batches `first` to `first + count` of the plan. */
struct batches {
	const struct run_client_input *in;
	const struct run_plan *plan;
	size_t size;
};

static int send_batch(const struct batches *batches, size_t at, struct res_outcome **ret,
		      struct pl_err *err)
{
	const struct run_context *run = batches->in->run;
	struct bench_load load = run_route_load(run, batches->in->route);

	load.requests = &batches->plan->requests[at * batches->size];
	load.count = batches->size;
	load.retries = run->experiment->bench.retries;
	int done = run_silence_load(&batches->in->route->target, &load, ret, err);
	run_journal_alive(run->journal);
	return done;
}

static int warmup(const struct run_client_input *in, struct run_measured *measured)
{
	const struct vllm_bench *bench = &in->run->experiment->bench;
	struct batches batches = { in, measured->plan, (size_t)bench->batch_size };
	struct pl_err err = PL_ERR_INIT;

	run_route_learn_acks(in->run, in->route);
	if (bench->num_iters_warmup > 0)
		run_log(in->run, "Warming up...");
	for (size_t i = 0; i < (size_t)bench->num_iters_warmup; i++) {
		PL_AUTO(res_outcome_free) struct res_outcome *outcome = NULL;
		if (run_check_stop(in->run) < 0)
			return -1;
		if (send_batch(&batches, i, &outcome, &err) < 0)
			return run_fail_err(in->run, RES_STATUS_FAILED, RES_CAUSE_INTERNAL, &err);
		if (run_native_judge(in, outcome) < 0)
			return -1;
	}
	return run_check_stop(in->run);
}

/* ---- many loads as one ---- */

#define JOIN(into, from, list, count)                                                        \
	do {                                                                                 \
		(into)->list = pl_realloc_array((into)->list, (into)->count + (from)->count, \
						sizeof(*(into)->list));                      \
		if ((from)->count > 0)                                                       \
			memcpy(&(into)->list[(into)->count], (from)->list,                   \
			       (from)->count * sizeof(*(into)->list));                       \
		(into)->count += (from)->count;                                              \
		(from)->count = 0;                                                           \
	} while (0)

/* Consumes `from`. The first outcome is taken as it is. */
static void join(struct res_outcome **into, struct res_outcome *from)
{
	struct res_outcome *all = *into;

	if (all == NULL) {
		*into = from;
		return;
	}
	for (size_t i = 0; i < from->count; i++)
		from->records[i].index += all->count;
	for (size_t i = 0; i < from->try_count; i++)
		from->tries[i]->index += all->count;
	JOIN(all, from, tries, try_count);
	JOIN(all, from, records, count);
	JOIN(all, from, queueing_ms, queueing_count);
	JOIN(all, from, inflight, inflight_count);
	all->end = from->end;
	all->end_ns = from->end_ns;
	all->last_send_ns = from->last_send_ns;
	all->clock_step_ns += from->clock_step_ns;
	if (from->worker_cpu_share_max > all->worker_cpu_share_max)
		all->worker_cpu_share_max = from->worker_cpu_share_max;
	if (from->inflight_peak > all->inflight_peak)
		all->inflight_peak = from->inflight_peak;
	all->inflight_integral_s += from->inflight_integral_s;
	all->connections += from->connections;
	res_outcome_free(from);
}

/* ---- the measured batches ---- */

static bool is_whole(const struct res_outcome *outcome)
{
	for (size_t i = 0; i < outcome->count; i++) {
		if (!outcome->records[i].ok)
			return false;
	}
	return outcome->end == RES_END_ALL;
}

/* A batch with a failed request does not count, because its time does not cover all requests. */
static int send_batches(const struct batches *batches, struct res_outcome **ret,
			double *latencies_s, size_t *ret_whole, struct pl_err *err)
{
	const struct vllm_bench *bench = &batches->in->run->experiment->bench;
	size_t first = (size_t)bench->num_iters_warmup;
	bool goes_on = true;

	for (size_t i = 0; goes_on && i < (size_t)bench->num_iters; i++) {
		struct res_outcome *outcome = NULL;
		if (send_batch(batches, first + i, &outcome, err) < 0)
			return -1;
		if (is_whole(outcome))
			latencies_s[(*ret_whole)++] =
				(double)(outcome->end_ns - outcome->start_ns) / 1e9;
		goes_on = outcome->end == RES_END_ALL &&
			  run_stop_signal(batches->in->run->stop) == 0 &&
			  !run_server_ended(batches->in->server, 0);
		join(ret, outcome);
	}
	return 0;
}

static json_t *figures_of(const double *latencies_s, size_t count)
{
	json_t *list = json_array();

	for (size_t i = 0; i < count; i++)
		json_array_append_new(list, json_real(latencies_s[i]));
	return json_pack("{s:o, s:o, s:o}", "avg_latency",
			 pl_json_number(count > 0 ? pl_stats_mean(latencies_s, count) : NAN),
			 "latencies", list, "percentiles",
			 res_offline_percentiles(latencies_s, count));
}

static int measure(const struct run_client_input *in, struct run_measured *ret)
{
	const struct run_context *run = in->run;
	const struct vllm_bench *bench = &run->experiment->bench;
	struct batches batches = { in, ret->plan, (size_t)bench->batch_size };
	auto_free double *latencies_s = pl_alloc_array((size_t)bench->num_iters,
						       sizeof(*latencies_s));
	struct run_window *window = &ret->window;
	struct pl_err err = PL_ERR_INIT;
	size_t whole = 0;

	run_log(run, "measuring %lld batches of %lld requests", (long long)bench->num_iters,
		(long long)bench->batch_size);
	run_window_settled(&in->route->target, &window->before, &window->latencies_before);
	if (window->before.known)
		run_telemetry_metrics(run, in->telemetry, &in->route->target);
	run_window_begin(window, in->telemetry);
	int done = run_extras_start(run, in->route, in->identity->model, &ret->extras, &err);
	if (done == 0)
		done = send_batches(&batches, &ret->outcome, latencies_s, &whole, &err);
	run_window_end(window, in->telemetry);
	if (done == 0 && ret->outcome->end != RES_END_STALLED) {
		run_extras_stop(run, &in->route->target, &ret->extras);
		run_window_settled(&in->route->target, &window->after, &window->latencies_after);
		run_extras_count(&in->route->target, &ret->extras);
	}
	run_telemetry_metrics_over(in->telemetry);
	if (done < 0)
		return run_fail_err(run, RES_STATUS_FAILED, RES_CAUSE_INTERNAL, &err);
	ret->figures = figures_of(latencies_s, whole);
	return run_native_judge(in, ret->outcome);
}

static void results(const struct run_measured *measured, json_t *into)
{
	run_extras_results(&measured->extras, into);
}

const struct run_client run_client_latency = {
	.name = "latency",
	.prepare = run_native_prepare,
	.warmup = warmup,
	.measure = measure,
	.results = results,
};
