#include <stdlib.h>
#include <sys/resource.h>

#include "base/clock.h"
#include "base/text.h"
#include "bench/tokenizer.h"
#include "experiment/progress.h"
#include "experiment/run_priv.h"
#include "experiment/signals.h"
#include "model/model_facts.h"

/* How long the server is given to count what it has just finished. */
#define SETTLE_TRIES   20
#define SETTLE_WAIT_NS (50 * PL_NS_PER_MS)
/* A refused connection may be seen before the process is. */
#define END_WAIT_NS (200 * PL_NS_PER_MS)

static void free_texts(char **texts, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(texts[i]);
	free(texts);
}

static struct exp_plan_input plan_input(const struct exp_run *run,
					const struct bench_tokenizer *tokenizer)
{
	return (struct exp_plan_input){
		.bench = &run->experiment->bench,
		.adapter = run->adapter,
		.model = run->model,
		.tokenizer = tokenizer,
	};
}

static int check_stop(struct exp_run *run)
{
	struct pl_err why = PL_ERR_INIT;

	if (atomic_load(exp_stop_flag()) == 0)
		return 0;
	pl_err_set(&why, PL_ERR_INTERRUPTED, "interrupted");
	return exp_fail(run, MD_STATUS_INTERRUPTED, MD_CAUSE_SIGNAL, &why);
}

/* A server of ours that is gone is why the rest failed. */
static bool server_ended(const struct exp_run *run, int64_t wait_ns)
{
	return run->server.process != NULL && host_process_wait(run->server.process, wait_ns);
}

/* What the model's own config.json says, where it can be read here; MD_NO_I64 otherwise. */
static int64_t vocab_size_of_model(const struct exp_run *run)
{
	struct md_model_source source = md_model_source_of(run->experiment->server,
							   run->experiment->launch.env);
	auto_model_facts struct md_model_facts *facts = md_model_facts_load(&source);

	return facts->state == MD_MODEL_READ && facts->vocab_size > 0 ? facts->vocab_size
								      : MD_NO_I64;
}

int exp_plan_make(struct exp_run *run)
{
	PL_AUTO(bench_tokenizer_free) struct bench_tokenizer *tokenizer = NULL;
	struct md_bench bench = run->experiment->bench;
	struct pl_err err = PL_ERR_INIT;
	size_t i;
	json_t *note;

	exp_say(run, "making prompts");
	/* without one the data set says what it cannot do */
	if (run->target.prefix[0] != '\0' ||
	    bench_tokenizer_open_server(&run->target.addr, run->target.host, run->target.headers,
					run->model, exp_stop_flag(), &tokenizer, &err) < 0)
		tokenizer = NULL;
	struct exp_plan_input input = plan_input(run, tokenizer);
	if (bench.vocab_size == MD_NO_I64 &&
	    (tokenizer == NULL || bench_tokenizer_vocab_size(tokenizer) == 0))
		bench.vocab_size = vocab_size_of_model(run);
	input.bench = &bench;
	if (exp_plan_build(&input, &run->plan, &err) < 0) {
		if (server_ended(run, END_WAIT_NS))
			return exp_server_died(run, MD_STATUS_FAILED);
		return exp_fail(run, MD_STATUS_FAILED, MD_CAUSE_COUNT, &err);
	}
	json_array_foreach(run->plan->dataset->notes, i, note)
		exp_say(run, "note: %s", json_string_value(note));
	struct bench_load load = exp_load_base(run);
	load.requests = run->plan->requests;
	load.count = run->plan->count;
	if (bench_load_check_limits(&load, &err) < 0)
		return exp_fail(run, MD_STATUS_FAILED, MD_CAUSE_COUNT, &err);
	return check_stop(run);
}

static int fail_stalled(struct exp_run *run)
{
	struct pl_err err = PL_ERR_INIT;
	char limit[32];

	pl_text_from_duration(run->experiment->bench.stall_timeout, limit, sizeof(limit));
	pl_err_set(&err, PL_ERR_TIMEOUT, "no byte from any stream for stall_timeout (%s)", limit);
	return exp_fail(run, MD_STATUS_TIMEOUT, MD_CAUSE_STALLED, &err);
}

int exp_warmup(struct exp_run *run)
{
	size_t count = (size_t)run->experiment->bench.num_warmups;
	struct exp_plan_input input = plan_input(run, NULL);
	struct bench_load load = exp_load_base(run);
	PL_AUTO(bench_outcome_free) struct bench_outcome *outcome = NULL;
	struct bench_request *requests = NULL;
	struct pl_err err = PL_ERR_INIT;
	char **bodies = NULL;

	if (count == 0)
		return 0;
	exp_say(run, "%zu warm-ups", count);
	int done = exp_plan_warmups(run->plan, &input, count, &requests, &bodies, &err);
	load.requests = requests;
	load.count = count;
	if (done == 0)
		done = bench_load_run(&load, &outcome, &err);
	free_texts(bodies, count);
	free(requests);
	if (done < 0)
		return exp_fail(run, MD_STATUS_FAILED, MD_CAUSE_INTERNAL, &err);
	if (check_stop(run) < 0)
		return -1;
	if (server_ended(run, 0))
		return exp_server_died(run, MD_STATUS_FAILED);
	if (outcome->end == BENCH_END_STALLED)
		return fail_stalled(run);
	return 0;
}

