#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/clock.h"
#include "base/text.h"
#include "bench/load/feed.h"
#include "bench/data/tokenizer.h"
#include "run/progress.h"
#include "run/run_priv.h"
#include "run/signals.h"

/* How long the server is given to count what it has just finished. */
#define SETTLE_TRIES   20
#define SETTLE_WAIT_NS (50 * PL_NS_PER_MS)
/* A refused connection may be seen before the process is. */
#define END_WAIT_NS (200 * PL_NS_PER_MS)
/* After failures that a dying server causes: how long it is looked at, and how often. */
#define AFTER_WAIT_NS  (2 * PL_NS_PER_S)
#define AFTER_LOOK_NS  (50 * PL_NS_PER_MS)
#define AFTER_FETCH_NS PL_NS_PER_S

static void free_texts(char **texts, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(texts[i]);
	free(texts);
}

static struct run_plan_input plan_input(const struct run_state *run,
					const struct bench_tokenizer *tokenizer)
{
	return (struct run_plan_input){
		.bench = &run->experiment->bench,
		.adapter = run->adapter,
		.model = run->model,
		.tokenizer = tokenizer,
	};
}

static int check_stop(struct run_state *run)
{
	struct pl_err why = PL_ERR_INIT;

	if (atomic_load(run_stop_flag()) == 0)
		return 0;
	pl_err_set(&why, PL_ERR_INTERRUPTED, "interrupted");
	return run_fail(run, RES_STATUS_INTERRUPTED, RES_CAUSE_SIGNAL, &why);
}

/* A server of ours that is gone is why the rest failed. */
static bool server_ended(const struct run_state *run, int64_t wait_ns)
{
	return run->server.process != NULL && host_process_wait(run->server.process, wait_ns);
}

/* A failure as a server makes it that is about to end. */
static bool is_broken(const struct res_record *record)
{
	static const char *const kinds[] = { "connect", "send", "reset", "truncated",
					     "stream_error" };

	if (record->ok || record->error_kind == NULL)
		return false;
	for (size_t i = 0; i < PL_ARRAY_SIZE(kinds); i++) {
		if (strcmp(record->error_kind, kinds[i]) == 0)
			return true;
	}
	return record->status >= 500;
}

static bool any_broken(const struct res_outcome *outcome)
{
	for (size_t i = 0; i < outcome->count; i++) {
		if (is_broken(&outcome->records[i]))
			return true;
	}
	return false;
}

/* Does it say that it is well? One that is not ours need only answer. */
static bool is_well(const struct run_state *run)
{
	auto_reply reply = { 0 };
	struct pl_err ignored = PL_ERR_INIT;

	if (run_target_fetch(&run->target, "/health", NULL, AFTER_FETCH_NS, &reply, &ignored) < 0)
		return false;
	return run->server.process != NULL ? reply.status == 200 : reply.status > 0;
}

static int fail_unreachable(struct run_state *run, const struct res_outcome *outcome)
{
	struct pl_err why = PL_ERR_INIT;
	size_t finished = 0;

	for (size_t i = 0; i < outcome->count; i++)
		finished += outcome->records[i].ok;
	pl_err_set(&why, PL_ERR_FAILED,
		   "the server at '%s' stopped answering: %zu of %zu requests had finished",
		   run->launch->url, finished, outcome->count);
	return run_fail(run, RES_STATUS_FAILED, RES_CAUSE_UNREACHABLE, &why);
}

/*
 * Requests broke off: did the server? Connections are closed, and requests answered with 500, some
 * time before the process that does so is gone. -1: it is dead, and the run with it.
 */
static int check_server_lives(struct run_state *run, const struct res_outcome *outcome)
{
	int64_t due_ns = pl_clock_now_ns() + AFTER_WAIT_NS;

	if (server_ended(run, 0))
		return run_server_died(run, RES_STATUS_FAILED);
	if (!any_broken(outcome))
		return 0;
	while (!is_well(run)) {
		if (server_ended(run, AFTER_LOOK_NS))
			return run_server_died(run, RES_STATUS_FAILED);
		if (run->server.process == NULL)
			pl_clock_sleep_until(pl_clock_now_ns() + AFTER_LOOK_NS);
		if (pl_clock_now_ns() < due_ns && run_stop_signal() == 0)
			continue;
		return run->server.process == NULL ? fail_unreachable(run, outcome) : 0;
	}
	return 0;
}

