/*
 * benchmark.client: vllm. `vllm bench serve` sends the load as a child process. Its flat result is converted to
 * records, so that results and checks are made as for our own load.
 *
 *	run ─ options ─> vllm bench serve … --save-detailed ─> FOLDER/client.json
 *	 │                      │ stdout, stderr                    │
 *	 │ server, telemetry    └> OUTPUT.client.log                └> records, results
 */
#include "run/client/client.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/strv.h"
#include "base/text.h"
#include "experiment/kinds.h"
#include "host/proc/program.h"
#include "result/document.h"
#include "result/flat/compare.h"
#include "result/flat/records.h"
#include "result/metrics/client_error.h"
#include "result/quality.h"
#include "run/client/vllm_args.h"
#include "run/client/vllm_watch.h"
#include "run/context.h"
#include "run/journal/journal.h"
#include "run/launch.h"
#include "run/paths.h"
#include "run/route.h"
#include "run/steps/judge.h"
#include "run/steps/server.h"
#include "run/telemetry.h"
#include "vllm/secret.h"
#include "vllm/version.h"

#define NAME     "vllm bench serve"
#define PROGRAM  "vllm"
#define VARIABLE "PROFLLM_VLLM"
/* The first release that reports the start of the server's profiler. */
#define PROFILE_RELEASE "0.32.0"
/* Metrics of one summary agree with its lists to this share. */
#define AGREES  1e-6
#define LOOK_NS (50 * PL_NS_PER_MS)
/* The connections of a dying server break first. */
#define SERVER_WAIT_NS (200 * PL_NS_PER_MS)
#define TAIL_MIN       20

/* The client's state during a run. */
struct state {
	char *program;
	char *version;              /* NULL: unknown */
	json_t *argv;               /* as started, header values in clear text; NULL before */
	struct res_flat *flat;      /* NULL: no result */
	double cpu_share;           /* NaN: unknown */
	double difference;          /* res_flat_difference(); NaN: no result */
	const char *difference_key; /* borrowed from flat */
};

enum end { END_ITSELF, END_SIGNAL, END_SERVER, END_TIMEOUT };

struct child {
	const struct run_client_input *in;
	struct run_measured *measured;
	struct state *state;
	struct host_process *process;
	struct run_vllm_watch *watch;
	int64_t started_ns;
	char *folder; /* its own directory, with its result */
	char *result;
};

/* ---- the program ---- */

/* Finds `vllm` itself, or the one next to the interpreter that starts the server. */
static char *find_with_server(const struct run_launch *launch)
{
	auto_free char *folder = launch->program != NULL ? pl_file_dir(launch->program) : NULL;
	auto_free char *path = folder != NULL ? pl_asprintf("%s/" PROGRAM, folder) : NULL;
	char *found = NULL;

	if (path == NULL || host_program_find(path, &found, PL_ERR_IGNORED) < 0)
		return NULL;
	return found;
}

static int vllm_open(const struct run_launch *launch, struct run_measured *ret, struct pl_err *err)
{
	const char *named = getenv(VARIABLE);
	struct state *state = pl_alloc(sizeof(*state));

	ret->state = state;
	ret->plots = json_array();
	state->cpu_share = state->difference = NAN;
	if (named != NULL && named[0] != '\0') {
		if (host_program_find(named, &state->program, err) < 0)
			return pl_err_wrap(err, "benchmark.client: " VARIABLE);
	} else {
		state->program = find_with_server(launch);
	}
	if (state->program == NULL && host_program_find(PROGRAM, &state->program, err) < 0)
		return pl_err_set(err, PL_ERR_NOT_FOUND,
				  "benchmark.client: program '" PROGRAM
				  "' is missing next to launch.command and in PATH; set " VARIABLE
				  " in the environment to its path");
	state->version = run_release_of_program(state->program);
	return 0;
}

static void vllm_close(struct run_measured *measured)
{
	struct state *state = measured->state;

	if (state == NULL)
		return;
	free(state->program);
	free(state->version);
	json_decref(state->argv);
	res_flat_free(state->flat);
	free(state);
}

/* ---- the directory ---- */

static int make_folder(struct child *child, struct pl_err *err)
{
	child->folder = pl_file_sibling(child->in->paths->result, ".json", ".client.XXXXXX");
	if (mkdtemp(child->folder) == NULL) {
		pl_err_errno(err, "could not create directory '%s' for vLLM's client",
			     child->folder);
		free(pl_take(child->folder));
		return -1;
	}
	child->result = pl_asprintf("%s/" RUN_VLLM_RESULT, child->folder);
	return 0;
}

