#include "experiment/run.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "base/text.h"
#include "bench/metrics.h"
#include "experiment/run_priv.h"
#include "experiment/signals.h"

#define RESULT_SUFFIX ".json"

/* One line a stage: what the run is at when it fails there, and the function that does it. */
static const struct {
	enum md_stage stage;
	int (*run)(struct exp_run *run);
} stages[] = {
	{ MD_STAGE_LAUNCH, exp_server_start },   { MD_STAGE_LAUNCH, exp_server_wait },
	{ MD_STAGE_LAUNCH, exp_identity_learn }, { MD_STAGE_LAUNCH, exp_ready_request },
	{ MD_STAGE_PREPARE, exp_plan_make },     { MD_STAGE_WARMUP, exp_warmup },
	{ MD_STAGE_MEASURE, exp_measure },
};

int exp_fail(struct exp_run *run, enum md_status status, enum md_cause cause,
	     const struct pl_err *why)
{
	int number = exp_stop_signal();

	run->status = status;
	run->cause = cause;
	run->why = *why;
	/* what a signal set in motion is not what ended the run */
	if (number != 0 && status != MD_STATUS_PARTIAL) {
		run->status = MD_STATUS_INTERRUPTED;
		run->cause = MD_CAUSE_SIGNAL;
		run->why = (struct pl_err)PL_ERR_INIT;
		pl_err_set(&run->why, PL_ERR_INTERRUPTED, "ended by signal %d (%s)", number,
			   strsignal(number));
	}
	return -1;
}

void exp_say(const struct exp_run *run, const char *format, ...)
{
	char line[1024];
	va_list args;

	if (run->options->quiet)
		return;
	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	pl_log(PL_LOG_INFO, "%s", line);
}

struct bench_load exp_load_base(const struct exp_run *run)
{
	const struct md_bench *bench = &run->experiment->bench;

	return (struct bench_load){
		.adapter = run->adapter,
		.addr = run->target.addr,
		.host_header = run->target.host,
		.path = run->endpoint,
		.headers = run->target.headers,
		.max_concurrency = bench->max_concurrency,
		.threads = (unsigned)bench->threads,
		.request_timeout_ns = bench->request_timeout,
		.stall_timeout_ns = bench->stall_timeout,
		.run_timeout_ns = MD_NO_I64,
		.realtime = bench->realtime,
		.stop_signal = exp_stop_flag(),
	};
}

static int check_adapter(const struct md_bench *bench, const struct bench_adapter **ret,
			 struct pl_err *err)
{
	const struct bench_adapter *adapter = bench_adapter_find(bench->backend);

	if (adapter == NULL)
		return pl_err_set(err, PL_ERR_INVALID,
				  "'benchmark.backend': '%s' is not in this version",
				  bench->backend);
	if (bench->endpoint != NULL && adapter->path_suffix != NULL &&
	    (bench->endpoint[0] != '/' || !pl_text_ends(bench->endpoint, adapter->path_suffix)))
		return pl_err_set(
			err, PL_ERR_INVALID,
			"benchmark.endpoint: found '%s', expected a path that begins with "
			"'/' and ends with '%s' for backend '%s'",
			bench->endpoint, adapter->path_suffix, bench->backend);
	*ret = adapter;
	return 0;
}

int exp_check(const struct md_experiment *experiment, struct pl_err *err)
{
	const struct bench_adapter *adapter;
	auto_free double *percentiles = NULL;
	size_t percentile_count;
	struct bench_slo slo;

	if (md_experiment_check_supported(experiment, err) < 0 ||
	    check_adapter(&experiment->bench, &adapter, err) < 0 ||
	    bench_dataset_check(&experiment->bench, err) < 0)
		return -1;
	if (bench_percentiles_parse(experiment->bench.metric_percentiles, &percentiles,
				    &percentile_count, err) < 0)
		return pl_err_wrap(err, "benchmark.metric_percentiles");
	if (bench_slo_parse(experiment->bench.goodput, &slo, err) < 0)
		return pl_err_wrap(err, "benchmark.goodput");
	return 0;
}

