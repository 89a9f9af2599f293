#include "run/run.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "base/text.h"
#include "bench/load/arrivals.h"
#include "result/flat/flat.h"
#include "result/metrics/metrics.h"
#include "bench/load/source.h"
#include "run/plots.h"
#include "run/run_priv.h"
#include "run/signals.h"

#define NO_SERVER                                                                                \
	{                                                                                        \
		.spawned_ns = RES_NO_TIME, .running_ns = RES_NO_TIME, .healthy_ns = RES_NO_TIME, \
		.ready_ns = RES_NO_TIME,                                                         \
	}

/* Ports that are tried where the server finds its own in use. */
#define PORT_TRIES 3

/* One line a stage: what the run is at when it fails there, and the function that does it. */
static const struct {
	enum res_stage stage;
	int (*run)(struct run_state *run);
} stages[] = {
	{ RES_STAGE_LAUNCH, run_server_start },   { RES_STAGE_LAUNCH, run_server_wait },
	{ RES_STAGE_LAUNCH, run_identity_learn }, { RES_STAGE_LAUNCH, run_ready_request },
	{ RES_STAGE_PREPARE, run_plan_make },     { RES_STAGE_WARMUP, run_warmup },
	{ RES_STAGE_MEASURE, run_measure },
};

int run_fail(struct run_state *run, enum res_status status, enum res_cause cause,
	     const struct pl_err *why)
{
	int number = run_stop_signal();

	run->status = status;
	run->cause = cause;
	run->why = *why;
	/* what a signal set in motion is not what ended the run */
	if (number != 0 && status != RES_STATUS_PARTIAL) {
		run->status = RES_STATUS_INTERRUPTED;
		run->cause = RES_CAUSE_SIGNAL;
		run->why = (struct pl_err)PL_ERR_INIT;
		pl_err_set(&run->why, PL_ERR_INTERRUPTED, "ended by signal %d (%s)", number,
			   strsignal(number));
	}
	return -1;
}

void run_say(const struct run_state *run, const char *format, ...)
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

struct bench_load run_load_base(const struct run_state *run)
{
	const struct vllm_bench *bench = &run->experiment->bench;

	return (struct bench_load){
		.adapter = run->adapter,
		.addr = run->target.addr,
		.sources = run->sources,
		.source_count = run->source_count,
		.host_header = run->target.host,
		.path = run->endpoint,
		.headers = run->target.headers,
		.max_concurrency = bench->max_concurrency,
		.threads = (unsigned)bench->threads,
		.request_timeout_ns = bench->request_timeout,
		.stall_timeout_ns = bench->stall_timeout,
		.run_timeout_ns = OPTION_NO_I64,
		.retry_delay_ns = bench->retry_delay,
		.whole_answers = json_is_false(json_object_get(bench->extra_body, "stream")),
		.keeps_text = bench->save_detailed,
		.realtime = bench->realtime,
		.acks = run->acks_may_wait ? BENCH_ACKS_DELAYED : BENCH_ACKS_AT_ONCE,
		.stop_signal = run_stop_flag(),
	};
}

struct bench_load run_load_unmeasured(const struct run_state *run)
{
	struct bench_load load = run_load_base(run);

	load.acks = run->experiment->bench.immediate_acks ? BENCH_ACKS_AT_ONCE : BENCH_ACKS_TRY;
	return load;
}

static int check_adapter(const struct vllm_bench *bench, const struct bench_adapter **ret,
			 struct pl_err *err)
{
	const struct bench_adapter *adapter = bench_adapter_find(bench->backend);