/* Returns the path of the client's chart next to our result; NULL: not a chart, so the file has been read. */
static const char *place_of_plot(const struct run_paths *paths, const char *name)
{
	if (strcmp(name, "client" RUN_TIMELINE_SUFFIX) == 0)
		return paths->client_timeline;
	return strcmp(name, "client" RUN_DATASET_STATS_SUFFIX) == 0 ? paths->client_dataset_stats
								    : NULL;
}

static void empty_folder(const struct child *child)
{
	DIR *dir = child->folder != NULL ? opendir(child->folder) : NULL;

	if (dir == NULL)
		return;
	for (struct dirent *entry; (entry = readdir(dir)) != NULL;) {
		auto_free char *path = pl_asprintf("%s/%s", child->folder, entry->d_name);
		if (entry->d_name[0] == '.')
			continue;
		const char *retained = place_of_plot(child->in->paths, entry->d_name);
		if (retained != NULL && rename(path, retained) == 0)
			json_array_append_new(child->measured->plots, json_string(retained));
		else
			unlink(path);
	}
	closedir(dir);
	rmdir(child->folder);
}

/* ---- the process ---- */

/* An unknown release counts as an older one. */
static bool is_before(const char *release, const char *other)
{
	struct vllm_version mine, since;

	return release == NULL || vllm_version_parse(release, &mine, PL_ERR_IGNORED) < 0 ||
	       vllm_version_parse(other, &since, PL_ERR_IGNORED) < 0 ||
	       vllm_version_compare(&mine, &since) < 0;
}

/* Returns whether profiling was requested and not refused. If the client does not report it, assumes that it ran. */
static bool was_profiled(const struct child *child)
{
	return child->in->run->experiment->bench.profile &&
	       (run_vllm_watch_profiled(child->watch) ||
		is_before(child->state->version, PROFILE_RELEASE));
}

static int start(struct child *child, struct pl_err *err)
{
	auto_strv argv = { 0 };
	auto_strv env = { 0 };

	pl_strv_add_json(&argv, child->state->argv);
	run_vllm_env(child->in, &env);
	struct host_process_spec spec = {
		.argv = pl_strv_texts(&argv),
		.env = pl_strv_texts(&env),
		.log_path = child->in->paths->client_log,
	};
	child->started_ns = pl_clock_now_ns();
	int done = host_process_start(&spec, &child->process, err);
	/* its resource use is not the server's */
	if (done == 0)
		host_telemetry_leave_out(child->in->telemetry->host,
					 host_process_pid(child->process));
	return done;
}

/* Starts the window with its requests: imports and warm-ups are not part of the measured run. */
static void begin_window(struct child *child)
{
	const struct run_client_input *in = child->in;
	struct run_window *window = &child->measured->window;
	struct host_metrics_source source = run_telemetry_source(&in->route->target);

	run_window_begin(window, in->telemetry);
	if (host_metrics_fetch(&source, &window->before, &window->latencies_before,
			       PL_ERR_IGNORED) < 0)
		window->before.known = false;
	if (window->before.known)
		run_telemetry_metrics(in->run, in->telemetry, &in->route->target);
}

static void look(struct child *child)
{
	struct run_window *window = &child->measured->window;

	run_vllm_watch_look(child->watch);
	if (run_vllm_watch_begun(child->watch) && window->start_ns == RES_NO_TIME)
		begin_window(child);
	if (run_vllm_watch_over(child->watch) && window->start_ns != RES_NO_TIME &&
	    window->end_ns == RES_NO_TIME)
		run_window_end(window, child->in->telemetry);
	run_journal_alive(child->in->run->journal);
}

/* END_ITSELF: continue. */
static enum end reason_to_end(const struct child *child)
{
	const struct run_context *run = child->in->run;
	int64_t limit_ns = run->experiment->launch.run_timeout_ns;

	if (atomic_load(&run->stop->reason) != 0)
		return END_SIGNAL;
	if (run_server_ended(child->in->server, 0))
		return END_SERVER;
	if (limit_ns != OPTION_NO_I64 && pl_clock_now_ns() - child->started_ns >= limit_ns)
		return END_TIMEOUT;
	return END_ITSELF;
}

static enum end watch_child(struct child *child)
{
	const struct run_client_input *in = child->in;
	struct run_window *window = &child->measured->window;
	enum end end = END_ITSELF;