int run_plan_make(struct run_state *run)
{
	PL_AUTO(bench_tokenizer_free) struct bench_tokenizer *tokenizer = NULL;
	struct vllm_bench bench = run->experiment->bench;
	struct pl_err err = PL_ERR_INIT;
	size_t i;
	json_t *note;

	/* vLLM's client makes its own */
	if (run_client_is_vllm(run->experiment))
		return check_stop(run);
	run_say(run, "making prompts");
	/* without one the data set says what it cannot do */
	if (bench.skip_tokenizer_init ||
	    bench_tokenizer_open_server(&run->target.addr, run->target.host, run->target.prefix,
					run->target.headers, run->model, run_stop_flag(),
					&tokenizer, &err) < 0)
		tokenizer = NULL;
	struct run_plan_input input = plan_input(run, tokenizer);
	run_vocabulary_learn(run, tokenizer, &bench);
	input.bench = &bench;
	if (run_plan_build(&input, &run->plan, &err) < 0) {
		if (server_ended(run, END_WAIT_NS))
			return run_server_died(run, RES_STATUS_FAILED);
		auto_free char *refusal = pl_asprintf(": %s", err.text);
		if (run_identity_check_model(run, refusal) < 0)
			return -1;
		return run_fail(run, RES_STATUS_FAILED, RES_CAUSE_COUNT, &err);
	}
	json_array_foreach(run->plan->dataset->notes, i, note)
		run_say(run, "note: %s", json_string_value(note));
	struct bench_load load = run_load_base(run);
	load.requests = run->plan->requests;
	load.count = run->plan->count;
	if (bench_load_check_limits(&load, &err) < 0)
		return run_fail(run, RES_STATUS_FAILED, RES_CAUSE_COUNT, &err);
	return check_stop(run);
}

static int fail_stalled(struct run_state *run)
{
	struct pl_err err = PL_ERR_INIT;
	char limit[32];

	pl_text_from_duration(run->experiment->bench.stall_timeout, limit, sizeof(limit));
	pl_err_set(&err, PL_ERR_TIMEOUT, "no byte from any stream for stall_timeout (%s)", limit);
	return run_fail(run, RES_STATUS_TIMEOUT, RES_CAUSE_HANG, &err);
}

int run_warmup(struct run_state *run)
{
	size_t count = (size_t)run->experiment->bench.num_warmups;
	struct run_plan_input input = plan_input(run, NULL);
	struct bench_load load = run_load_unmeasured(run);
	PL_AUTO(res_outcome_free) struct res_outcome *outcome = NULL;
	struct bench_request *requests = NULL;
	struct pl_err err = PL_ERR_INIT;
	char **bodies = NULL;

	if (count == 0 || run_client_is_vllm(run->experiment))
		return 0;
	run_say(run, "%zu warm-ups", count);
	int done = run_plan_warmups(run->plan, &input, count, &requests, &bodies, &err);
	load.requests = requests;
	load.count = count;
	load.retries = run->experiment->bench.retries;
	if (done == 0)
		done = bench_load_run(&load, &outcome, &err);
	free_texts(bodies, count);
	free(requests);
	if (done < 0)
		return run_fail(run, RES_STATUS_FAILED, RES_CAUSE_INTERNAL, &err);
	run->acks_may_wait |= outcome->acks_may_wait;
	if (check_stop(run) < 0)
		return -1;
	if (outcome->end == RES_END_STALLED && !server_ended(run, 0))
		return fail_stalled(run);
	return check_server_lives(run, outcome);
}

struct host_metrics_source run_metrics_source(const struct run_state *run)
{
	return (struct host_metrics_source){
		.addr = &run->target.addr,
		.host = run->target.host,
		.headers = run->target.headers,
		.prefix = run->target.prefix,
	};
}

void run_metrics_settled(const struct run_state *run, struct host_metrics_sample *ret)
{
	struct host_metrics_source source = run_metrics_source(run);
	struct pl_err ignored = PL_ERR_INIT;

	*ret = (struct host_metrics_sample){ .known = false };
	for (int i = 0; i < SETTLE_TRIES; i++) {
		if (host_metrics_fetch(&source, ret, &ignored) < 0)
			return;
		/* NaN is not above 0 */
		if (!(ret->metrics.running + ret->metrics.waiting > 0))
			return;
		pl_clock_sleep_until(pl_clock_now_ns() + SETTLE_WAIT_NS);
	}
}

