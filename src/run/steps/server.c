/*
 * The server of a run: start, pause, end. Its parent is the guard, which holds the locks of GPUs and port and ends
 * remaining processes if this process is killed. All descendants inherit the mark in the environment, even those that
 * left the process group, and are found by it.
 */
#include "run/steps/server.h"

#include <signal.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/strv.h"
#include "host/lock/socket.h"
#include "host/proc/mark.h"
#include "host/proc/oom.h"
#include "result/record.h"
#include "run/container.h"
#include "run/context.h"
#include "run/launch.h"

#define LEFT_WAIT_NS      (5 * PL_NS_PER_S)
#define SHELL_SIGNAL_BASE 128
#define RUNTIME_FAILED    125 /* of docker and podman: the container did not start */

void run_server_done(struct run_server *server)
{
	host_process_free(server->process);
	host_server_log_free(server->log);
	server->process = NULL;
	server->log = NULL;
}

void run_server_reset(struct run_server *server)
{
	run_server_done(server);
	*server = (struct run_server){
		.url = server->url,
		.log_path = server->log_path,
		.called = server->called,
		.guard = server->guard,
		.spawned_ns = RES_NO_TIME,
		.running_ns = RES_NO_TIME,
		.healthy_ns = RES_NO_TIME,
		.ready_ns = RES_NO_TIME,
	};
}

/* GPUs and port stay locked until the server's last descendant has ended, even if this process is killed. */
static int hold_locks(const struct run_resources *resources, struct host_guard *guard,
		      struct pl_err *err)
{
	for (size_t i = 0; i < resources->lock_count; i++) {
		if (host_guard_hold(guard, resources->lock_fds[i], err) < 0)
			return -1;
	}
	if (resources->port.lock_fd < 0)
		return 0;
	return host_guard_hold(guard, resources->port.lock_fd, err);
}

static int start_process(const struct run_context *run, struct run_launch *launch,
			 struct run_server *server, struct pl_err *err)
{
	auto_json json_t *words = json_copy(launch->argv);
	auto_strv argv = { 0 };
	auto_strv env = { 0 };

	if (hold_locks(&launch->resources, server->guard, err) < 0)
		return -1;
	/* the file that was checked: launch.env may set another PATH */
	json_array_set_new(words, 0, json_string_nocheck(launch->program));
	if (launch->wrapper != NULL) {
		auto_json json_t *wrapper = json_copy(launch->wrapper_words);
		json_array_set_new(wrapper, 0, json_string_nocheck(launch->wrapper));
		pl_strv_add_json(&argv, wrapper);
	}
	pl_strv_add_json(&argv, words);
	/* a container gets its variables as arguments */
	pl_strv_add_env(&env, launch->container != NULL ? launch->client_env : launch->env);
	pl_strv_addf(&env, "%s=%s", HOST_MARK_NAME, run->mark);
	struct host_process_spec spec = {
		.argv = pl_strv_texts(&argv),
		.env = pl_strv_texts(&env),
		.log_path = server->log_path,
		.guard = server->guard,
		.stop_timeout_ns = run->experiment->launch.stop_timeout_ns,
	};
	if (launch->container != NULL)
		spec.container = (struct host_container){ launch->program,
							  launch->container->name };
	/* the guard's descendants inherit its CPU binding */
	if (launch->resources.has_numa)
		host_numa_bind(&launch->resources.numa, host_guard_pid(server->guard));
	/* left by an earlier server: bind() would fail */
	if (launch->uds != NULL && host_socket_clear(launch->uds, err) < 0)
		return -1;
	/* bound until here, so that no other process got it; the lock stays */
	host_port_unbind(&launch->resources.port);
	host_server_log_free(server->log);
	server->log = host_server_log_new((size_t)run->experiment->output.server_log_tail);
	/* if this has increased at its death, the kernel killed it */
	server->oom_kills = host_oom_kills();
	server->container = spec.container;
	server->spawned_ns = pl_clock_now_ns();
	int done = host_process_start(&spec, &server->process, err);
	server->running_ns = pl_clock_now_ns();
	return done;
}

int run_server_start(const struct run_context *run, struct run_launch *launch,
		     struct run_server *server)
{
	enum res_cause cause = RES_CAUSE_NOT_EXECUTABLE;
	struct pl_err err = PL_ERR_INIT;