	window->start_ns = window->end_ns = RES_NO_TIME;
	child->watch = run_vllm_watch_new(host_process_pid(child->process), in->paths->client_log);
	while (end == END_ITSELF && !host_process_wait(child->process, LOOK_NS)) {
		look(child);
		end = reason_to_end(child);
	}
	if (end != END_ITSELF)
		host_process_stop(child->process, in->run->experiment->launch.stop_timeout_ns,
				  &in->run->stop->hurry);
	look(child);
	child->measured->extras.profiled = was_profiled(child);
	/* the log of this client does not show the start, so nothing is known about that time */
	if (window->start_ns == RES_NO_TIME)
		begin_window(child);
	if (window->end_ns == RES_NO_TIME)
		run_window_end(window, in->telemetry);
	/* if there is a server of ours, its end includes this: it has the same mark */
	if (in->server->process == NULL)
		in->server->left = run_server_sweep(in->run);
	if (end == END_ITSELF)
		run_window_settled(&in->route->target, &window->after, &window->latencies_after);
	run_telemetry_metrics_over(in->telemetry);
	return end;
}

/* ---- its result ---- */

/* The counting rule of the client, whatever was requested; an unknown release counts as an older one. */
static void learn_metrics(const struct child *child)
{
	struct run_route *route = child->in->route;

	if (route->vllm_metrics != NULL)
		route->vllm_metrics = child->state->version != NULL
					      ? run_metrics_rule(child->state->version)
					      : RUN_METRICS_0_32;
}

/*
 * CPython's perf_counter is CLOCK_MONOTONIC. If the start times are not within the child's lifetime, they are from
 * another clock, and the first of them is set to the start in its log.
 */
static int64_t shift_ns(const struct child *child)
{
	const struct run_window *window = &child->measured->window;
	const struct res_flat *flat = child->state->flat;
	double first_s = INFINITY;

	for (size_t i = 0; i < flat->count; i++)
		first_s = fmin(first_s, flat->requests[i].start_s);
	if (!isfinite(first_s))
		return 0;
	int64_t first_ns = llround(first_s * 1e9);
	return first_ns >= child->in->run->started_ns && first_ns <= window->end_ns
		       ? 0
		       : window->start_ns - first_ns;
}

static void make_outcome(struct child *child)
{
	const struct vllm_bench *bench = &child->in->run->experiment->bench;
	struct state *state = child->state;
	const struct res_flat *flat = state->flat;
	struct res_outcome *outcome = pl_alloc(sizeof(*outcome));

	learn_metrics(child);
	state->difference = res_flat_difference(flat, &state->difference_key);
	outcome->end = RES_END_ALL;
	outcome->worker_cpu_share_max = NAN;
	outcome->inflight_peak = OPTION_NO_I64;
	if (flat->has_starts) {
		struct res_flat_how how = {
			.shift_ns = shift_ns(child),
			.role_first = pl_text_equal(child->in->route->vllm_metrics,
						    RUN_METRICS_0_32),
			.keeps_text = bench->save_detailed,
		};
		outcome->count = flat->count;
		outcome->records = pl_alloc_array(flat->count, sizeof(*outcome->records));
		res_flat_records(flat, &how, outcome->records);
		outcome->inflight_peak = 0;
		/* Computes the requests in flight from the records, like our own load records them: as the running sum of changes. */
		size_t used = 0;
		int32_t open = 0;
		outcome->inflight = pl_alloc_array(2 * outcome->count, sizeof(*outcome->inflight));
		for (size_t i = 0; i < outcome->count; i++) {
			const struct res_record *record = &outcome->records[i];
			if (record->acted_ns == RES_NO_TIME || record->end_ns == RES_NO_TIME)
				continue;
			outcome->inflight[used++] = (struct res_inflight){ record->acted_ns, 1 };
			outcome->inflight[used++] = (struct res_inflight){ record->end_ns, -1 };
		}
		res_inflight_sort(outcome->inflight, used);
		for (size_t i = 0; i < used; i++) {
			open += outcome->inflight[i].in_flight;
			outcome->inflight[i].in_flight = open;
			if (open > outcome->inflight_peak)
				outcome->inflight_peak = open;
		}
		outcome->inflight_count = used;
	}
	/* Sets vLLM's duration, ending with the last response. */
	int64_t duration_ns = llround(child->state->flat->duration_s * 1e9);
	int64_t end_ns = RES_NO_TIME;
	outcome->last_send_ns = RES_NO_TIME;
	for (size_t i = 0; i < outcome->count; i++) {
		const struct res_record *record = &outcome->records[i];
		if (record->end_ns != RES_NO_TIME && record->end_ns > end_ns)
			end_ns = record->end_ns;
		if (record->acted_ns != RES_NO_TIME && record->acted_ns > outcome->last_send_ns)
			outcome->last_send_ns = record->acted_ns;
	}
	outcome->end_ns = end_ns != RES_NO_TIME ? end_ns : child->measured->window.end_ns;
	outcome->start_ns = outcome->end_ns - duration_ns;
	child->measured->outcome = outcome;
}

