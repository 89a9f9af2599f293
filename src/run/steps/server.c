#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/text.h"
#include "run/redirect.h"
#include "run/run_priv.h"
#include "run/signals.h"
#include "host/proc/mark.h"
#include "host/proc/oom.h"

#define POLL_NS           (50 * PL_NS_PER_MS)
#define HEALTH_TIMEOUT_NS (5 * PL_NS_PER_S)
#define LEFT_WAIT_NS      (5 * PL_NS_PER_S)
#define SHELL_SIGNAL_BASE 128
/* Enough for what BENCH_ACKS_TRY looks for. */
#define READY_OUTPUT_TOKENS 8

/* "NAME=text" for each variable, with the mark of the run; NULL-ended, all free(). */
static char **make_env(const struct run_state *run)
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

/* GPUs and port stay locked until the server's last descendant is gone, whatever becomes of us. */
static int hold_locks(struct run_state *run, struct pl_err *err)
{
	const struct run_resources *resources = &run->launch->resources;

	for (size_t i = 0; i < resources->lock_count; i++) {
		if (host_guard_hold(run->guard, resources->lock_fds[i], err) < 0)
			return -1;
	}
	if (resources->port.lock_fd < 0)
		return 0;
	return host_guard_hold(run->guard, resources->port.lock_fd, err);
}

static int start_process(struct run_state *run, struct pl_err *err)
{
	struct run_launch *launch = run->launch;
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
		.guard = run->guard,
		.stop_timeout_ns = run->experiment->launch.stop_timeout_ns,
	};
	if (hold_locks(run, err) < 0) {
		free_texts(env);
		return -1;
	}
	if (launch->resources.has_numa)
		host_numa_bind(&launch->resources.numa, host_guard_pid(run->guard));
	host_port_unbind(&launch->resources.port);
	host_server_log_free(run->server.log);
	run->server.log = host_server_log_new((size_t)run->experiment->output.server_log_tail);
	run->server.oom_kills = host_oom_kills();
	run->server.spawned_ns = pl_clock_now_ns();
	int done = host_process_start(&spec, &run->server.process, err);
	run->server.running_ns = pl_clock_now_ns();
	free_texts(env);
	return done;
}

int run_server_start(struct run_state *run)
{
	enum res_cause cause = RES_CAUSE_NOT_EXECUTABLE;
	struct pl_err err = PL_ERR_INIT;

	if (run->launch->url != NULL)
		return 0;
	run_say(run, "starting %s", json_string_value(json_array_get(run->launch->argv, 0)));
	if (run_launch_check(run->launch, &err) < 0 || start_process(run, &err) < 0) {
		err.code = PL_ERR_LAUNCH;
		if (host_guard_is_lost(run->guard))
			cause = RES_CAUSE_INTERNAL;
		return run_fail(run, RES_STATUS_LAUNCH_FAILED, cause, &err);
	}
	return 0;
}

/* Takes in what the log has grown by; one that cannot be read tells nothing. */
static void follow_log(struct run_state *run)
{
	struct pl_err ignored = PL_ERR_INIT;

	if (run->server.log != NULL &&
	    host_server_log_follow(run->server.log, run->paths.server_log, &ignored) < 0)
		return;
}

/* Why the server ended: a name of the CAUSE rows. */
static const char *find_cause(struct run_state *run)
{
	int status = host_process_status(run->server.process);
	int64_t oom_kills = host_oom_kills();
	struct host_death death = {
		.signal_number = host_process_signal(run->server.process),
		.was_ready = run->server.ready,
		.oom_killed = run->server.oom_kills >= 0 && oom_kills > run->server.oom_kills,
	};

	/* a shell in front of the server says the signal so */
	if (death.signal_number == 0 && status > SHELL_SIGNAL_BASE &&
	    status <= SHELL_SIGNAL_BASE + SIGRTMAX)
		death.signal_number = status - SHELL_SIGNAL_BASE;
	follow_log(run);
	host_server_log_end(run->server.log);
	return host_server_log_cause(run->server.log, &death);
}

/* What the server's log says last is not why it ended. */
static int guard_died(struct run_state *run, enum res_status status)
{
	struct pl_err why = PL_ERR_INIT;

	pl_err_set(&why, run->server.ready ? PL_ERR_FAILED : PL_ERR_LAUNCH,
		   "the server's guard (process %d) was killed %s; the server was ended with it",
		   (int)host_guard_pid(run->guard),
		   run->server.ready ? "during the run" : "before the server was ready");
	return run_fail(run, status, RES_CAUSE_INTERNAL, &why);
}

int run_server_died(struct run_state *run, enum res_status status)
{
	struct pl_err why = PL_ERR_INIT;
	char end[64];

	run->server.died = true;
	host_process_wait(run->server.process, 0);
	if (host_guard_is_lost(run->guard))
		return guard_died(run, status);
	host_process_end_text(run->server.process, end, sizeof(end));
	const char *cause = find_cause(run);
	pl_err_set(&why, run->server.ready ? PL_ERR_FAILED : PL_ERR_LAUNCH,
		   "the server ended %s: %s",
		   run->server.ready ? "during the run" : "before it was ready", end);
	return run_fail(run, status, res_cause_find(cause), &why);
}