	if (launch->url != NULL)
		return 0;
	server->port = launch->resources.port.number;
	if (launch->container != NULL)
		run_log(run, "starting container %s of image %s", launch->container->name,
			launch->container->image);
	else
		run_log(run, "starting %s", json_string_value(json_array_get(launch->argv, 0)));
	bool found = run_launch_check(launch, &err) == 0;
	bool usable = found && (launch->container == NULL ||
				run_container_check(run->experiment, launch, &err) == 0);
	if (!usable || start_process(run, launch, server, &err) < 0) {
		err.code = PL_ERR_LAUNCH;
		if (found && !usable)
			cause = RES_CAUSE_CONTAINER_ENGINE;
		if (host_guard_is_lost(server->guard))
			cause = RES_CAUSE_INTERNAL;
		return run_fail_err(run, RES_STATUS_LAUNCH_FAILED, cause, &err);
	}
	return 0;
}

void run_server_follow_log(struct run_server *server)
{
	/* an unreadable log gives no information */
	if (server->log != NULL &&
	    host_server_log_follow(server->log, server->log_path, PL_ERR_IGNORED) < 0)
		return;
}

void run_server_end_log(const struct run_server *server)
{
	if (server->log != NULL &&
	    host_server_log_follow(server->log, server->log_path, PL_ERR_IGNORED) == 0)
		host_server_log_end(server->log);
}

void run_server_set_ready(struct run_server *server)
{
	server->ready_ns = pl_clock_now_ns();
	server->ready = true;
}

bool run_server_ended(const struct run_server *server, int64_t wait_ns)
{
	return server->process != NULL && host_process_wait(server->process, wait_ns);
}

/* Waits on the process, because its end also ends the pause. */
void run_server_pause(const struct run_server *server, int64_t ns)
{
	if (server->process != NULL)
		host_process_wait(server->process, ns);
	else
		pl_clock_sleep_until(pl_clock_now_ns() + ns);
}

/* Returns why the server ended: a name of the CAUSE rows. */
static const char *find_cause(struct run_server *server)
{
	int status = host_process_status(server->process);
	int64_t oom_kills = host_oom_kills();
	struct host_death death = {
		.signal_number = host_process_signal(server->process),
		.was_ready = server->ready,
		.oom_killed = server->oom_kills >= 0 && oom_kills > server->oom_kills,
	};

	/* a shell around the server reports the signal this way */
	if (death.signal_number == 0 && status > SHELL_SIGNAL_BASE &&
	    status <= SHELL_SIGNAL_BASE + SIGRTMAX)
		death.signal_number = status - SHELL_SIGNAL_BASE;
	run_server_follow_log(server);
	host_server_log_end(server->log);
	return host_server_log_cause(server->log, &death);
}

int run_server_died(const struct run_context *run, struct run_server *server,
		    enum res_status status)
{
	char end[64];

	server->died = true;
	host_process_wait(server->process, 0);
	if (host_guard_is_lost(server->guard)) {
		/* In this case, the last lines of the server's log are not the cause. */
		return run_fail(run, status, RES_CAUSE_INTERNAL,
				server->ready ? PL_ERR_FAILED : PL_ERR_LAUNCH,
				"the guard process %d of the server was killed %s, which stopped "
				"the server",
				(int)host_guard_pid(server->guard),
				server->ready ? "during the run" : "before the server was ready");
	}
	host_process_end_text(server->process, end, sizeof(end));
	enum res_cause cause = res_cause_find(find_cause(server));
	/* neither the server nor a table knows the texts of every option of a runtime */
	if (cause == RES_CAUSE_UNKNOWN && server->container.program != NULL && !server->ready &&
	    host_process_status(server->process) == RUNTIME_FAILED)
		cause = RES_CAUSE_CONTAINER_ENGINE;
	return run_fail(run, status, cause, server->ready ? PL_ERR_FAILED : PL_ERR_LAUNCH,
			"%s ended %s: %s", server->called != NULL ? server->called : "the server",
			server->ready ? "during the run" : "before it was ready", end);
}

size_t run_server_sweep(const struct run_context *run)
{
	return host_mark_kill(run->mark, LEFT_WAIT_NS);
}

void run_server_stop(const struct run_context *run, struct run_server *server)
{
	if (server->process == NULL)
		return;
	if (!server->died)
		run_log(run, "stopping the server");
	int64_t from_ns = pl_clock_now_ns();
	server->killed = !host_process_stop(
		server->process, run->experiment->launch.stop_timeout_ns, &run->stop->hurry);
	server->stop_ns = pl_clock_now_ns() - from_ns;
	/* workers that survive their parent hold the GPU's memory, and the next run would fail */
	server->left = run_server_sweep(run);
	if (server->container.program != NULL)
		server->left += host_container_look(&server->container) != HOST_CONTAINER_GONE;
}
