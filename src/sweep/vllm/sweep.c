/*
 * The order of a sweep: server by server, and for each one load by load.
 */
#include "sweep/vllm/sweep.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/log.h"
#include "base/text.h"
#include "host/proc/program.h"
#include "run/signals.h"
#include "sweep/vllm/command.h"
#include "sweep/vllm/vsweep_priv.h"
#include "vllm/python_text.h"

/* The maximum length of a file name. */
#define NAME_BYTES_MAX 255

/* ---- one load ---- */

static int run_plain(struct sweep_vllm *sweep, const json_t *bench, struct pl_err *err)
{
	auto_free char *folder = sweep_vllm_bench_folder(sweep->settings, sweep->serve, bench, NULL,
							 NULL);
	const struct sweep_vllm_runs runs = { .bench = bench, .folder = folder };
	auto_json json_t *done = NULL;

	if (sweep_vllm_run_all(sweep, &runs, &done, err) < 0)
		return -1;
	return sweep_vllm_add_rows(sweep, done, err);
}

/* ---- one server ---- */

static char *serve_file(const struct sweep_vllm *sweep, const char *ending)
{
	auto_free char *name = sweep_vllm_name(sweep->serve);
	auto_free char *whole = pl_asprintf("SERVE-%s%s", name[0] != '\0' ? name : "default",
					    ending);
	auto_free char *safe = sweep_vllm_file_name(whole);

	return pl_asprintf("%s/%s", sweep->settings->folder, safe);
}

static void begin_server(struct sweep_vllm *sweep, const json_t *serve)
{
	const struct sweep_vllm_settings *settings = sweep->settings;

	sweep->serve = serve;
	if (settings->kind == SWEEP_VLLM_STARTUP)
		return;
	sweep->command = json_copy((json_t *)settings->serve_command);
	sweep_vllm_command_set(sweep->command, serve);
	sweep->log_path = serve_file(sweep, ".log");
	sweep->server = (struct sweep_vllm_server){
		.command = sweep->command,
		.log_path = sweep->log_path,
		.after_command = settings->after_command,
		.after_log_path = "/dev/null",
		.ready_timeout_ns = settings->ready_timeout_ns,
		.stop_timeout_ns = settings->stop_timeout_ns,
		.show = settings->show_output,
		.stop = &sweep->stop,
	};
	if (settings->dry_run) {
		auto_free char *command = sweep_vllm_command_text(sweep->command);
		sweep_vllm_mark(sweep, "[BEGIN SERVER]", serve);
		sweep_vllm_print(sweep, "Command: %s", command);
	}
}

/* The other runs of a server that does not start are left for the next call. */
static int take_server_failure(struct sweep_vllm *sweep, struct pl_err *err)
{
	auto_free char *path = serve_file(sweep, "-failure.json");
	struct pl_err why = *err;

	sweep->outcome->failed++;
	sweep->server_failed = false;
	if (!sweep->settings->continue_on_error)
		return -1;
	sweep_vllm_mark(sweep, "[FAILED SERVER COMBINATION]", sweep->serve);
	sweep_vllm_print(sweep, "Error: %s", why.text);
	pl_log(PL_LOG_WARNING, "%s", why.text);
	auto_json json_t *none = json_object();
	return sweep_vllm_write_failure(sweep, path, -1, none, &why, err);
}

static int (*const each_load[])(struct sweep_vllm *sweep, const json_t *bench,
				struct pl_err *err) = {
	[SWEEP_VLLM_SERVE] = run_plain,
	[SWEEP_VLLM_WORKLOAD] = sweep_vllm_workload,
	[SWEEP_VLLM_SLA] = sweep_vllm_find_sla,
	[SWEEP_VLLM_STARTUP] = run_plain,
};

static int run_loads(struct sweep_vllm *sweep, struct pl_err *err)
{
	const struct sweep_vllm_settings *settings = sweep->settings;

	PL_JSON_EACH(bench, settings->bench_params) {
		if (!sweep_vllm_linked(settings->links, sweep->serve, bench))
			continue;
		if (each_load[settings->kind](sweep, bench, err) < 0)
			return -1;
		if (run_stop_signal(&sweep->stop) != 0)
			return pl_err_set(err, PL_ERR_INTERRUPTED, "interrupted");
	}
	return 0;
}

static int run_servers(struct sweep_vllm *sweep, struct pl_err *err)
{
	PL_JSON_EACH(serve, sweep->settings->serve_params) {
		begin_server(sweep, serve);
		int done = run_loads(sweep, err);
		auto_free char *failure = serve_file(sweep, "-failure.json");
		/* of an earlier failed start */
		if (done == 0 && !sweep->settings->dry_run)
			remove(failure);
		if (done < 0 && sweep->server_failed)
			done = take_server_failure(sweep, err);
		bool was_up = sweep->server.is_up;
		sweep_vllm_server_stop(&sweep->server);
		if (was_up || (sweep->settings->dry_run && sweep->command != NULL))
			sweep_vllm_print(sweep, "[END SERVER]");
		json_decref(pl_take(sweep->command));
		free(pl_take(sweep->log_path));
		if (done < 0)
			return -1;
	}
	return 0;
}

/* ---- checks ---- */

