/* The child: started, watched, ended; its result read. */
#include "run/client/vllm.h"

#include <dirent.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/text.h"
#include "run/client/vllm_priv.h"
#include "run/client/vllm_watch.h"
#include "run/run_priv.h"
#include "run/signals.h"
#include "host/proc/mark.h"

#define LOOK_NS      (50 * PL_NS_PER_MS)
#define LEFT_WAIT_NS (5 * PL_NS_PER_S)
/* A server that dies takes its client's connections first. */
#define SERVER_WAIT_NS (200 * PL_NS_PER_MS)
#define TAIL_MIN       20

enum end { END_ITSELF, END_SIGNAL, END_SERVER, END_TIMEOUT };

struct child {
	struct run_state *run;
	struct host_process *process;
	struct run_client_watch *watch;
	struct host_stolen stolen;
	int64_t started_ns;
	char *folder; /* its own, with its result */
	char *result;
};

/* ---- the folder ---- */

static int make_folder(struct child *child, struct pl_err *err)
{
	child->folder = pl_file_sibling(child->run->paths.result, ".json", ".client.XXXXXX");
	if (mkdtemp(child->folder) == NULL) {
		pl_err_errno(err, "cannot make a folder '%s' for vLLM's client", child->folder);
		free(pl_take(child->folder));
		return -1;
	}
	child->result = pl_asprintf("%s/" RUN_CLIENT_RESULT, child->folder);
	return 0;
}

/* Pictures go beside our result; all else that it wrote has been read. */
static void keep_plot(struct run_state *run, const char *path, const char *name)
{
	const char *suffix = name + strlen("client");
	auto_free char *kept_suffix = pl_asprintf(".client%s", suffix);
	auto_free char *kept = pl_file_sibling(run->paths.result, ".json", kept_suffix);

	if (rename(path, kept) == 0)
		json_array_append_new(run->client.plots, json_string(kept));
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
		if (strcmp(entry->d_name, "client.timeline.html") == 0 ||
		    strcmp(entry->d_name, "client.dataset_stats.png") == 0)
			keep_plot(child->run, path, entry->d_name);
		unlink(path);
	}
	closedir(dir);
	rmdir(child->folder);
}

/* ---- the process ---- */

static void free_texts(char **texts)
{
	for (size_t i = 0; texts[i] != NULL; i++)
		free(texts[i]);
	free(texts);
}

static int start(struct child *child, struct pl_err *err)
{
	struct run_state *run = child->run;
	size_t argc = json_array_size(run->client.argv);
	auto_free const char **argv = pl_alloc_array(argc + 1, sizeof(*argv));
	char **env = run_client_env(run);

	for (size_t i = 0; i < argc; i++)
		argv[i] = json_string_value(json_array_get(run->client.argv, i));
	struct host_process_spec spec = {
		.argv = argv,
		.env = (const char *const *)env,
		.log_path = run->paths.client_log,
	};
	child->started_ns = pl_clock_now_ns();
	int done = host_process_start(&spec, &child->process, err);
	free_texts(env);
	/* what it uses is not the server's */
	if (done == 0)
		host_telemetry_leave_out(run->telemetry.host, host_process_pid(child->process));
	return done;
}

/* Its requests begin: what was before, imports and warm-ups, is no part of the measured run. */
static void begin_window(struct child *child)
{
	struct run_state *run = child->run;
	struct run_window *window = &run->window;
	struct host_metrics_source source = run_metrics_source(run);
	struct pl_err ignored = PL_ERR_INIT;

	window->start_ns = host_telemetry_begin(run->telemetry.host);
	window->cpu_ns = -pl_clock_cpu_process_ns();
	host_stolen_read(&child->stolen);
	if (host_metrics_fetch(&source, &window->before, &ignored) < 0)
		window->before.known = false;
	if (window->before.known)
		run_telemetry_metrics(run);
}

static void end_window(struct child *child)
{
	struct run_window *window = &child->run->window;
	struct host_stolen after;

	window->cpu_ns += pl_clock_cpu_process_ns();
	window->end_ns = host_telemetry_end(child->run->telemetry.host);
	host_stolen_read(&after);
	window->stolen_share = host_stolen_share(&child->stolen, &after);
}

static void look(struct child *child)
{
	struct run_window *window = &child->run->window;

	run_client_watch_look(child->watch);
	if (run_client_watch_begun(child->watch) && window->start_ns == RES_NO_TIME)
		begin_window(child);
	if (run_client_watch_over(child->watch) && window->start_ns != RES_NO_TIME &&
	    window->end_ns == RES_NO_TIME)
		end_window(child);
	run_journal_alive(child->run->journal);
}

/* END_ITSELF: go on. */
static enum end wish_to_end(const struct child *child)
{
	const struct run_state *run = child->run;
	int64_t limit_ns = run->experiment->launch.run_timeout_ns;

	if (atomic_load(run_stop_flag()) != 0)
		return END_SIGNAL;
	if (run->server.process != NULL && host_process_wait(run->server.process, 0))
		return END_SERVER;
	if (limit_ns != OPTION_NO_I64 && pl_clock_now_ns() - child->started_ns >= limit_ns)
		return END_TIMEOUT;
	return END_ITSELF;
}

static enum end watch_child(struct child *child)
{
	struct run_state *run = child->run;
	enum end end = END_ITSELF;