static struct host_sampler_spec sampler_spec(const struct exp_run *run)
{
	return (struct host_sampler_spec){
		.addr = &run->target.addr,
		.host = run->target.host,
		.headers = run->target.headers,
		.interval_ns = run->experiment->telemetry.server_metrics_ns,
	};
}

/* A page once nothing runs or waits, or whatever it says after a second. */
static void fetch_settled(const struct exp_run *run, struct host_metrics_sample *ret)
{
	struct host_sampler_spec spec = sampler_spec(run);
	struct pl_err ignored = PL_ERR_INIT;

	*ret = (struct host_metrics_sample){ .known = false };
	for (int i = 0; i < SETTLE_TRIES; i++) {
		if (host_metrics_fetch(&spec, ret, &ignored) < 0)
			return;
		/* NaN is not above 0 */
		if (!(ret->metrics.running + ret->metrics.waiting > 0))
			return;
		pl_clock_sleep_until(pl_clock_now_ns() + SETTLE_WAIT_NS);
	}
}

static int run_load(struct exp_run *run, struct pl_err *err)
{
	const struct md_bench *bench = &run->experiment->bench;
	struct bench_progress counters = { 0 };
	struct bench_load load = exp_load_base(run);
	struct exp_progress_spec progress_spec = {
		.counters = &counters,
		.total = run->plan->count,
		.quiet = run->options->quiet || bench->disable_tqdm,
		.process = run->server.process,
	};
	struct exp_progress *progress = NULL;

	load.requests = run->plan->requests;
	load.count = run->plan->count;
	load.run_timeout_ns = run->experiment->launch.run_timeout_ns;
	load.finite_rate = exp_plan_has_rate(bench);
	load.progress = &counters;
	if (exp_progress_start(&progress_spec, &progress, err) < 0)
		return -1;
	int done = bench_load_run(&load, &run->outcome, err);
	exp_progress_stop(progress);
	return done;
}

static int measure(struct exp_run *run, struct pl_err *err)
{
	struct host_sampler_spec spec = sampler_spec(run);
	struct host_stolen stolen_before, stolen_after;
	struct exp_window *window = &run->window;
	struct rusage before, after;

	fetch_settled(run, &window->before);
	/* a server without the page is not asked again and again */
	if (window->before.known && spec.interval_ns != MD_NO_I64 &&
	    host_sampler_start(&spec, &run->sampler, err) < 0)
		return -1;
	host_stolen_read(&stolen_before);
	getrusage(RUSAGE_SELF, &before);
	window->start_ns = pl_clock_now_ns();
	window->cpu_ns = -pl_clock_cpu_process_ns();
	int done = run_load(run, err);
	window->cpu_ns += pl_clock_cpu_process_ns();
	window->end_ns = pl_clock_now_ns();
	getrusage(RUSAGE_SELF, &after);
	host_stolen_read(&stolen_after);
	window->involuntary_switches = after.ru_nivcsw - before.ru_nivcsw;
	window->stolen_share = host_stolen_share(&stolen_before, &stolen_after);
	if (run->sampler != NULL) {
		host_sampler_stop(run->sampler);
		window->samples = host_sampler_samples(run->sampler, &window->sample_count);
		window->sampler_cpu_ns = host_sampler_cpu_ns(run->sampler);
	}
	/* a server that hangs would not answer this either */
	if (done == 0 && run->outcome->end != BENCH_END_STALLED)
		fetch_settled(run, &window->after);
	return done;
}

static int judge_failures(struct exp_run *run)
{
	struct pl_err why = PL_ERR_INIT;
	size_t completed = 0, count = run->outcome->count;

	for (size_t i = 0; i < count; i++)
		completed += run->outcome->records[i].ok;
	double share = (double)(count - completed) / (double)count;
	pl_err_set(&why, PL_ERR_FAILED, "%zu of %zu requests failed", count - completed, count);
	if (completed == 0)
		return exp_fail(run, MD_STATUS_FAILED, MD_CAUSE_ALL_FAILED, &why);
	if (share > run->experiment->bench.max_error_share)
		return exp_fail(run, MD_STATUS_PARTIAL, MD_CAUSE_COUNT, &why);
	run->status = MD_STATUS_COMPLETED;
	return 0;
}

int exp_measure(struct exp_run *run)
{
	struct pl_err err = PL_ERR_INIT;
	char limit[32];

	exp_say(run, "sending %zu requests", run->plan->count);
	if (measure(run, &err) < 0)
		return exp_fail(run, MD_STATUS_FAILED, MD_CAUSE_INTERNAL, &err);
	if (exp_stop_signal() != 0 && run->outcome->end == BENCH_END_STOPPED)
		return check_stop(run);
	if (server_ended(run, 0))
		return exp_server_died(run, MD_STATUS_FAILED);
	if (run->outcome->end == BENCH_END_STALLED)
		return fail_stalled(run);
	if (run->outcome->end == BENCH_END_RUN_TIMEOUT) {
		pl_text_from_duration(run->experiment->launch.run_timeout_ns, limit, sizeof(limit));
		pl_err_set(&err, PL_ERR_TIMEOUT, "run_timeout (%s) passed", limit);
		return exp_fail(run, MD_STATUS_TIMEOUT, MD_CAUSE_RUN_TIMEOUT, &err);
	}
	return judge_failures(run);
}