/* Asks each address of the server's name until one answers, which is the server's from then on. */
static int ask_for_health(struct run_state *run, struct io_reply *ret, char *why, size_t room,
			  struct pl_err *err)
{
	size_t used = 0;

	for (size_t i = 0; i <= run->target.other_count; i++) {
		if (run_target_fetch(&run->target, "/health", NULL, HEALTH_TIMEOUT_NS, ret, err) ==
		    0)
			return 0;
		/* a certificate that is not trusted is a server's that was reached */
		if (err->code == PL_ERR_INVALID)
			used = 0;
		int len = snprintf(why + used, room - used, "%s%.300s", used > 0 ? "; " : ": ",
				   err->text);
		used = (size_t)len < room - used ? used + (size_t)len : room - 1;
		if (err->code == PL_ERR_INVALID || err->code == PL_ERR_INTERRUPTED)
			break;
		run_target_turn(&run->target);
	}
	return -1;
}

/*
 * Our own server must say 200; one that runs already need not know the path. 1: healthy; 0: not
 * yet; -1: waiting will not help, for it shows a certificate that is not trusted. `why`: ": …", if
 * not.
 */
static int look_for_health(struct run_state *run, char *why, size_t room)
{
	auto_reply reply = { 0 };
	struct pl_err err = PL_ERR_INIT;

	if (ask_for_health(run, &reply, why, room, &err) < 0)
		return err.code == PL_ERR_INVALID ? -1 : 0;
	snprintf(why, room, ": '/health' answered %d", reply.status);
	return run->server.process != NULL ? reply.status == 200
					   : reply.status > 0 && reply.status < 500;
}

/* When waiting ends. A server that runs already is given what vLLM's client would give it. */
static int64_t ready_due_ns(const struct run_state *run)
{
	if (run->server.process != NULL)
		return run->server.spawned_ns + run->experiment->launch.ready_timeout_ns;
	return run->started_ns + run->experiment->bench.ready_check_timeout_sec * PL_NS_PER_S;
}

static int not_ready(struct run_state *run, const char *what)
{
	struct pl_err why = PL_ERR_INIT;
	char limit[32];

	if (run->server.process == NULL) {
		pl_err_set(&why, PL_ERR_NETWORK, "the server at '%s' does not answer%s",
			   run->launch->url, what);
		return run_fail(run, RES_STATUS_LAUNCH_FAILED, RES_CAUSE_UNREACHABLE, &why);
	}
	pl_text_from_duration(run->experiment->launch.ready_timeout_ns, limit, sizeof(limit));
	pl_err_set(&why, PL_ERR_LAUNCH, "the server was not ready within ready_timeout (%s)%s",
		   limit, what);
	return run_fail(run, RES_STATUS_LAUNCH_FAILED, RES_CAUSE_READY_TIMEOUT, &why);
}

static int not_trusted(struct run_state *run, const char *what)
{
	struct pl_err why = PL_ERR_INIT;

	if (run->server.process == NULL)
		return not_ready(run, what);
	pl_err_set(&why, PL_ERR_LAUNCH, "the server does not answer%s", what);
	return run_fail(run, RES_STATUS_LAUNCH_FAILED, RES_CAUSE_UNREACHABLE, &why);
}

static int stopped(struct run_state *run, enum res_status status)
{
	struct pl_err why = PL_ERR_INIT;

	pl_err_set(&why, PL_ERR_INTERRUPTED, "interrupted");
	return run_fail(run, status, RES_CAUSE_SIGNAL, &why);
}

/* Between two looks: wakes at once when the server dies. */
static void pause_for(struct run_state *run)
{
	if (run->server.process != NULL)
		host_process_wait(run->server.process, POLL_NS);
	else
		pl_clock_sleep_until(pl_clock_now_ns() + POLL_NS);
}

/* 0: go on waiting. */
static int look_around(struct run_state *run, const char *what)
{
	run_journal_alive(run->journal);
	if (atomic_load(run_stop_flag()) != 0)
		return stopped(run, RES_STATUS_INTERRUPTED);
	if (run->server.process != NULL && host_process_wait(run->server.process, 0))
		return run_server_died(run, RES_STATUS_LAUNCH_FAILED);
	if (pl_clock_now_ns() >= ready_due_ns(run))
		return not_ready(run, what);
	return 0;
}