	run->window.start_ns = run->window.end_ns = RES_NO_TIME;
	child->watch = run_client_watch_new(host_process_pid(child->process),
					    run->paths.client_log);
	while (end == END_ITSELF && !host_process_wait(child->process, LOOK_NS)) {
		look(child);
		end = wish_to_end(child);
	}
	if (end != END_ITSELF)
		host_process_stop(child->process, run->experiment->launch.stop_timeout_ns,
				  run_hurry_flag());
	look(child);
	/* a client whose log does not say when it begins: nothing is known of that time */
	if (run->window.start_ns == RES_NO_TIME)
		begin_window(child);
	if (run->window.end_ns == RES_NO_TIME)
		end_window(child);
	/* with a server of ours its end brings this: it carries the same mark */
	if (run->server.process == NULL)
		run->server.left = host_mark_kill(run->run_id, LEFT_WAIT_NS);
	if (end == END_ITSELF)
		run_metrics_settled(run, &run->window.after);
	run_telemetry_metrics_over(run);
	return end;
}

/* ---- what came of it ---- */

static void keep_tail(struct run_state *run)
{
	int64_t lines = run->experiment->output.server_log_tail;

	run->client.log_tail = run_client_log_tail(run->paths.client_log, (size_t)lines);
}

static int fail(struct run_state *run, enum res_cause cause, const struct pl_err *why)
{
	keep_tail(run);
	return run_fail(run, RES_STATUS_FAILED, cause, why);
}

/* The last line it said is mostly the exception. */
static int fail_crashed(struct child *child)
{
	struct pl_err why = PL_ERR_INIT;
	char end[64];

	host_process_end_text(child->process, end, sizeof(end));
	auto_json json_t *tail = run_client_log_tail(child->run->paths.client_log, TAIL_MIN);
	const char *last = json_string_value(json_array_get(tail, json_array_size(tail) - 1));
	pl_err_set(&why, PL_ERR_FAILED, "vLLM's client ended: %s%s%.500s", end,
		   last != NULL ? ": " : "", last != NULL ? last : "");
	return fail(child->run, RES_CAUSE_CRASHED, &why);
}

static int fail_timeout(struct run_state *run)
{
	struct pl_err why = PL_ERR_INIT;
	char limit[32];

	pl_text_from_duration(run->experiment->launch.run_timeout_ns, limit, sizeof(limit));
	pl_err_set(
		&why, PL_ERR_TIMEOUT,
		"run_timeout (%s) passed: vLLM's client was ended, and keeps nothing until its end",
		limit);
	keep_tail(run);
	return run_fail(run, RES_STATUS_TIMEOUT, RES_CAUSE_RUN_TIMEOUT, &why);
}

static int fail_stopped(struct run_state *run)
{
	struct pl_err why = PL_ERR_INIT;

	pl_err_set(&why, PL_ERR_INTERRUPTED, "interrupted");
	return run_fail(run, RES_STATUS_INTERRUPTED, RES_CAUSE_SIGNAL, &why);
}

static int take_result(struct child *child)
{
	struct run_state *run = child->run;
	struct pl_err why = PL_ERR_INIT;

	if (host_process_status(child->process) != 0)
		return fail_crashed(child);
	if (!pl_file_exists(child->result)) {
		pl_err_set(&why, PL_ERR_FAILED, "vLLM's client ended well and wrote no result");
		return fail(run, RES_CAUSE_INTERNAL, &why);
	}
	if (res_flat_read(child->result, &run->client.flat, &why) < 0) {
		why.code = PL_ERR_FAILED;
		pl_err_wrap(&why, "the result of vLLM's client cannot be taken in");
		return fail(run, RES_CAUSE_INTERNAL, &why);
	}
	run_client_take(run);
	run->client.cpu_share = run_client_watch_cpu_share(child->watch, run->outcome->start_ns,
							   run->outcome->end_ns);
	return run_measure_judge(run, (size_t)run->client.flat->completed,
				 (size_t)(run->client.flat->completed + run->client.flat->failed));
}

static int finish(struct child *child, enum end end)
{
	struct run_state *run = child->run;

	if (end == END_SIGNAL)
		return fail_stopped(run);
	if (end == END_TIMEOUT)
		return fail_timeout(run);
	if (end == END_SERVER ||
	    (run->server.process != NULL && host_process_status(child->process) != 0 &&
	     host_process_wait(run->server.process, SERVER_WAIT_NS)))
		return run_server_died(run, RES_STATUS_FAILED);
	return take_result(child);
}

static void child_done(struct child *child)
{
	host_process_free(child->process);
	run_client_watch_free(child->watch);
	empty_folder(child);
	free(child->folder);
	free(child->result);
}

int run_client_measure(struct run_state *run)
{
	struct child child = { .run = run };
	struct pl_err err = PL_ERR_INIT;

	run_say(run, "running vLLM's client; it writes '%s'", run->paths.client_log);
	if (make_folder(&child, &err) < 0)
		return run_fail(run, RES_STATUS_FAILED, RES_CAUSE_INTERNAL, &err);
	json_decref(run->client.argv);
	run->client.argv = run_client_argv(run, child.folder);
	int done = start(&child, &err);
	if (done < 0)
		done = run_fail(run, RES_STATUS_FAILED, RES_CAUSE_NOT_EXECUTABLE, &err);
	else
		done = finish(&child, watch_child(&child));
	child_done(&child);
	return done;
}
