#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/text.h"
#include "experiment/run_priv.h"
#include "experiment/signals.h"
#include "host/mark.h"

#define POLL_NS             (50 * PL_NS_PER_MS)
#define HEALTH_TIMEOUT_NS   (5 * PL_NS_PER_S)
#define LEFT_WAIT_NS        (5 * PL_NS_PER_S)
#define LOG_BYTES_MAX       (8u << 20)
#define READY_OUTPUT_TOKENS 1

/* "NAME=text" for each variable, with the mark of the run; NULL-ended, all free(). */
static char **make_env(const struct exp_run *run)
{
	char **env = pl_alloc_array(json_object_size(run->launch->env) + 2, sizeof(*env));
	size_t used = 0;
	const char *name;
	json_t *value;

	json_object_foreach(run->launch->env, name, value)
		env[used++] = pl_asprintf("%s=%s", name, json_string_value(value));
	env[used++] = pl_asprintf("%s=%s", HOST_MARK_NAME, run->run_id);
	return env;
}

static void free_texts(char **texts)
{
	for (size_t i = 0; texts[i] != NULL; i++)
		free(texts[i]);
	free(texts);
}

static int start_process(struct exp_run *run, struct pl_err *err)
{
	struct exp_launch *launch = run->launch;
	size_t argc = json_array_size(launch->argv);
	auto_free const char **argv = pl_alloc_array(argc + 1, sizeof(*argv));

	for (size_t i = 0; i < argc; i++)
		argv[i] = json_string_value(json_array_get(launch->argv, i));
	argv[0] = launch->program;
	char **env = make_env(run);
	struct host_process_spec spec = {
		.argv = argv,
		.env = (const char *const *)env,
		.log_path = run->paths.server_log,
	};
	if (launch->port_fd >= 0)
		close(launch->port_fd);
	launch->port_fd = -1;
	run->server.spawned_ns = pl_clock_now_ns();
	int done = host_process_start(&spec, &run->server.process, err);
	run->server.running_ns = pl_clock_now_ns();
	free_texts(env);
	return done;
}

int exp_server_start(struct exp_run *run)
{
	struct pl_err err = PL_ERR_INIT;

	if (run->launch->url != NULL)
		return 0;
	exp_say(run, "starting %s", json_string_value(json_array_get(run->launch->argv, 0)));
	if (exp_launch_check(run->launch, &err) < 0 || start_process(run, &err) < 0) {
		err.code = PL_ERR_LAUNCH;
		return exp_fail(run, MD_STATUS_LAUNCH_FAILED, MD_CAUSE_NOT_EXECUTABLE, &err);
	}
	return 0;
}

static enum md_cause cause_of(const char *name)
{
	static const char *const names[] = {
#define CAUSE(id, cause, text) #cause,
#include "tbl/states.h"
	};

	for (size_t i = 0; i < PL_ARRAY_SIZE(names); i++) {
		if (pl_text_equal(names[i], name))
			return (enum md_cause)i;
	}
	/* finer causes of the log parser that a result does not name yet */
	if (pl_text_equal(name, "invalid_configuration") ||
	    pl_text_equal(name, "quantization_mismatch"))
		return MD_CAUSE_INVALID_ARGUMENT;
	if (pl_text_equal(name, "killed"))
		return MD_CAUSE_CRASHED;
	return MD_CAUSE_COUNT;
}

int exp_server_died(struct exp_run *run, enum md_status status)
{
	struct pl_err why = PL_ERR_INIT, ignored = PL_ERR_INIT;
	auto_free char *text = NULL;
	char end[64];
	size_t len = 0;

	run->server.died = true;
	host_process_wait(run->server.process, 0);
	host_process_end_text(run->server.process, end, sizeof(end));
	if (host_server_log_read(run->paths.server_log, LOG_BYTES_MAX, &text, &len, &ignored) < 0)
		len = 0;
	const char *cause = host_server_log_cause(
		text, len, host_process_signal(run->server.process), run->server.ready);
	pl_err_set(&why, run->server.ready ? PL_ERR_FAILED : PL_ERR_LAUNCH,
		   "the server ended %s: %s",
		   run->server.ready ? "during the run" : "before it was ready", end);
	return exp_fail(run, status, cause_of(cause), &why);
}