	*ret = NULL;
	if (adapter == NULL && pl_text_equal(bench->client, "vllm"))
		return 0;
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

/* What our own load generator can do. */
static int check_native(const struct vllm_bench *bench, struct pl_err *err)
{
	const struct bench_adapter *adapter;
	auto_free struct io_addr *sources = NULL;
	size_t source_count;

	if (check_adapter(bench, &adapter, err) < 0 || bench_dataset_check(bench, err) < 0 ||
	    run_plan_check(bench, err) < 0 ||
	    bench_sources_parse(bench->source_addresses, &sources, &source_count, err) < 0)
		return -1;
	if (bench_arrivals_check(bench, err) < 0)
		return -1;
	return run_plots_check(bench, err);
}

int run_check(const struct exp_config *experiment, struct pl_err *err)
{
	auto_free double *percentiles = NULL;
	size_t percentile_count;
	struct res_slo slo;

	if (exp_config_check_supported(experiment, err) < 0 ||
	    res_flat_check(&experiment->bench, err) < 0)
		return -1;
	if (run_client_is_vllm(experiment) ? run_client_check(experiment, err) < 0
					   : check_native(&experiment->bench, err) < 0)
		return -1;
	if (res_percentiles_parse(experiment->bench.metric_percentiles, &percentiles,
				  &percentile_count, err) < 0)
		return pl_err_wrap(err, "benchmark.metric_percentiles");
	if (res_slo_parse(experiment->bench.goodput, &slo, err) < 0)
		return pl_err_wrap(err, "benchmark.goodput");
	return 0;
}

/* What is read may not be written over: the answer to a slip must not be a lost file. */
static int check_inputs_kept(const struct run_state *run, const char *output, struct pl_err *err)
{
	const struct exp_config *experiment = run->experiment;
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

static int check_output(const struct run_state *run, const char *path, struct pl_err *err)
{
	if (check_inputs_kept(run, path, err) < 0)
		return -1;
	return pl_file_check_writable(path, err);
}

static int prepare_paths(struct run_state *run, struct pl_err *err)
{
	const char *output = run->options->output;

	run_paths_make(output, &run->paths);
	if (check_output(run, output, err) < 0 || check_output(run, run->paths.requests, err) < 0 ||
	    check_output(run, run->paths.series, err) < 0 ||
	    check_output(run, run->paths.server_log, err) < 0 ||
	    check_output(run, run->paths.client_log, err) < 0 ||
	    /* removed where this run draws none */
	    check_inputs_kept(run, run->paths.timeline, err) < 0 ||
	    check_inputs_kept(run, run->paths.dataset_stats, err) < 0)
		return -1;
	return run_plots_check_paths(run, err);
}

/* Before anything else: no thread may run yet, and no file of ours be open in it. */
static int start_guard(struct run_state *run, struct pl_err *err)
{
	if (run->experiment->launch.url != NULL)
		return 0;
	return host_guard_start(run->run_id, &run->guard, err);
}

/* What may not stand in a request line as it is, by its number; free(). */
static char *path_quoted(const char *path)
{
	auto_buf quoted = { 0 };

	pl_buf_init(&quoted, 3 * strlen(path) + 1);
	for (const unsigned char *at = (const unsigned char *)path; *at != '\0'; at++) {
		if (*at <= ' ' || *at >= 0x7f || strchr("\"<>\\^`{|}", *at) != NULL)
			pl_buf_addf(&quoted, "%%%02X", *at);
		else
			pl_buf_add_char(&quoted, (char)*at);
	}
	return pl_buf_take(&quoted);
}

/* The path of requests. A URL that ends with /v1 and a path that begins with it say it once. */
static char *endpoint_of(const struct run_state *run)
{
	const char *path = run->experiment->bench.endpoint;

	if (path == NULL)
		path = run->adapter != NULL ? run->adapter->endpoint
					    : run_client_endpoint(run->experiment->bench.backend);
	bool joined = run->target.v1_cut && pl_text_starts(path, "/v1/");
	if (joined)
		run_say(run,
			"note: the /v1 at the end of the server's URL is left out: '%s' has it",
			path);
	auto_free char *whole = pl_asprintf("%s%s%s", run->target.prefix,
					    run->target.v1_cut && !joined ? "/v1" : "", path);
	return path_quoted(whole);
}

static int prepare_sources(struct run_state *run, struct pl_err *err)
{
	if (bench_sources_parse(run->experiment->bench.source_addresses, &run->sources,
				&run->source_count, err) < 0)
		return -1;
	if (run->target.unknown != NULL)
		return 0;
	/* the server is looked for where they can reach it */
	if (run->source_count > 0)
		run_target_keep_family(&run->target, run->sources[0].u.any.sa_family);
	return bench_sources_check(run->sources, run->source_count, &run->target.addr, err);
}

static int prepare(struct run_state *run, struct pl_err *err)
{
	const struct exp_config *experiment = run->experiment;
	struct run_taking taking = {
		.run_id = run->run_id,
		.release = &run->release,
		.wait_ns = run->options->wait_ns,
		.quiet = run->options->quiet,
	};

	if (run_check(experiment, err) < 0 ||
	    check_adapter(&experiment->bench, &run->adapter, err) < 0 ||
	    prepare_paths(run, err) < 0 ||
	    run_journal_open(run->options->output, run->options->overwrite, &run->journal, err) <
		    0 ||
	    run_launch_plan(experiment, &taking, &run->launch, err) < 0 ||
	    run_launch_target(run->launch, experiment, &run->target, err) < 0 ||
	    prepare_sources(run, err) < 0 || run_client_prepare(run, err) < 0)
		return -1;
	/* waiting for others is no part of the run */
	run->started_ns += run->launch->resources.waited_ns;
	run->endpoint = endpoint_of(run);
	return 0;
}

/* From here on the run's end, whatever it is, leaves a result or a journal. */
static void begin_journal(struct run_state *run)
{
	run_journal_head(run->journal, run->run_id, run->started_real_ns, run->started_ns);
	run_journal_stage(run->journal, RES_STAGE_PREPARE, run_document_so_far(run));
}

/* A wish to end that came after all was measured ends the run no less. */
static void check_stopped_late(struct run_state *run)
{
	struct pl_err why = PL_ERR_INIT;

	if (run_stop_signal() == 0 || run->status != RES_STATUS_COMPLETED)
		return;
	run->stage = RES_STAGE_STOP;
	pl_err_set(&why, PL_ERR_INTERRUPTED, "interrupted");
	run_fail(run, RES_STATUS_INTERRUPTED, RES_CAUSE_SIGNAL, &why);
}

static void forget_server(struct run_state *run)
{
	host_process_free(run->server.process);
	host_server_log_free(run->server.log);
	run_identity_done(&run->identity);
	run->server = (struct run_server)NO_SERVER;
}

/* The port was free when it was tried and is not now: another one, unless it was fixed. */
static bool start_again(struct run_state *run)
{
	struct pl_err err = PL_ERR_INIT;

	if (run->cause != RES_CAUSE_PORT_IN_USE || run->status != RES_STATUS_LAUNCH_FAILED ||
	    run->experiment->launch.port != OPTION_NO_I64 || run->launch->port_tries == 0 ||
	    run->launch->port_tries >= PORT_TRIES)
		return false;
	uint16_t taken = run->launch->resources.port.number;
	run_server_stop(run);
	forget_server(run);
	run_target_done(&run->target);
	if (run_launch_new_port(run->launch, run->experiment, run->run_id, &err) < 0 ||
	    run_launch_target(run->launch, run->experiment, &run->target, &err) < 0) {
		run_fail(run, RES_STATUS_LAUNCH_FAILED, RES_CAUSE_PORT_IN_USE, &err);
		return false;
	}
	run_say(run, "port %u was taken, trying %u", taken, run->launch->resources.port.number);
	run->status = RES_STATUS_FAILED;
	run->cause = RES_CAUSE_COUNT;
	run->why = (struct pl_err)PL_ERR_INIT;
	return true;
}

static void run_stages(struct run_state *run)
{
	for (size_t i = 0; i < PL_ARRAY_SIZE(stages);) {
		run->stage = stages[i].stage;
		run_journal_stage(run->journal, run->stage, run_document_so_far(run));
		if (stages[i].run(run) == 0)
			i++;
		else if (start_again(run))
			i = 0;
		else
			break;
	}
	run_journal_stage(run->journal, RES_STAGE_STOP, run_document_so_far(run));
	run_server_stop(run);
	run_telemetry_stop(run);
	check_stopped_late(run);
	if (run->server.left > 0)
		pl_log(PL_LOG_WARNING, "%zu processes of run '%s' could not be ended",
		       run->server.left, run->run_id);
}

/* A result that cannot be written leaves the journal to make it from later. */
static int finish(struct run_state *run, json_t **ret, struct pl_err *err)
{
	if (run_document(run, ret, err) < 0)
		return -1;
	run_failure_lines(run);
	if (run_flat_result(run, *ret, err) < 0 ||
	    res_document_write(*ret, run->options->output, err) < 0)
		return pl_err_wrap(err,
				   "the result could not be written ('profllm recover %s' makes it "
				   "from the journal)",
				   run->options->output);
	run_journal_remove(run->journal);
	return 0;
}

static void run_done(struct run_state *run)
{
	run_journal_free(run->journal);
	run_telemetry_done(&run->telemetry);
	run_beside_done(&run->beside);
	res_outcome_free(run->outcome);
	run_client_done(&run->client);
	run_plan_free(run->plan);
	host_process_free(run->server.process);
	host_server_log_free(run->server.log);
	host_guard_free(run->guard);
	run_launch_free(run->launch);
	run_target_done(&run->target);
	run_release_done(&run->release);
	run_identity_done(&run->identity);
	free(run->model);
	free(run->endpoint);
	free(run->flat_path);
	free(run->sources);
	run_paths_done(&run->paths);
}

int run_experiment(const struct exp_config *experiment, const struct run_settings *options,
		   json_t **ret_result, int *ret_signal, struct pl_err *err)
{
	struct run_state run = {
		.experiment = experiment,
		.options = options,
		.started_ns = pl_clock_now_ns(),
		.started_real_ns = pl_clock_real_ns(),
		.stage = RES_STAGE_PREPARE,
		.status = RES_STATUS_FAILED,
		.cause = RES_CAUSE_COUNT,
		.server = NO_SERVER,
	};
	auto_json json_t *result = NULL;

	res_run_id_make(run.started_real_ns, run.run_id);
	run_release_find(experiment, NULL, &run.release);
	run_signals_take();
	int done = start_guard(&run, err);
	if (done == 0)
		done = prepare(&run, err);
	if (done == 0)
		done = run_telemetry_start(&run, err);
	if (done == 0) {
		begin_journal(&run);
		run_stages(&run);
		done = finish(&run, &result, err);
	}
	*ret_signal = run_stop_signal();
	run_done(&run);
	run_signals_release();
	*ret_result = pl_take(result);
	return done;
}
