/* Our own load generator: the plan, warm-ups, and the measured load. */
#include "run/client/native.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/text.h"
#include "bench/data/tokenizer.h"
#include "bench/load/arrivals.h"
#include "bench/load/feed.h"
#include "bench/load/limits.h"
#include "bench/load/source.h"
#include "result/how.h"
#include "run/client/silence.h"
#include "run/context.h"
#include "run/journal/journal.h"
#include "run/plots.h"
#include "run/route.h"
#include "run/steps/identity.h"
#include "run/steps/judge.h"
#include "run/steps/plan.h"
#include "run/steps/server.h"
#include "run/steps/vocabulary.h"
#include "run/telemetry.h"
#include "run/watch/watch.h"

/* A refused connection may be noticed before the process is dead. */
#define END_WAIT_NS (200 * PL_NS_PER_MS)

/* ---- the plan ---- */

static int make_plan(const struct run_client_input *in, struct run_plan **ret, struct pl_err *err)
{
	const struct exp_config *experiment = in->run->experiment;
	const struct run_target *target = &in->route->target;
	PL_AUTO(bench_tokenizer_free) struct bench_tokenizer *tokenizer = NULL;
	/* a copy, because the vocabulary's size is filled in */
	struct vllm_bench bench = experiment->bench;
	struct run_plan_input input = {
		.bench = &bench,
		.adapter = in->route->adapter,
		.model = in->identity->model,
	};

	/* the dataset reports what it cannot do without a tokenizer; this is why there is none */
	if (!bench.skip_tokenizer_init &&
	    bench_tokenizer_open_server(&target->addr, target->host, target->prefix,
					target->headers, in->identity->model,
					&in->run->stop->reason, &tokenizer, err) < 0)
		run_log(in->run, "note: no tokenizer: %s", err->text);
	run_vocabulary_learn(experiment, in->identity, tokenizer, &bench);
	input.tokenizer = tokenizer;
	return run_plan_build(&input, ret, err);
}

int run_native_prepare(const struct run_client_input *in, struct run_measured *ret)
{
	const struct run_context *run = in->run;
	struct pl_err err = PL_ERR_INIT;

	run_log(run, "making prompts");
	if (make_plan(in, &ret->plan, &err) < 0) {
		auto_free char *refusal = pl_asprintf(": %s", err.text);
		if (run_server_ended(in->server, END_WAIT_NS))
			return run_server_died(in->run, in->server, RES_STATUS_FAILED);
		if (run_identity_check_model(in->run, in->identity, refusal) < 0)
			return -1;
		return run_fail_err(in->run, RES_STATUS_FAILED, RES_CAUSE_COUNT, &err);
	}
	PL_JSON_EACH(note, ret->plan->dataset->notes)
		run_log(run, "note: %s", json_string_value(note));
	struct bench_load load = run_route_load(run, in->route);
	load.requests = ret->plan->requests;
	load.count = ret->plan->count;
	load.finite_rate = run_plan_has_rate(&run->experiment->bench);
	load.session_count = ret->plan->dataset->session_count;
	load.session_concurrency = run->experiment->bench.multi_turn_concurrency;
	if (bench_load_check_limits(&load, &err) < 0)
		return run_fail_err(run, RES_STATUS_FAILED, RES_CAUSE_COUNT, &err);
	return run_check_stop(run);
}

/* ---- warm-ups ---- */

static int fail_stalled(const struct run_context *run, const struct res_outcome *outcome)
{
	char limit[32];

	pl_text_from_duration(run->experiment->bench.stall_timeout, limit, sizeof(limit));
	return run_fail(run, RES_STATUS_TIMEOUT, RES_CAUSE_HANG, PL_ERR_TIMEOUT,
			"no stream received a byte for stall_timeout (%s)%s%s", limit,
			outcome->silence != NULL ? "; " : "",
			outcome->silence != NULL ? outcome->silence : "");
}

static int native_warmup(const struct run_client_input *in, struct run_measured *measured)
{
	const struct run_context *run = in->run;
	size_t count = (size_t)run->experiment->bench.num_warmups;
	PL_AUTO(res_outcome_free) struct res_outcome *outcome = NULL;
	struct pl_err err = PL_ERR_INIT;

	run_route_learn_acks(run, in->route);
	if (count == 0)
		return run_check_stop(run);
	run_log(run, "%zu warm-ups", count);
	struct run_plan_input input = {
		.bench = &in->run->experiment->bench,
		.adapter = in->route->adapter,
		.model = in->identity->model,
	};
	struct bench_load load = run_route_load(in->run, in->route);
	auto_free struct bench_request *requests = NULL;
	char **bodies = NULL;
	int done = run_plan_warmups(measured->plan, &input, count, &requests, &bodies, &err);
	load.requests = requests;
	load.count = count;
	load.retries = in->run->experiment->bench.retries;
	if (done == 0)
		done = run_silence_load(&in->route->target, &load, &outcome, &err);
	for (size_t i = 0; i < count; i++)
		free(bodies[i]);
	free(bodies);
	if (done < 0)
		return run_fail_err(run, RES_STATUS_FAILED, RES_CAUSE_INTERNAL, &err);
	if (run_check_stop(run) < 0)
		return -1;
	if (outcome->end == RES_END_STALLED && !run_server_ended(in->server, 0))
		return fail_stalled(run, outcome);
	return run_judge_server(run, &in->route->target, in->server, outcome);
}

/* ---- the measured load ---- */