static size_t count_pairs(const struct sweep_vllm_settings *settings)
{
	size_t count = 0;

	PL_JSON_EACH(serve, settings->serve_params) {
		PL_JSON_EACH(bench, settings->bench_params)
			count += sweep_vllm_linked(settings->links, serve, bench);
	}
	return count;
}

static int check_program(const struct sweep_vllm_settings *settings, const char *option,
			 const json_t *command, const char *instead, struct pl_err *err)
{
	const char *name = json_string_value(json_array_get(command, 0));
	auto_free char *path = NULL;

	if (command == NULL || settings->dry_run || host_program_find(name, &path, err) == 0)
		return 0;
	bool is_vllm = strcmp(name, "vllm") == 0;
	return pl_err_wrap(err, "%s%s%s", option, is_vllm ? ": " : "", is_vllm ? instead : "");
}

/* Two different ones with the same directory: the second would be mistaken for the first and skipped. */
static int check_folder(const struct sweep_vllm_settings *settings, const json_t *serve,
			const json_t *bench, json_t *known, struct pl_err *err)
{
	auto_free char *folder = sweep_vllm_bench_folder(settings, serve, bench, NULL, NULL);
	const char *name = folder + strlen(settings->folder);
	auto_json json_t *both = json_pack("[O, O]", serve, bench);
	const json_t *before = json_object_get(known, folder);

	if (strlen(name) > NAME_BYTES_MAX)
		return pl_err_invalid(
			err,
			"directory name '%.80s…': found %zu bytes, expected at most %d; set "
			"'" SWEEP_VLLM_NAME "' to name the combination",
			name + 1, strlen(name) - 1, NAME_BYTES_MAX);
	if (before != NULL && !vllm_python_equal(before, both))
		return pl_err_invalid(err,
				      "two combinations would use the same directory '%s'; set "
				      "'" SWEEP_VLLM_NAME "' to name them",
				      folder);
	json_object_set(known, folder, both);
	return 0;
}

/* The sweep sets its values. */
static int check_variable(const struct sweep_vllm_settings *settings, struct pl_err *err)
{
	PL_JSON_EACH(bench, settings->bench_params) {
		PL_JSON_EACH_MEMBER(key, value, bench) {
			if (settings->variable != NULL &&
			    sweep_vllm_same_key(key, settings->variable))
				return pl_err_invalid(err,
						      "--bench-params: found '%s', which this "
						      "sweep varies itself",
						      key);
		}
	}
	return 0;
}

int sweep_vllm_check(const struct sweep_vllm_settings *settings, struct pl_err *err)
{
	bool stands = pl_file_exists(settings->folder);

	if (settings->serve_command != NULL && settings->after_command == NULL &&
	    sweep_vllm_server_check(settings->serve_command, err) < 0)
		return -1;
	bool is_startup = settings->kind == SWEEP_VLLM_STARTUP;
	if (check_program(settings, "--serve-cmd", settings->serve_command,
			  "vLLM is not installed; use 'profllm-sim serve …' as the server",
			  err) < 0 ||
	    check_program(settings, "--after-bench-cmd", settings->after_command, "", err) < 0)
		return -1;
	if (check_program(
		    settings, is_startup ? "--startup-cmd" : "--bench-cmd", settings->bench_command,
		    is_startup ? "vLLM is not installed, and this benchmark runs in its process"
			       : "vLLM is not installed; 'profllm bench serve …' accepts the same "
				 "options and writes the same result",
		    err) < 0)
		return -1;
	auto_json json_t *known = json_object();
	PL_JSON_EACH(serve, settings->serve_params) {
		PL_JSON_EACH(bench, settings->bench_params) {
			if (sweep_vllm_linked(settings->links, serve, bench) &&
			    check_folder(settings, serve, bench, known, err) < 0)
				return -1;
		}
	}
	if (check_variable(settings, err) < 0)
		return -1;
	if (count_pairs(settings) == 0)
		return pl_err_invalid(err, "--link-vars: no combination pair has equal values for "
					   "all linked keys, so nothing would run");
	if (settings->resume && !stands)
		return pl_err_invalid(err, "--resume: directory '%s' does not exist",
				      settings->folder);
	if (!settings->resume && stands && !settings->dry_run)
		return pl_err_invalid(err,
				      "directory '%s' already exists; use --resume to continue it, "
				      "or another --experiment-name",
				      settings->folder);
	return 0;
}

int sweep_vllm(const struct sweep_vllm_settings *settings, struct sweep_vllm_outcome *ret,
	       struct pl_err *err)
{
	struct sweep_vllm sweep = {
		.settings = settings,
		.outcome = ret,
		.rows = json_array(),
	};

	*ret = (struct sweep_vllm_outcome){ .combinations = count_pairs(settings) };
	if (settings->kind == SWEEP_VLLM_SERVE || settings->kind == SWEEP_VLLM_STARTUP)
		sweep.expected = ret->combinations * (size_t)settings->runs;
	run_signals_take(&sweep.stop, 1);
	int done = settings->dry_run ? 0 : pl_file_make_folders(settings->folder, err);
	if (done == 0)
		done = run_servers(&sweep, err);
	ret->signal = run_stop_signal(&sweep.stop);
	run_signals_release();
	json_decref(sweep.rows);
	return ret->signal != 0 ? 0 : done;
}
