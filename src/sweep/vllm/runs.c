/*
 * The runs of one server and one load, each in a file:
 *
 *	file with its number          finished; otherwise
 *	server started                once for all runs of its combination
 *	warm-up                       once before the remaining runs
 *	command, caches emptied       or a failure, which ends everything, or is recorded in a file
 *	parameters set, file written  atomically: finished
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "base/text.h"
#include "host/proc/guard.h"
#include "result/document.h"
#include "run/redact.h"
#include "sweep/vllm/command.h"
#include "sweep/vllm/vsweep_priv.h"

#define WARM_UP (-1)

/* One run. */
struct one {
	const struct sweep_vllm_runs *runs;
	const json_t *bench; /* that of the runs; of a warm-up with its own number of prompts */
	int64_t number;
	char *path;
	char *log_path;
	json_t *command;
};

static void one_init(const struct sweep_vllm *sweep, const struct sweep_vllm_runs *runs,
		     int64_t number, json_t *bench, struct one *ret)
{
	const struct sweep_vllm_settings *settings = sweep->settings;
	bool is_startup = settings->kind == SWEEP_VLLM_STARTUP;
	auto_free char *name = number == WARM_UP ? pl_strdup("warmup")
						 : pl_asprintf("run=%lld", (long long)number);

	*ret = (struct one){
		.runs = runs,
		.bench = bench,
		.number = number,
		.path = pl_asprintf("%s/%s.json", runs->folder, name),
		.log_path = pl_asprintf("%s/%s.log", runs->folder, name),
		.command = json_copy((json_t *)settings->bench_command),
	};
	if (is_startup) {
		sweep_vllm_command_drop(ret->command, "output-json");
		sweep_vllm_command_set(ret->command, sweep->serve);
	}
	sweep_vllm_command_set(ret->command, bench);
	if (is_startup) {
		sweep_vllm_command_add(ret->command, "--output-json", ret->path);
		return;
	}
	auto_free char *file = pl_file_name(ret->path);
	sweep_vllm_command_add(ret->command, "--percentile-metrics", "ttft,tpot,itl,e2el");
	json_array_append_new(ret->command, json_string("--save-result"));
	sweep_vllm_command_add(ret->command, "--result-dir", runs->folder);
	sweep_vllm_command_add(ret->command, "--result-filename", file);
}

static void one_done(struct one *one)
{
	free(one->path);
	free(one->log_path);
	json_decref(one->command);
}

static void mark_one(const struct sweep_vllm *sweep, const struct one *one, const char *mark)
{
	auto_free char *command = sweep_vllm_command_text(one->command);

	sweep_vllm_mark(sweep, mark, one->bench);
	sweep_vllm_print(sweep, "Run number: %lld", (long long)one->number);
	sweep_vllm_print(sweep, "Command: %s", command);
	sweep_vllm_print(sweep, "Output file: %s", one->path);
}

/* ---- finished runs ---- */

/* A file without a number is incomplete: the process that wrote it was killed or asked to end. */
static json_t *read_over(const struct one *one)
{
	auto_json json_t *run = NULL;

	if (!pl_file_exists(one->path) || pl_json_read_file(one->path, &run, PL_ERR_IGNORED) < 0 ||
	    !json_is_integer(json_object_get(run, "run_number")))
		return NULL;
	return pl_take(run);
}

static bool is_over(const struct one *one)
{
	auto_json json_t *run = read_over(one);

	return run != NULL;
}

static void report_progress(struct sweep_vllm *sweep, const struct one *one, const char *how)
{
	const struct sweep_vllm_outcome *outcome = sweep->outcome;
	size_t left = sweep->expected > ++sweep->reported ? sweep->expected - sweep->reported : 0;
	auto_free char *name = pl_file_name(one->runs->folder);
	char time[32] = "";

	if (sweep->settings->quiet || sweep->expected == 0)
		return;
	if (outcome->measured > 0)
		pl_text_from_duration(sweep->spent_ns / (int64_t)outcome->measured * (int64_t)left,
				      time, sizeof(time));
	fprintf(stderr, "[%zu/%zu] %s run %lld: %s%s%s\n", sweep->reported, sweep->expected, name,
		(long long)one->number, how, left > 0 && time[0] != '\0' ? "; left: about " : "",
		left > 0 ? time : "");
}

/* ---- measuring ---- */