/* Notes when the log first spoke of a phase, while the server comes up. */
static void note_phases(struct exp_run *run, off_t *seen_bytes)
{
	struct host_server_log log;
	struct pl_err ignored = PL_ERR_INIT;
	auto_free char *text = NULL;
	struct stat st;
	size_t len;

	if (stat(run->paths.server_log, &st) < 0 || st.st_size == *seen_bytes)
		return;
	*seen_bytes = st.st_size;
	if (host_server_log_read(run->paths.server_log, LOG_BYTES_MAX, &text, &len, &ignored) < 0)
		return;
	host_server_log_parse(text, len, &log);
	if (run->server.weights_ns == MD_NO_TIME && !isnan(log.weights_s))
		run->server.weights_ns = pl_clock_now_ns();
	if (run->server.graphs_ns == MD_NO_TIME && !isnan(log.graphs_s))
		run->server.graphs_ns = pl_clock_now_ns();
}

/* Our own server must say 200; one that runs already need not know the path. */
static bool is_healthy(const struct exp_run *run)
{
	auto_reply reply = { 0 };
	struct pl_err ignored = PL_ERR_INIT;

	if (exp_target_fetch(&run->target, "/health", NULL, HEALTH_TIMEOUT_NS, &reply, &ignored) <
	    0)
		return false;
	return run->server.process != NULL ? reply.status == 200
					   : reply.status > 0 && reply.status < 500;
}

/* When waiting ends. A server that runs already is given what vLLM's client would give it. */
static int64_t ready_due_ns(const struct exp_run *run)
{
	if (run->server.process != NULL)
		return run->server.spawned_ns + run->experiment->launch.ready_timeout_ns;
	return run->started_ns + run->experiment->bench.ready_check_timeout_sec * PL_NS_PER_S;
}

static int not_ready(struct exp_run *run, const char *what)
{
	struct pl_err why = PL_ERR_INIT;
	char limit[32];

	if (run->server.process == NULL) {
		pl_err_set(&why, PL_ERR_NETWORK, "the server at '%s' does not answer%s",
			   run->launch->url, what);
		return exp_fail(run, MD_STATUS_LAUNCH_FAILED, MD_CAUSE_UNREACHABLE, &why);
	}
	pl_text_from_duration(run->experiment->launch.ready_timeout_ns, limit, sizeof(limit));
	pl_err_set(&why, PL_ERR_LAUNCH, "the server was not ready within ready_timeout (%s)%s",
		   limit, what);
	return exp_fail(run, MD_STATUS_LAUNCH_FAILED, MD_CAUSE_NOT_READY, &why);
}

static int stopped(struct exp_run *run, enum md_status status)
{
	struct pl_err why = PL_ERR_INIT;

	pl_err_set(&why, PL_ERR_INTERRUPTED, "interrupted");
	return exp_fail(run, status, MD_CAUSE_SIGNAL, &why);
}

/* Between two looks: wakes at once when the server dies. */
static void pause_for(struct exp_run *run)
{
	if (run->server.process != NULL)
		host_process_wait(run->server.process, POLL_NS);
	else
		pl_clock_sleep_until(pl_clock_now_ns() + POLL_NS);
}

/* 0: go on waiting. */
static int look_around(struct exp_run *run, const char *what)
{
	if (atomic_load(exp_stop_flag()) != 0)
		return stopped(run, MD_STATUS_INTERRUPTED);
	if (run->server.process != NULL && host_process_wait(run->server.process, 0))
		return exp_server_died(run, MD_STATUS_LAUNCH_FAILED);
	if (pl_clock_now_ns() >= ready_due_ns(run))
		return not_ready(run, what);
	return 0;
}