/* ---- the outcome ---- */

static void keep_tail(const struct child *child)
{
	int64_t lines = child->in->run->experiment->output.server_log_tail;

	child->measured->log_tail = run_vllm_log_tail(child->in->paths->client_log, (size_t)lines);
}

static int fail(const struct child *child, enum res_cause cause, const struct pl_err *why)
{
	keep_tail(child);
	return run_fail_err(child->in->run, RES_STATUS_FAILED, cause, why);
}

/* The last line is usually the exception. */
static int fail_crashed(const struct child *child)
{
	struct pl_err why = PL_ERR_INIT;
	char end[64];

	host_process_end_text(child->process, end, sizeof(end));
	auto_json json_t *tail = run_vllm_log_tail(child->in->paths->client_log, TAIL_MIN);
	const char *last = json_string_value(json_array_get(tail, json_array_size(tail) - 1));
	pl_err_set(&why, PL_ERR_FAILED, "vLLM's client ended: %s%s%.500s", end,
		   last != NULL ? ": " : "", last != NULL ? last : "");
	return fail(child, RES_CAUSE_CRASHED, &why);
}

static int fail_timeout(const struct child *child)
{
	const struct run_context *run = child->in->run;
	char limit[32];

	keep_tail(child);
	pl_text_from_duration(run->experiment->launch.run_timeout_ns, limit, sizeof(limit));
	return run_fail(run, RES_STATUS_TIMEOUT, RES_CAUSE_RUN_TIMEOUT, PL_ERR_TIMEOUT,
			"vLLM's client did not finish within run_timeout (%s) and was stopped; it "
			"writes no partial result",
			limit);
}

static int take_result(struct child *child)
{
	const struct run_client_input *in = child->in;
	struct state *state = child->state;
	struct pl_err why = PL_ERR_INIT;

	if (host_process_status(child->process) != 0)
		return fail_crashed(child);
	if (!pl_file_exists(child->result)) {
		pl_err_set(&why, PL_ERR_FAILED,
			   "vLLM's client exited with status 0 but wrote no result");
		return fail(child, RES_CAUSE_INTERNAL, &why);
	}
	if (res_flat_read(child->result, &state->flat, &why) < 0) {
		why.code = PL_ERR_FAILED;
		pl_err_wrap(&why, "could not read the result of vLLM's client");
		return fail(child, RES_CAUSE_INTERNAL, &why);
	}
	if (state->flat->lists_fault[0] != '\0') {
		pl_err_set(&why, PL_ERR_FAILED,
			   "the result of vLLM's client contradicts itself: %s",
			   state->flat->lists_fault);
		return fail(child, RES_CAUSE_INTERNAL, &why);
	}
	make_outcome(child);
	const struct res_outcome *outcome = child->measured->outcome;
	state->cpu_share = run_vllm_watch_cpu_share(child->watch, outcome->start_ns,
						    outcome->end_ns);
	return run_judge(in->run, &in->route->target, in->server, outcome,
			 (size_t)state->flat->completed,
			 (size_t)(state->flat->completed + state->flat->failed));
}

static int finish(struct child *child, enum end end)
{
	const struct run_client_input *in = child->in;

	if (end == END_SIGNAL)
		return run_fail_interrupted(in->run);
	if (end == END_TIMEOUT)
		return fail_timeout(child);
	if (end == END_SERVER || (host_process_status(child->process) != 0 &&
				  run_server_ended(in->server, SERVER_WAIT_NS)))
		return run_server_died(in->run, in->server, RES_STATUS_FAILED);
	return take_result(child);
}

