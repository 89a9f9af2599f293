/*
 * Makes the result of a killed run from its journal.
 *
 *	server gone ─> logs redacted ─> metrics of the records ─> artifacts ─> replace ─> journal removed
 *
 * The journal is removed last: if `recover` is killed anywhere before, it starts again with the same outcome. Values
 * that only the process knew (CPU time, clock steps, telemetry) are null or unknown, never 0.
 */
#include "run/journal/recover.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "base/text.h"
#include "host/log/server_log.h"
#include "host/proc/container.h"
#include "host/proc/mark.h"
#include "host/proc/program.h"
#include "result/existing.h"
#include "result/metrics/metrics.h"
#include "result/quality_facts.h"
#include "run/artifacts.h"
#include "run/client/client.h"
#include "run/document/profiling.h"
#include "run/journal/file.h"
#include "run/journal/read.h"
#include "run/paths.h"
#include "run/plots.h"
#include "run/redact.h"
#include "run/replace.h"
#include "schema/former.h"

#define LOG_LINES 200
/* The guard gives the server stop_timeout to end, 30 s by default. */
#define END_WAIT_NS (60 * PL_NS_PER_S)
#define END_LOOK_NS (50 * PL_NS_PER_MS)
#define END_KILL_NS (5 * PL_NS_PER_S)

struct recovery {
	const struct run_journal_state *state;
	struct run_paths paths;
	struct res_how how;
	struct res_outcome outcome; /* borrows the records of the state */
};

static json_t *part(const struct recovery *r, const char *key)
{
	return json_object_get(r->state->document, key);
}

/* Sending ended with the last request, or with the last tick of the run. */
static void fill_outcome(struct recovery *r)
{
	const struct run_journal_state *state = r->state;
	int64_t end_ns = state->start_ns;

	for (size_t i = 0; i < state->count; i++) {
		if (state->records[i].end_ns > end_ns)
			end_ns = state->records[i].end_ns;
	}
	if (state->over < state->count && state->last_ns > end_ns)
		end_ns = state->last_ns;
	r->outcome = (struct res_outcome){
		.records = state->records,
		.count = state->count,
		.tries = state->tries,
		.try_count = state->try_count,
		.end = RES_END_STOPPED,
		.start_ns = state->start_ns,
		.end_ns = end_ns,
		.last_send_ns = RES_NO_TIME,
		.worker_cpu_share_max = NAN,
		.inflight_peak = OPTION_NO_I64,
	};
}

/* The process also took with it whether the server refused. */
static bool was_profiled(const struct recovery *r)
{
	return r->outcome.start_ns != RES_NO_TIME &&
	       json_is_true(pl_json_get_path(r->state->document, "config.benchmark.profile"));
}

/* Makes the checks that records allow; the counters of the process are lost. */
static json_t *make_quality(const struct recovery *r, const json_t *results)
{
	const json_t *simulated = pl_json_get_path(r->state->document,
						   "environment.engine.simulated");
	struct res_quality_facts facts;

	res_quality_init(&facts);
	if (results != NULL) {
		res_quality_facts(&r->outcome, results, &r->how, &facts);
		facts.clock_step_ms = NAN;
		facts.profiled = was_profiled(r);
	}
	if (json_is_boolean(simulated))
		facts.simulated = json_is_true(simulated);
	facts.percentiles = r->how.percentiles;
	facts.percentile_count = r->how.percentile_count;
	return res_quality_evaluate(&facts);
}

/* Returns whether the killed run had started a server, whose log is next to the result. */
static bool had_server(const struct recovery *r)
{
	return json_is_integer(pl_json_get_path(r->state->document, "launch.pid")) &&
	       pl_file_exists(r->paths.server_log);
}

