/*
 * `vllm bench latency`, `throughput`, `startup`, `mm-processor` as a child process that is handled like a server:
 * guard, locks, log with causes, telemetry. Its result file is imported completely.
 *
 *	run ─ arguments ─> vllm bench KIND … --output-json ─> FOLDER/offline.json ─> metrics
 *	 │                      │ stdout, stderr
 *	 │ telemetry            └> OUTPUT.server.log ─> phases, facts, cause
 */
#include "run/client/client.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/text.h"
#include "experiment/offline.h"
#include "result/flat/offline.h"
#include "run/context.h"
#include "run/journal/journal.h"
#include "run/launch.h"
#include "run/paths.h"
#include "run/steps/identity.h"
#include "run/steps/server.h"
#include "run/target_release.h"
#include "vllm/bench/write.h"

#define RESULT  "offline.json"
#define LOOK_NS (50 * PL_NS_PER_MS)

struct child {
	const struct run_client_input *in;
	const struct vllm_bench_kind *kind;
	char *called; /* "'vllm bench latency'" */
	char *folder;
	char *result;
};

static int make_folder(struct child *child, struct pl_err *err)
{
	child->folder = pl_file_sibling(child->in->paths->result, ".json", ".offline.XXXXXX");
	if (mkdtemp(child->folder) == NULL) {
		pl_err_errno(err, "could not create directory '%s' for the benchmark",
			     child->folder);
		free(pl_take(child->folder));
		return -1;
	}
	child->result = pl_asprintf("%s/" RESULT, child->folder);
	return 0;
}

/* There is no server to identify: the program is vLLM itself. */
static void set_identity(const struct run_client_input *in)
{
	const char *model = pl_json_get_text(in->run->experiment->server, "model");
	struct run_identity *identity = in->identity;

	identity->name = pl_strdup("vllm");
	identity->engine_version = in->launch->program != NULL
					   ? run_release_of_program(in->launch->program)
					   : NULL;
	identity->model = pl_strdup(model);
	identity->known = true;
}

/* The engine is ready: a failure from here on ends a measurement, not a start. */
static void look(const struct child *child, struct run_measured *measured)
{
	struct run_server *server = child->in->server;

	run_server_follow_log(server);
	if (!server->ready &&
	    host_server_log_phase_ns(server->log, HOST_LOG_ENGINE_READY) != INT64_MIN) {
		run_server_set_ready(server);
		run_window_begin(&measured->window, child->in->telemetry);
	}
	run_journal_alive(child->in->run->journal);
}

static int fail_timeout(const struct child *child, int64_t limit_ns)
{
	char limit[32];

	pl_text_from_duration(limit_ns, limit, sizeof(limit));
	return run_fail(child->in->run, RES_STATUS_TIMEOUT, RES_CAUSE_RUN_TIMEOUT, PL_ERR_TIMEOUT,
			"%s did not finish within run_timeout (%s)", child->called, limit);
}

static int wait_for_end(const struct child *child, struct run_measured *measured)
{
	const struct run_client_input *in = child->in;
	int64_t limit_ns = in->run->experiment->launch.run_timeout_ns;

	while (!run_server_ended(in->server, LOOK_NS)) {
		look(child, measured);
		if (run_check_stop(in->run) < 0)
			return -1;
		if (limit_ns != OPTION_NO_I64 &&
		    pl_clock_now_ns() - in->server->spawned_ns >= limit_ns)
			return fail_timeout(child, limit_ns);
	}
	look(child, measured);
	if (!in->server->ready)
		run_window_begin(&measured->window, in->telemetry);
	run_window_end(&measured->window, in->telemetry);
	return 0;
}