static int vllm_measure(const struct run_client_input *in, struct run_measured *ret)
{
	const struct run_context *run = in->run;
	struct state *state = ret->state;
	struct child child = { .in = in, .measured = ret, .state = state };
	struct pl_err err = PL_ERR_INIT;

	run_log(run, "running vLLM's client; its output goes to '%s'", in->paths->client_log);
	if (make_folder(&child, &err) < 0)
		return run_fail_err(run, RES_STATUS_FAILED, RES_CAUSE_INTERNAL, &err);
	json_decref(state->argv);
	state->argv = run_vllm_argv(in, state->program, child.folder);
	ret->has_log = true;
	int done = start(&child, &err);
	if (done < 0)
		done = run_fail_err(run, RES_STATUS_FAILED, RES_CAUSE_NOT_EXECUTABLE, &err);
	else
		done = finish(&child, watch_child(&child));
	host_process_free(child.process);
	run_vllm_watch_free(child.watch);
	empty_folder(&child);
	free(child.folder);
	free(child.result);
	return done;
}

/* ---- parts of the document ---- */

static bool is_number(const char *key)
{
	static const char *const others[] = { "errors", "repeats", "steady" };

	return !PL_TEXT_IS_ONE_OF(key, others);
}

/* Removes the metrics that need records: only those of the summary are known. */
static void forget_figures(const struct res_flat *flat, json_t *results)
{
	PL_JSON_EACH_MEMBER(key, value, results) {
		if (is_number(key))
			json_object_set_new(results, key, json_null());
	}
	json_object_set_new(results, "duration", pl_json_number(flat->duration_s));
	json_object_set_new(results, "completed_requests", json_integer(flat->completed));
	json_object_set_new(results, "failed_requests", json_integer(flat->failed));
	json_object_set_new(results, "completed", json_integer(flat->completed));
	json_object_set_new(results, "failed", json_integer(flat->failed));
	json_object_set_new(results, "request_goodput", pl_json_number(flat->request_goodput));
	if (flat->duration_s > 0)
		json_object_set_new(results, "input_throughput",
				    pl_json_number(res_flat_number(flat, "total_input_tokens") /
						   flat->duration_s));
}

static void vllm_results(const struct run_measured *measured, json_t *results)
{
	const struct state *state = measured->state;
	const struct res_flat *flat = state->flat;

	if (flat == NULL)
		return;
	if (!flat->has_starts)
		forget_figures(flat, results);
	/* the waiting times of events in the client, and of requests before sending, are unknown */
	res_client_error_forget(results);
	/* one of vLLM's clients retries without reporting it */
	json_object_set_new(results, "retries", json_null());
	json_object_set_new(results, "retried_requests", json_null());
	PL_JSON_EACH_MEMBER(key, value, results) {
		json_t *reported = json_object_get(flat->json, key);
		/* without audio, vLLM reports 0 */
		bool none = strcmp(key, "rtfx") == 0 && !(json_number_value(reported) > 0);
		if (json_is_null(value) && json_is_number(reported) && is_number(key) && !none)
			json_object_set(results, key, reported);
	}
}

static void vllm_facts(const struct exp_config *experiment, const struct run_measured *measured,
		       struct res_quality_facts *ret)
{
	const struct state *state = measured->state;

	/* it reads no kernel timestamps that a clock step could change */
	ret->clock_step_ms = NAN;
	/* it does not keep finish reasons */
	ret->reasonless = NAN;
	/* it reports how long each waited, but not the reason */
	ret->cap_held_share = NAN;
	ret->worker_cpu_share_max = state->cpu_share;
	ret->record_identity_us = state->flat != NULL ? res_flat_identity_us(state->flat) : NAN;
	/* the server also counts its probes */
	if (experiment->bench.probe_request_rate > 0)
		ret->foreign_load = NAN;
}

static json_t *vllm_environment(const struct run_measured *measured)
{
	const struct state *state = measured->state;
	json_t *json = res_document_empty("load_client");

	json_object_set_new(json, "name", json_string(NAME));
	json_object_set_new(json, "version", pl_json_text(state->version));
	json_object_set_new(json, "program", pl_json_text(state->program));
	if (state->argv != NULL)
		json_object_set_new(json, "argv", vllm_secret_words_shown(state->argv));
	if (state->flat == NULL)
		return json;
	json_object_set_new(json, "cpu_share", pl_json_number(state->cpu_share));
	json_object_set_new(json, "per_request", json_boolean(state->flat->has_starts));
	json_object_set_new(json, "summary_difference", pl_json_number(state->difference));
	if (state->difference > AGREES)
		json_object_set_new(json, "summary_difference_metric",
				    json_string(state->difference_key));
	return json;
}

const struct run_client run_client_vllm = {
	.name = "vllm",
	.is_program = true,
	.follows_redirects = true,
	.draws_pictures = true,
	.open = vllm_open,
	.measure = vllm_measure,
	.results = vllm_results,
	.facts = vllm_facts,
	.environment = vllm_environment,
	.close = vllm_close,
};