static int run_load(struct run_state *run, struct pl_err *err)
{
	const struct vllm_bench *bench = &run->experiment->bench;
	struct bench_progress counters = { 0 };
	struct bench_load load = run_load_base(run);
	struct run_progress_spec progress_spec = {
		.counters = &counters,
		.total = run->plan->count,
		.quiet = run->options->quiet || bench->disable_tqdm,
		.process = run->server.process,
	};
	struct run_progress *progress = NULL;
	auto_feed struct bench_feed *feed = bench_feed_new();

	load.requests = run->plan->requests;
	load.count = run->plan->count;
	load.feed = feed;
	load.retries = bench->retries;
	load.run_timeout_ns = run->experiment->launch.run_timeout_ns;
	load.finite_rate = run_plan_has_rate(bench);
	load.progress = &counters;
	if (run_progress_start(&progress_spec, &progress, err) < 0)
		return -1;
	run_journal_follow(run->journal, feed);
	int done = bench_load_run(&load, &run->outcome, err);
	run_journal_unfollow(run->journal);
	run_progress_stop(progress);
	return done;
}

static int measure(struct run_state *run, struct pl_err *err)
{
	struct host_stolen stolen_before, stolen_after;
	struct run_window *window = &run->window;
	struct rusage before, after;

	run_journal_load(run->journal, run->plan->requests, run->plan->count,
			 run_document_how(run));
	run_metrics_settled(run, &window->before);
	/* a server without the page is not asked again and again */
	if (window->before.known)
		run_telemetry_metrics(run);
	host_stolen_read(&stolen_before);
	getrusage(RUSAGE_SELF, &before);
	window->start_ns = host_telemetry_begin(run->telemetry.host);
	window->cpu_ns = -pl_clock_cpu_process_ns();
	int done = run_beside_start(run, err);
	if (done == 0)
		done = run_load(run, err);
	window->cpu_ns += pl_clock_cpu_process_ns();
	window->end_ns = host_telemetry_end(run->telemetry.host);
	getrusage(RUSAGE_SELF, &after);
	host_stolen_read(&stolen_after);
	window->involuntary_switches = after.ru_nivcsw - before.ru_nivcsw;
	window->stolen_share = host_stolen_share(&stolen_before, &stolen_after);
	/* a server that hangs would not answer any of this */
	if (done == 0 && run->outcome->end != RES_END_STALLED) {
		run_beside_stop(run);
		run_metrics_settled(run, &window->after);
		run_beside_count(run);
	}
	run_telemetry_metrics_over(run);
	return done;
}

int run_measure_judge(struct run_state *run, size_t completed, size_t count)
{
	struct pl_err why = PL_ERR_INIT;

	if (check_server_lives(run, run->outcome) < 0)
		return -1;
	double share = (double)(count - completed) / (double)count;
	pl_err_set(&why, PL_ERR_FAILED, "%zu of %zu requests failed", count - completed, count);
	if (completed == 0)
		return run_fail(run, RES_STATUS_FAILED, RES_CAUSE_ALL_FAILED, &why);
	if (share > run->experiment->bench.max_error_share)
		return run_fail(run, RES_STATUS_PARTIAL, RES_CAUSE_COUNT, &why);
	run->status = RES_STATUS_COMPLETED;
	return 0;
}

int run_measure(struct run_state *run)
{
	struct pl_err err = PL_ERR_INIT;
	size_t completed = 0;
	char limit[32];

	if (run_client_is_vllm(run->experiment))
		return run_client_measure(run);
	run_say(run, "sending %zu requests", run->plan->count);
	if (measure(run, &err) < 0)
		return run_fail(run, RES_STATUS_FAILED, RES_CAUSE_INTERNAL, &err);
	if (run_stop_signal() != 0 && run->outcome->end == RES_END_STOPPED)
		return check_stop(run);
	if (run->outcome->end == RES_END_STALLED && !server_ended(run, 0))
		return fail_stalled(run);
	if (run->outcome->end == RES_END_RUN_TIMEOUT) {
		if (check_server_lives(run, run->outcome) < 0)
			return -1;
		pl_text_from_duration(run->experiment->launch.run_timeout_ns, limit, sizeof(limit));
		pl_err_set(&err, PL_ERR_TIMEOUT, "run_timeout (%s) passed", limit);
		return run_fail(run, RES_STATUS_TIMEOUT, RES_CAUSE_RUN_TIMEOUT, &err);
	}
	for (size_t i = 0; i < run->outcome->count; i++)
		completed += run->outcome->records[i].ok;
	return run_measure_judge(run, completed, run->outcome->count);
}