static int64_t last_planned_s(const struct run_plan *plan)
{
	return plan->count > 0 ? plan->requests[plan->count - 1].planned_ns / PL_NS_PER_S : 0;
}

static int send_load(const struct run_client_input *in, struct run_measured *ret,
		     struct pl_err *err)
{
	const struct run_context *run = in->run;
	const struct vllm_bench *bench = &run->experiment->bench;
	struct bench_progress counters = { 0 };
	struct bench_load load = run_route_load(run, in->route);
	auto_feed struct bench_feed *feed = bench_feed_new();

	load.requests = ret->plan->requests;
	load.count = ret->plan->count;
	load.session_count = ret->plan->dataset->session_count;
	load.session_concurrency = bench->multi_turn_concurrency;
	load.feed = feed;
	load.retries = bench->retries;
	load.run_timeout_ns = run->experiment->launch.run_timeout_ns;
	load.finite_rate = run_plan_has_rate(bench);
	load.progress = &counters;
	const struct run_watch_load watched = {
		.counters = &counters,
		.feed = feed,
		.total = load.count,
		.planned_s = load.finite_rate ? last_planned_s(ret->plan) : 0,
		.quiet = run->quiet || bench->disable_tqdm,
		.process = in->server->process,
	};
	run_watch_begin(run->watch, &watched);
	/* from before the first request until the last response */
	run_journal_follow(run->journal, feed);
	int done = run_silence_load(&in->route->target, &load, &ret->outcome, err);
	run_journal_unfollow(run->journal);
	run_watch_end(run->watch);
	return done;
}

/* Records the plan, and everything needed to make its metrics and files. */
static int journal_plan(const struct run_context *run, const struct run_plan *plan,
			struct pl_err *err)
{
	const struct vllm_bench *bench = &run->experiment->bench;
	auto_how how = { 0 };

	if (res_how_make(bench, run_plan_has_rate(bench), run_plan_ignores_eos(bench), &how, err) <
	    0)
		return -1;
	json_t *load = res_how_to_json(&how);
	json_object_set_new(load, "requests", json_boolean(run->experiment->output.requests));
	run_journal_load(run->journal, plan->requests, plan->count, load);
	return 0;
}

/*
 * The window ends before a profiler writes its traces, which may take minutes, and before waiting for the server to
 * count its last requests: neither belongs to the load.
 */
static int measure(const struct run_client_input *in, struct run_measured *ret, struct pl_err *err)
{
	const struct run_context *run = in->run;
	const struct run_target *target = &in->route->target;
	struct run_window *window = &ret->window;

	/* the metrics of a killed run need the plan, and writing it takes time */
	if (journal_plan(run, ret->plan, err) < 0)
		return -1;
	if (run->experiment->bench.reset_prefix_cache)
		run_extras_reset_cache(run, target);
	run_window_settled(target, &window->before, &window->latencies_before);
	/* do not query a server without the page repeatedly */
	if (window->before.known)
		run_telemetry_metrics(run, in->telemetry, target);
	run_window_begin(window, in->telemetry);
	int done = run_extras_start(run, in->route, in->identity->model, &ret->extras, err);
	if (done == 0)
		done = send_load(in, ret, err);
	run_window_end(window, in->telemetry);
	/* a hanging server would not respond to any of this */
	if (done == 0 && ret->outcome->end != RES_END_STALLED) {
		run_extras_stop(run, target, &ret->extras);
		run_window_settled(target, &window->after, &window->latencies_after);
		run_extras_count(target, &ret->extras);
	}
	run_telemetry_metrics_over(in->telemetry);
	return done;
}

int run_native_judge(const struct run_client_input *in, const struct res_outcome *outcome)
{
	const struct run_context *run = in->run;
	size_t completed = 0;

	/* the reason for the end takes precedence over the number of failures, because it also makes requests fail */
	if ((run_stop_signal(run->stop) != 0 || run_stop_is_disk_full(run->stop)) &&
	    outcome->end == RES_END_STOPPED)
		return run_fail_interrupted(run);
	if (outcome->end == RES_END_STALLED && !run_server_ended(in->server, 0))
		return fail_stalled(run, outcome);
	if (outcome->end == RES_END_RUN_TIMEOUT) {
		if (run_judge_server(run, &in->route->target, in->server, outcome) < 0)
			return -1;
		char limit[32];
		pl_text_from_duration(run->experiment->launch.run_timeout_ns, limit, sizeof(limit));
		return run_fail(run, RES_STATUS_TIMEOUT, RES_CAUSE_RUN_TIMEOUT, PL_ERR_TIMEOUT,
				"the run did not finish within run_timeout (%s)", limit);
	}
	for (size_t i = 0; i < outcome->count; i++)
		completed += outcome->records[i].ok;
	return run_judge(run, &in->route->target, in->server, outcome, completed, outcome->count);
}

static int native_measure(const struct run_client_input *in, struct run_measured *ret)
{
	const struct run_context *run = in->run;
	struct pl_err err = PL_ERR_INIT;

	run_log(run, "sending %zu requests", ret->plan->count);
	if (measure(in, ret, &err) < 0)
		return run_fail_err(run, RES_STATUS_FAILED, RES_CAUSE_INTERNAL, &err);
	return run_native_judge(in, ret->outcome);
}

static void native_results(const struct run_measured *measured, json_t *results)
{
	run_extras_results(&measured->extras, results);
}

const struct run_client run_client_native = {
	.name = "native",
	.prepare = run_native_prepare,
	.warmup = native_warmup,
	.measure = native_measure,
	.results = native_results,
};