static int need_server(struct sweep_vllm *sweep, struct pl_err *err)
{
	if (sweep->settings->kind == SWEEP_VLLM_STARTUP || sweep_vllm_server_is_up(&sweep->server))
		return 0;
	auto_free char *command = sweep_vllm_command_text(sweep->command);
	sweep_vllm_mark(sweep, "[BEGIN SERVER]", sweep->serve);
	sweep_vllm_print(sweep, "Command: %s", command);
	sweep_vllm_print(sweep, "Log: %s", sweep->log_path);
	sweep->outcome->servers++;
	if (sweep_vllm_server_start(&sweep->server, err) == 0)
		return 0;
	sweep->server_failed = err->code != PL_ERR_INTERRUPTED;
	return -1;
}

/* A command with its own engine is handled like a server, a client like any child process. */
static int run_command(struct sweep_vllm *sweep, const struct one *one, struct pl_err *err)
{
	char mark[RES_RUN_ID_BYTES];
	struct sweep_vllm_child child = {
		.command = one->command,
		.log_path = one->log_path,
		.show = sweep->settings->show_output,
		.stop_timeout_ns = sweep->settings->stop_timeout_ns,
		.stop = &sweep->stop,
	};

	if (sweep->settings->kind != SWEEP_VLLM_STARTUP)
		return sweep_vllm_child_run(&child, err);
	res_run_id_make(pl_clock_real_ns(), mark);
	child.mark = mark;
	if (host_guard_start(mark, &child.guard, err) < 0)
		return -1;
	int done = sweep_vllm_child_run(&child, err);
	host_guard_free(child.guard);
	return done;
}

static int finish_file(const struct sweep_vllm *sweep, const struct one *one, json_t **ret_run,
		       struct pl_err *err)
{
	auto_json json_t *run = NULL;

	if (pl_json_read_file(one->path, &run, err) < 0 || !json_is_object(run)) {
		err->code = PL_ERR_FAILED;
		return pl_err_wrap(err, "the command wrote no result to '%s'", one->path);
	}
	json_object_set_new(run, "run_number", json_integer(one->number));
	json_object_update(run, (json_t *)sweep->serve);
	json_object_update(run, (json_t *)one->bench);
	if (sweep_vllm_write_json(run, one->path, err) < 0)
		return -1;
	*ret_run = pl_take(run);
	return 0;
}

static int measure(struct sweep_vllm *sweep, const struct one *one, json_t **ret_run,
		   struct pl_err *err)
{
	unlink(one->path);
	mark_one(sweep, one, "[BEGIN BENCHMARK]");
	int64_t started_ns = pl_clock_now_ns();
	int done = run_command(sweep, one, err);
	if (done == 0 && sweep->settings->kind != SWEEP_VLLM_STARTUP)
		done = sweep_vllm_server_reset(&sweep->server, err);
	if (done == 0)
		done = finish_file(sweep, one, ret_run, err);
	if (done < 0) {
		/* Renames the output of a failed command, so that it cannot be mistaken for a run. */
		auto_free char *aside = pl_file_sibling(one->path, ".json", ".failed.json");
		if (pl_file_exists(one->path) && run_redact_file(one->path, PL_ERR_IGNORED) < 0)
			unlink(one->path);
		if (rename(one->path, aside) < 0 && errno != ENOENT)
			unlink(one->path);
		return -1;
	}
	sweep->spent_ns += pl_clock_now_ns() - started_ns;
	sweep_vllm_print(sweep, "[END BENCHMARK]");
	return 0;
}

/* ---- a failure ---- */

int sweep_vllm_write_failure(const struct sweep_vllm *sweep, const char *path, int64_t number,
			     const json_t *bench, const struct pl_err *why, struct pl_err *err)
{
	const char *kind = why->code == PL_ERR_TIMEOUT  ? "TimeoutError"
			   : why->code == PL_ERR_FAILED ? "CalledProcessError"
							: "RuntimeError";
	auto_json json_t *failure = json_pack(
		"{s:o, s:s, s:o, s:O, s:O}", "run_number",
		number < 0 ? json_null() : json_integer(number), "error_type", kind, "error",
		pl_json_text(why->text), "serve_overrides", sweep->serve, "bench_overrides", bench);
	auto_free char *text = pl_json_to_text(failure, PL_JSON_PYTHON_2);
	auto_free char *line = pl_asprintf("%s\n", text);

	return pl_file_write(path, line, strlen(line), err);
}