/* What is read may not be written over: the answer to a slip must not be a lost file. */
static int check_inputs_kept(const struct exp_run *run, const char *output, struct pl_err *err)
{
	const struct md_experiment *experiment = run->experiment;
	const char *config = json_string_value(json_object_get(experiment->server, "config"));
	const char *inputs[] = { experiment->source, experiment->bench.dataset_path, config };

	for (size_t i = 0; i < PL_ARRAY_SIZE(inputs); i++) {
		if (inputs[i] != NULL && pl_file_same(inputs[i], output))
			return pl_err_set(err, PL_ERR_INVALID,
					  "'%s' would be written over, and this run reads it",
					  output);
	}
	return 0;
}

static int check_output(const struct exp_run *run, const char *path, struct pl_err *err)
{
	if (check_inputs_kept(run, path, err) < 0)
		return -1;
	return pl_file_check_writable(path, err);
}

static int prepare_paths(struct exp_run *run, struct pl_err *err)
{
	const char *output = run->options->output;

	run->paths = (struct exp_paths){
		.result = output,
		.requests = pl_file_sibling(output, RESULT_SUFFIX, ".requests.jsonl.zst"),
		.series = pl_file_sibling(output, RESULT_SUFFIX, ".series.jsonl.zst"),
		.server_log = pl_file_sibling(output, RESULT_SUFFIX, ".server.log"),
	};
	if (check_output(run, output, err) < 0 || check_output(run, run->paths.requests, err) < 0 ||
	    check_output(run, run->paths.series, err) < 0 ||
	    check_output(run, run->paths.server_log, err) < 0)
		return -1;
	return 0;
}

static int prepare(struct exp_run *run, struct pl_err *err)
{
	const struct md_experiment *experiment = run->experiment;

	if (exp_check(experiment, err) < 0 ||
	    check_adapter(&experiment->bench, &run->adapter, err) < 0 ||
	    prepare_paths(run, err) < 0 || exp_launch_plan(experiment, &run->launch, err) < 0 ||
	    exp_launch_target(run->launch, experiment, &run->target, err) < 0)
		return -1;
	const char *endpoint = experiment->bench.endpoint;
	run->endpoint = pl_asprintf("%s%s", run->target.prefix,
				    endpoint != NULL ? endpoint : run->adapter->endpoint);
	return 0;
}

static void run_stages(struct exp_run *run)
{
	for (size_t i = 0; i < PL_ARRAY_SIZE(stages); i++) {
		run->stage = stages[i].stage;
		if (stages[i].run(run) < 0)
			break;
	}
	exp_server_stop(run);
	if (run->server.left > 0)
		pl_log(PL_LOG_WARNING, "%zu processes of run '%s' could not be ended",
		       run->server.left, run->run_id);
}

static void run_done(struct exp_run *run)
{
	host_sampler_free(run->sampler);
	bench_outcome_free(run->outcome);
	exp_plan_free(run->plan);
	host_process_free(run->server.process);
	exp_launch_free(run->launch);
	exp_target_done(&run->target);
	exp_release_done(&run->release);
	json_decref(run->identity.version);
	json_decref(run->identity.models);
	free(run->identity.name);
	free(run->identity.engine_version);
	free(run->model);
	free(run->endpoint);
	free(run->paths.requests);
	free(run->paths.series);
	free(run->paths.server_log);
}

int exp_run(const struct md_experiment *experiment, const struct exp_options *options,
	    json_t **ret_result, int *ret_signal, struct pl_err *err)
{
	struct exp_run run = {
		.experiment = experiment,
		.options = options,
		.started_ns = pl_clock_now_ns(),
		.started_real_ns = pl_clock_real_ns(),
		.stage = MD_STAGE_PREPARE,
		.status = MD_STATUS_FAILED,
		.cause = MD_CAUSE_COUNT,
		.server = { .spawned_ns = MD_NO_TIME,
			    .running_ns = MD_NO_TIME,
			    .weights_ns = MD_NO_TIME,
			    .graphs_ns = MD_NO_TIME,
			    .healthy_ns = MD_NO_TIME,
			    .ready_ns = MD_NO_TIME },
	};
	auto_json json_t *result = NULL;

	md_run_id_make(run.started_real_ns, run.run_id);
	exp_release_find(experiment, NULL, &run.release);
	exp_signals_take();
	int done = prepare(&run, err);
	if (done == 0) {
		run_stages(&run);
		done = exp_document(&run, &result, err);
	}
	if (done == 0)
		done = md_result_write(result, options->output, err);
	*ret_signal = exp_stop_signal();
	run_done(&run);
	exp_signals_release();
	if (done < 0)
		return -1;
	*ret_result = pl_take(result);
	return 0;
}