int run_server_wait(struct run_state *run)
{
	char why[512] = "";

	if (run->target.unknown != NULL) {
		snprintf(why, sizeof(why), ": %s", run->target.unknown);
		return not_ready(run, why);
	}
	run_say(run, "waiting for the server");
	for (;;) {
		int health = look_for_health(run, why, sizeof(why));
		if (health > 0)
			break;
		if (run->server.process != NULL)
			follow_log(run);
		if (look_around(run, why) < 0)
			return -1;
		if (health < 0)
			return not_trusted(run, why);
		pause_for(run);
	}
	if (run->server.process != NULL)
		follow_log(run);
	/* another server may sit on our port while ours died of that */
	if (run->server.process != NULL && host_process_wait(run->server.process, 0))
		return run_server_died(run, RES_STATUS_LAUNCH_FAILED);
	run->server.healthy_ns = pl_clock_now_ns();
	return 0;
}

/* 1: answered, with *ret_status; 0: try again; *why says what came instead. -1: cannot be asked. */
static int try_request(struct run_state *run, const char *body, size_t body_len, char *why,
		       size_t room, int32_t *ret_status, struct pl_err *err)
{
	struct bench_request request = {
		.body = body,
		.body_len = body_len,
		.prompt_tokens = RES_NO_COUNT,
		.output_tokens = READY_OUTPUT_TOKENS,
	};
	struct bench_load load = run_load_unmeasured(run);
	PL_AUTO(res_outcome_free) struct res_outcome *outcome = NULL;

	load.requests = &request;
	load.count = 1;
	load.threads = 1;
	load.run_timeout_ns = ready_due_ns(run) - pl_clock_now_ns();
	if (run->server.process == NULL || load.run_timeout_ns < PL_NS_PER_S)
		load.run_timeout_ns = run->experiment->launch.ready_timeout_ns;
	if (bench_load_run(&load, &outcome, err) < 0)
		return -1;
	/* of the server that is there now */
	run->acks_may_wait = outcome->acks_may_wait;
	const struct res_record *record = &outcome->records[0];
	snprintf(why, room, ": %s", record->error != NULL ? record->error : "no answer");
	*ret_status = record->status;
	/* a refusal is an answer: the requests' own failures will say what is wrong with them */
	return record->ok || run_redirect_is(record->status) ||
	       (record->status >= 400 && record->status < 500 && record->status != 429);
}

static int redirected(struct run_state *run, const char *what)
{
	struct pl_err why = PL_ERR_INIT;

	pl_err_set(&why, PL_ERR_NETWORK, "the server at '%s' does not answer '%s'%s as launch.url",
		   run->launch->url != NULL ? run->launch->url : "its port", run->endpoint, what);
	return run_fail(run, RES_STATUS_LAUNCH_FAILED, RES_CAUSE_UNREACHABLE, &why);
}

int run_ready_request(struct run_state *run)
{
	char prompt[] = "Hello";
	struct bench_sample sample = { .prompt = prompt,
				       .prompt_tokens = RES_NO_COUNT,
				       .output_tokens = READY_OUTPUT_TOKENS };
	struct bench_encode how = { .bench = &run->experiment->bench, .model = run->model };
	struct pl_err err = PL_ERR_INIT;
	char what[512] = "";
	auto_buf body = { 0 };
	int32_t status = 0;

	/* a back end that only vLLM's client speaks, or no test request asked for: being healthy
	 * has to do */
	if (run->adapter == NULL ||
	    (run->server.process == NULL && run->experiment->bench.ready_check_timeout_sec == 0)) {
		run->server.ready_ns = pl_clock_now_ns();
		run->server.ready = true;
		return 0;
	}
	pl_buf_init(&body, 1u << 20);
	if (run->adapter->encode(&how, &sample, &body, &err) < 0)
		return run_fail(run, RES_STATUS_LAUNCH_FAILED, RES_CAUSE_INTERNAL, &err);
	for (;;) {
		int answered = try_request(run, body.data, body.len, what, sizeof(what), &status,
					   &err);
		if (answered < 0)
			return run_fail(run, RES_STATUS_LAUNCH_FAILED, RES_CAUSE_INTERNAL, &err);
		if (answered > 0)
			break;
		if (look_around(run, what) < 0)
			return -1;
		pause_for(run);
	}
	if (run_redirect_is(status))
		return redirected(run, what);
	if (status >= 400 && run_identity_check_model(run, what) < 0)
		return -1;
	run->server.ready_ns = pl_clock_now_ns();
	run->server.ready = true;
	follow_log(run);
	if (run->server.log != NULL)
		host_server_log_set_ready(run->server.log);
	return 0;
}

void run_server_stop(struct run_state *run)
{
	struct run_server *server = &run->server;

	if (server->process == NULL)
		return;
	if (!server->died)
		run_say(run, "stopping the server");
	int64_t from_ns = pl_clock_now_ns();
	server->killed = !host_process_stop(
		server->process, run->experiment->launch.stop_timeout_ns, run_hurry_flag());
	server->stop_ns = pl_clock_now_ns() - from_ns;
	server->left = host_mark_kill(run->run_id, LEFT_WAIT_NS);
}