/* Returns 0: recorded, continue with the next run; -1: everything ends, with *err. */
static int take_failure(struct sweep_vllm *sweep, const struct one *one, const char *file,
			struct pl_err *err)
{
	struct pl_err ignored = PL_ERR_INIT;
	struct pl_err why = *err;

	if (err->code == PL_ERR_INTERRUPTED || sweep->server_failed)
		return -1;
	sweep->outcome->failed++;
	if (!sweep->settings->continue_on_error)
		return -1;
	mark_one(sweep, one, "[FAILED BENCHMARK]");
	sweep_vllm_print(sweep, "Error: %s", why.text);
	pl_log(PL_LOG_WARNING, "%s", why.text);
	report_progress(sweep, one, "failed");
	if (sweep_vllm_write_failure(sweep, file, one->number, one->bench, &why, err) < 0)
		return -1;
	/* cache entries of the failed run must not help the next one; otherwise it gets another server */
	if (sweep_vllm_server_is_up(&sweep->server) &&
	    sweep_vllm_server_reset(&sweep->server, &ignored) < 0) {
		pl_log(PL_LOG_WARNING, "%s; stopping the server", ignored.text);
		sweep_vllm_server_stop(&sweep->server);
	}
	return 0;
}

/* ---- all runs ---- */

/* Runs before the first measured run, because its server may be a new one. */
static int warm_up(struct sweep_vllm *sweep, const struct sweep_vllm_runs *runs, struct pl_err *err)
{
	auto_json json_t *bench = json_copy((json_t *)runs->bench);
	auto_json json_t *ignored = NULL;
	struct one one;

	json_object_set_new(bench, "num_prompts", json_integer(sweep->settings->warmup_prompts));
	one_init(sweep, runs, WARM_UP, bench, &one);
	int done = measure(sweep, &one, &ignored, err);
	one_done(&one);
	return done;
}

static int run_one(struct sweep_vllm *sweep, const struct one *one, bool *warm, json_t *retained,
		   struct pl_err *err)
{
	auto_free char *failure = pl_file_sibling(one->path, ".json", ".failure.json");
	auto_json json_t *run = read_over(one);

	if (run != NULL) {
		mark_one(sweep, one, "[SKIPPED BENCHMARK]");
		sweep->outcome->reused++;
		report_progress(sweep, one, "already exists");
		json_array_append(retained, run);
		return 0;
	}
	size_t servers = sweep->outcome->servers;
	int done = pl_file_make_folders(one->runs->folder, err);
	if (done == 0)
		done = need_server(sweep, err);
	/* the server that was warm has ended */
	if (sweep->outcome->servers > servers)
		*warm = false;
	if (done == 0 && !*warm && sweep->settings->warmup_prompts > 0)
		done = warm_up(sweep, one->runs, err);
	if (done == 0) {
		*warm = true;
		done = measure(sweep, one, &run, err);
	}
	if (done < 0)
		return take_failure(sweep, one, failure, err);
	unlink(failure);
	sweep->outcome->measured++;
	report_progress(sweep, one, "measured");
	json_array_append(retained, run);
	return 0;
}

int sweep_vllm_run_all(struct sweep_vllm *sweep, const struct sweep_vllm_runs *runs,
		       json_t **ret_runs, struct pl_err *err)
{
	auto_free char *summary = pl_asprintf("%s/summary.json", runs->folder);
	auto_json json_t *retained = json_array();

	*ret_runs = NULL;
	bool warm = false;
	for (int64_t number = 0; number < sweep->settings->runs; number++) {
		struct one one;
		one_init(sweep, runs, number, (json_t *)runs->bench, &one);
		int done = 0;
		if (sweep->settings->dry_run)
			mark_one(sweep, &one,
				 is_over(&one) ? "[SKIPPED BENCHMARK]" : "[BEGIN BENCHMARK]");
		else
			done = run_one(sweep, &one, &warm, retained, err);
		one_done(&one);
		if (done < 0)
			return -1;
	}
	if (sweep->settings->dry_run)
		return 0;
	if (json_array_size(retained) == 0) {
		sweep_vllm_mark(sweep, "[NO SUCCESSFUL MEASURED RUNS]", runs->bench);
		return 0;
	}
	if (sweep_vllm_write_json(retained, summary, err) < 0)
		return -1;
	*ret_runs = pl_take(retained);
	return 0;
}