static json_t *make_error(const struct recovery *r)
{
	static const char *const during[] = {
		[RES_STAGE_PREPARE] = "while it prepared the run",
		[RES_STAGE_LAUNCH] = "while the server started",
		[RES_STAGE_WARMUP] = "during the warm-up",
		[RES_STAGE_MEASURE] = "during the measured run",
		[RES_STAGE_STOP] = "while the server stopped",
	};
	const json_t *before = json_object_get(r->state->document, "error");
	const char *message = pl_json_get_text(before, "message");
	const char *cause = pl_json_get_text(before, "cause");
	struct pl_err why = PL_ERR_INIT, ignored = PL_ERR_INIT;
	enum res_stage stage = r->state->stage;
	auto_server_log struct host_server_log *log = host_server_log_new(LOG_LINES);
	auto_json json_t *tail = NULL;

	pl_err_set(&why, PL_ERR_INTERRUPTED, "profllm was killed %s%s%s", during[stage],
		   message != NULL ? "; before that: " : "", message != NULL ? message : "");
	if (had_server(r) && host_server_log_follow(log, r->paths.server_log, &ignored) == 0) {
		host_server_log_end(log);
		tail = host_server_log_tail(log);
	}
	/* the recorded cause of the end counts, not the later kill */
	/* its server has ended: there is no process to examine */
	return res_error(stage, &why, cause != NULL ? res_cause_find(cause) : RES_CAUSE_KILLED,
			 NULL, OPTION_AS_FILE, 0, tail);
}

void run_recovered_bench(const json_t *result, struct vllm_bench *ret)
{
	static const enum vllm_bench_id shown[] = {
		VLLM_BENCH_max_concurrency,
		VLLM_BENCH_request_rate,
		VLLM_BENCH_goodput,
		VLLM_BENCH_percentile_metrics,
		VLLM_BENCH_metric_percentiles,
		VLLM_BENCH_plot_timeline,
		VLLM_BENCH_plot_dataset_stats,
		VLLM_BENCH_timeline_itl_thresholds,
		VLLM_BENCH_backend,
		VLLM_BENCH_dataset_name,
	};
	const json_t *options = pl_json_get_path(result, "config.benchmark");

	vllm_bench_init(ret);
	for (size_t i = 0; i < PL_ARRAY_SIZE(shown); i++) {
		const json_t *value = json_object_get(options, vllm_bench_row(shown[i])->name);
		if (value != NULL)
			vllm_bench_set(ret, shown[i], value);
	}
}

static int make_artifacts(const struct recovery *r, const json_t *results, json_t **ret,
			  struct pl_err *err)
{
	bool wanted = pl_json_get_true(r->state->load, "requests");
	auto_json json_t *artifacts = json_array();

	if (results != NULL && wanted &&
	    (run_requests_write(r->paths.requests, &r->outcome, err) < 0 ||
	     res_artifact_add(artifacts, r->paths.requests, RES_ARTIFACT_REQUESTS, err) < 0))
		return -1;
	if (had_server(r) &&
	    res_artifact_add(artifacts, r->paths.server_log, RES_ARTIFACT_SERVER_LOG, err) < 0)
		return -1;
	unlink(r->paths.timeline);
	unlink(r->paths.dataset_stats);
	if (results != NULL) {
		/* Draws them as the run would have. */
		const struct run_journal_state *state = r->state;
		const json_t *options = pl_json_get_path(state->document, "config.benchmark");
		struct vllm_bench bench;
		struct run_plots plots = {
			.bench = &bench,
			.records = state->records,
			.count = state->count,
			.model = pl_json_get_text(options, "model"),
			.real_offset_ns = state->started_real_ns - state->started_ns,
			.engine = pl_json_get_path(state->document, "environment.engine"),
			.timeline_path = r->paths.timeline,
			.dataset_path = r->paths.dataset_stats,
			.quiet = true,
		};
		run_recovered_bench(state->document, &bench);
		const char *client = pl_json_get_text(options, "client");
		if (!run_client_find(client)->draws_pictures)
			run_plots_draw(&plots, artifacts);
		vllm_bench_done(&bench);
	}
	*ret = pl_take(artifacts);
	return 0;
}