/* Reads what throughput prints only on the terminal: sums of tokens, under the names in results. */
static void take_totals(const struct child *child, json_t *figures)
{
	static const struct {
		const char *line, *key;
	} totals[] = { { "Total num prompt tokens:", "total_input_tokens" },
		       { "Total num output tokens:", "total_output_tokens" } };
	auto_json json_t *tail = host_server_log_tail(child->in->server->log);

	PL_JSON_EACH(item, tail) {
		const char *line = json_string_value(item);
		for (size_t i = 0; i < PL_ARRAY_SIZE(totals); i++) {
			int64_t count;
			if (pl_text_starts(line, totals[i].line) &&
			    pl_text_to_i64(line + strlen(totals[i].line) +
						   strspn(line + strlen(totals[i].line), " "),
					   &count) &&
			    count >= 0)
				json_object_set_new(figures, totals[i].key, json_integer(count));
		}
	}
}

/* Reports why metrics cannot be imported, because the file is removed with the directory. */
static int take_figures(const struct child *child, struct run_measured *measured)
{
	const struct run_client_input *in = child->in;
	const char *keep = in->run->experiment->bench.output_json;
	auto_json json_t *reported = NULL;
	struct pl_err err = PL_ERR_INIT;

	if (pl_json_read_file(child->result, &reported, &err) < 0 ||
	    res_offline_figures(child->kind->name, reported, &measured->figures, &err) < 0) {
		err.code = PL_ERR_FAILED;
		pl_err_wrap(&err, "could not read the result of %s", child->called);
		return run_fail_err(in->run, RES_STATUS_FAILED, RES_CAUSE_INTERNAL, &err);
	}
	take_totals(child, measured->figures);
	if (keep != NULL && res_offline_write(reported, child->kind->name, keep, &err) < 0) {
		pl_err_wrap(&err, "{benchmark.output_json}");
		return run_fail_err(in->run, RES_STATUS_FAILED, RES_CAUSE_INTERNAL, &err);
	}
	in->run->ending->status = RES_STATUS_COMPLETED;
	return 0;
}

static int run_child(struct child *child, struct run_measured *measured)
{
	const struct run_client_input *in = child->in;
	struct run_server *server = in->server;

	server->called = child->called;
	if (run_server_start(in->run, in->launch, server) < 0 || wait_for_end(child, measured) < 0)
		return -1;
	if (host_process_status(server->process) != 0)
		return run_server_died(in->run, server,
				       server->ready ? RES_STATUS_FAILED
						     : RES_STATUS_LAUNCH_FAILED);
	/* there is nothing to stop */
	server->died = true;
	return take_figures(child, measured);
}

static int in_process_measure(const struct run_client_input *in, struct run_measured *ret)
{
	struct child child = {
		.in = in,
		.kind = exp_offline_kind(in->run->experiment),
	};
	struct pl_err err = PL_ERR_INIT;

	child.called = pl_asprintf("'vllm bench %s'", child.kind->name);
	set_identity(in);
	int done = make_folder(&child, &err);
	if (done < 0) {
		done = run_fail_err(in->run, RES_STATUS_FAILED, RES_CAUSE_INTERNAL, &err);
	} else {
		vllm_bench_pair_add(in->launch->argv, "--output-json", child.result);
		done = run_child(&child, ret);
	}
	/* the log is still read after this */
	child.in->server->called = NULL;
	if (child.folder != NULL) {
		unlink(child.result);
		rmdir(child.folder);
	}
	free(child.called);
	free(child.folder);
	free(child.result);
	return done;
}

/* Reports it before anything is created: a user without vLLM may have a server instead. */
static int in_process_open(const struct run_launch *launch, struct run_measured *ret,
			   struct pl_err *err)
{
	(void)ret;
	if (launch->program != NULL)
		return 0;
	return pl_err_set(
		err, PL_ERR_NOT_FOUND,
		"'%s' is not installed; to measure a running server, set {launch.url}; to "
		"try it without vLLM, add --sim",
		json_string_value(json_array_get(launch->argv, 0)));
}

static void in_process_results(const struct run_measured *measured, json_t *results)
{
	(void)measured;
	(void)results;
}

const struct run_client run_client_in_process = {
	.name = "in_process",
	.is_program = true,
	.starts_servers = true,
	.open = in_process_open,
	.measure = in_process_measure,
	.results = in_process_results,
};