int exp_server_wait(struct exp_run *run)
{
	off_t seen_bytes = 0;

	exp_say(run, "waiting for the server");
	while (!is_healthy(run)) {
		if (run->server.process != NULL)
			note_phases(run, &seen_bytes);
		if (look_around(run, "") < 0)
			return -1;
		pause_for(run);
	}
	if (run->server.process != NULL)
		note_phases(run, &seen_bytes);
	/* another server may sit on our port while ours died of that */
	if (run->server.process != NULL && host_process_wait(run->server.process, 0))
		return exp_server_died(run, MD_STATUS_LAUNCH_FAILED);
	run->server.healthy_ns = pl_clock_now_ns();
	return 0;
}

/* 1: answered, 0: try again; *ret_why says what came instead. -1: cannot be asked at all. */
static int try_request(struct exp_run *run, const char *body, size_t body_len, char *why,
		       size_t room, struct pl_err *err)
{
	struct bench_request request = {
		.body = body,
		.body_len = body_len,
		.prompt_tokens = MD_NO_COUNT,
		.output_tokens = READY_OUTPUT_TOKENS,
	};
	struct bench_load load = exp_load_base(run);
	PL_AUTO(bench_outcome_free) struct bench_outcome *outcome = NULL;

	load.requests = &request;
	load.count = 1;
	load.threads = 1;
	load.run_timeout_ns = ready_due_ns(run) - pl_clock_now_ns();
	if (run->server.process == NULL || load.run_timeout_ns < PL_NS_PER_S)
		load.run_timeout_ns = run->experiment->launch.ready_timeout_ns;
	if (bench_load_run(&load, &outcome, err) < 0)
		return -1;
	const struct md_record *record = &outcome->records[0];
	snprintf(why, room, ": %s", record->error != NULL ? record->error : "no answer");
	/* a refusal is an answer: the requests' own failures will say what is wrong with them */
	return record->ok ||
	       (record->status >= 400 && record->status < 500 && record->status != 429);
}

int exp_ready_request(struct exp_run *run)
{
	char prompt[] = "Hello";
	struct bench_sample sample = { .prompt = prompt,
				       .prompt_tokens = MD_NO_COUNT,
				       .output_tokens = READY_OUTPUT_TOKENS };
	struct bench_encode how = { .bench = &run->experiment->bench, .model = run->model };
	struct pl_err err = PL_ERR_INIT;
	char what[512] = "";
	auto_buf body = { 0 };

	pl_buf_init(&body, 1u << 20);
	if (run->adapter->encode(&how, &sample, &body, &err) < 0)
		return exp_fail(run, MD_STATUS_LAUNCH_FAILED, MD_CAUSE_INTERNAL, &err);
	for (;;) {
		int answered = try_request(run, body.data, body.len, what, sizeof(what), &err);
		if (answered < 0)
			return exp_fail(run, MD_STATUS_LAUNCH_FAILED, MD_CAUSE_INTERNAL, &err);
		if (answered > 0)
			break;
		if (look_around(run, what) < 0)
			return -1;
		pause_for(run);
	}
	run->server.ready_ns = pl_clock_now_ns();
	run->server.ready = true;
	return 0;
}

void exp_server_stop(struct exp_run *run)
{
	struct exp_server *server = &run->server;

	if (server->process == NULL)
		return;
	if (!server->died)
		exp_say(run, "stopping the server");
	int64_t from_ns = pl_clock_now_ns();
	server->killed = !host_process_stop(
		server->process, run->experiment->launch.stop_timeout_ns, exp_hurry_flag());
	server->stop_ns = pl_clock_now_ns() - from_ns;
	server->left = host_mark_kill(run->run_id, LEFT_WAIT_NS);
}