/* Removes files of an earlier result with the same names. */
static void remove_old(const struct recovery *r, const json_t *artifacts)
{
	unlink(r->paths.series);
	PL_JSON_EACH(artifact, artifacts) {
		if (pl_text_equal(pl_json_get_text(artifact, "kind"), "requests"))
			return;
	}
	unlink(r->paths.requests);
}

/* Sets a key that the journal of an earlier version lacks. */
static void set_untold(json_t *object, const char *key)
{
	if (json_object_get(object, key) == NULL)
		json_object_set_new(object, key, json_null());
}

static int build(const struct recovery *r, json_t **ret, struct pl_err *err)
{
	const struct run_journal_state *state = r->state;
	auto_json json_t *results = NULL;
	auto_json json_t *artifacts = NULL;

	/* Redacts the logs of servers and clients. */
	const char *const logs[] = { r->paths.server_log, r->paths.client_log };
	for (size_t i = 0; i < PL_ARRAY_SIZE(logs); i++) {
		if (pl_file_exists(logs[i]) &&
		    run_redact_printed(logs[i], part(r, "prints"), r->state->run_id, err) < 0)
			return -1;
	}
	if (r->outcome.start_ns != RES_NO_TIME)
		results = res_metrics_compute(&r->outcome, &r->how);
	if (make_artifacts(r, results, &artifacts, err) < 0)
		return -1;
	remove_old(r, artifacts);
	set_untold(part(r, "config"), "experiment");
	set_untold(part(r, "environment"), "repeat_of");
	auto_json json_t *quality = make_quality(r, results);
	auto_json json_t *error = make_error(r);
	auto_json json_t *profiling = run_profiling(was_profiled(r), part(r, "config"),
						    part(r, "launch"), NULL);
	/* whether it had begun, and with what result, only the process knew */
	if (json_is_true(
		    pl_json_get_path(state->document, "config.experiment.profiling.enabled"))) {
		json_object_set_new(profiling, "trace_files", json_null());
		json_object_set_new(
			profiling, "error",
			json_string("profllm was killed before it recorded traces; those "
				    "that exist are in profiling.dir"));
	}
	struct res_document_parts parts = {
		.run_id = state->run_id,
		.suite = json_string_value(part(r, "suite")),
		.name = json_string_value(part(r, "name")),
		.tags = json_is_object(part(r, "tags")) ? part(r, "tags") : NULL,
		.started_real_ns = state->started_real_ns,
		.duration_s = (double)(state->last_ns - state->started_ns) / 1e9,
		.config = part(r, "config"),
		.results = results,
		.system = part(r, "system"),
		.profiling = profiling,
		.status = RES_STATUS_INTERRUPTED,
		.launch = part(r, "launch"),
		.environment = part(r, "environment"),
		.quality = quality,
		.error = error,
		.artifacts = artifacts,
	};
	return res_document_build(&parts, ret, err);
}

/* The guard has done it, unless it was killed, too. */
static void remove_container(const struct run_journal_state *state)
{
	const char *runtime = pl_json_path_text(state->document, "environment.container.runtime");
	auto_free char *name = pl_asprintf(HOST_CONTAINER_PREFIX "%s", state->run_id);
	auto_free char *program = NULL;

	/* the journal is a file of the user's: it names one of two programs, and no path */
	if (!pl_text_equal(runtime, "docker") && !pl_text_equal(runtime, "podman"))
		return;
	if (host_program_find(runtime, &program, PL_ERR_IGNORED) < 0) {
		pl_log(PL_LOG_WARNING,
		       "container '%s' was not looked for, because '%s' is not in PATH", name,
		       runtime);
		return;
	}
	struct host_container container = { program, name };
	if (!host_container_remove(&container, false, END_KILL_NS))
		pl_log(PL_LOG_WARNING, "container '%s' could not be removed; see '%s ps --all'",
		       name, runtime);
}

static int recover(const char *output, const struct run_journal_state *state,
		   struct run_recovered *ret, struct pl_err *err)
{
	struct recovery r = { .state = state };

	/* Waits for the guard, which ends what the run had started, and then ends any remaining processes. */
	int64_t due_ns = pl_clock_now_ns() + END_WAIT_NS;
	while (host_mark_count(state->run_id) > 0 && pl_clock_now_ns() < due_ns)
		pl_clock_sleep_until(pl_clock_now_ns() + END_LOOK_NS);
	remove_container(state);
	host_mark_kill(state->run_id, END_KILL_NS);
	run_paths_make(output, state->separate ? state->run_id : NULL, &r.paths);
	res_how_from_json(state->load, &r.how);
	fill_outcome(&r);
	int done = build(&r, &ret->result, err);
	if (done == 0)
		done = run_replace(&r.paths, ret->result, err);
	if (done == 0)
		ret->path = pl_strdup(r.paths.result);
	res_how_done(&r.how);
	run_paths_done(&r.paths);
	return done;
}

static int read_journal(const char *output, const struct run_journal_file *file,
			struct run_recovered *ret, struct pl_err *err)
{
	auto_journal_state struct run_journal_state *state = NULL;
	size_t len;
	void *data;

	if (run_journal_file_map(file, &data, &len, err) < 0)
		return -1;
	int done = run_journal_read(data, len, &state, err);
	run_journal_file_unmap(data, len);
	if (done < 0)
		return pl_err_wrap(err, "journal '%s'", file->path);
	run_journal_drop_temporaries(output, state->run_id, state->pid);
	ret->count = state->count;
	ret->over = state->over;
	ret->cut_bytes = state->cut_bytes;
	ret->damaged_line = state->damaged_line;
	ret->result = run_journal_result(output, state->run_id, &ret->path);
	ret->was_whole = ret->result != NULL;
	if (!ret->was_whole)
		return recover(output, state, ret, err);
	if (state->separate && pl_text_equal(ret->path, output))
		return run_replace_finish(output, ret->result, err);
	return 0;
}

/* A completed run has removed its journal. */
static int read_finished(const char *output, struct run_recovered *ret, struct pl_err *err)
{
	auto_free char *journal = run_journal_path(output);
	auto_json json_t *result = res_existing_result(output);
	enum res_status status;

	if (!pl_file_exists(output))
		return pl_err_set(err, PL_ERR_NOT_FOUND,
				  "neither journal '%s' nor result '%s' exists", journal, output);
	/* a result without its time is shown, too */
	if ((result == NULL && pl_json_read_file(output, &result, PL_ERR_IGNORED) < 0) ||
	    pl_json_get_text(result, "run_id") == NULL ||
	    res_status_find(pl_json_get_text(result, "status"), &status) < 0)
		return pl_err_set(err, PL_ERR_NOT_FOUND,
				  "journal '%s' does not exist, and '%s' is not a result", journal,
				  output);
	schema_rename_former_result(result);
	*ret = (struct run_recovered){ .result = pl_take(result),
				       .path = pl_strdup(output),
				       .no_journal = true };
	return 0;
}

int run_recover(const char *output, struct run_recovered *ret, struct pl_err *err)
{
	struct run_recovered recovered = { 0 };
	struct run_journal_file file;

	if (run_journal_file_find(output, &file, err) < 0)
		return err->code == PL_ERR_NOT_FOUND ? read_finished(output, ret, err) : -1;
	int done = read_journal(output, &file, &recovered, err);
	if (done == 0)
		unlink(file.path);
	else
		run_recovered_done(&recovered);
	run_journal_file_done(&file);
	if (done == 0)
		*ret = recovered;
	return done;
}

void run_recovered_done(struct run_recovered *recovered)
{
	json_decref(recovered->result);
	free(recovered->path);
	*recovered = (struct run_recovered){ 0 };
}
