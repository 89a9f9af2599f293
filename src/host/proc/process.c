#include "host/proc/process.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/thread.h"
#include "host/proc/exec.h"
#include "host/proc/guard.h"
#include "host/proc/log_pipe.h"

#define STOP_POLL_NS  (20 * PL_NS_PER_MS)
#define KILL_WAIT_NS  (10 * PL_NS_PER_S)
#define GUARD_WAIT_NS (15 * PL_NS_PER_S) /* longer than its own time to kill */
/* for the guard's message about an end that the kernel has shown */
#define WORD_WAIT_NS (5 * PL_NS_PER_S)

/*
 * Two kinds with one interface: our own child (helpers, clients), for which this process waits, and
 * a guarded one (servers), for which the guard waits and reports. `end` comes from either.
 */
struct host_process {
	struct host_log_pipe *log; /* of our own child, read by the thread; NULL: none */
	pthread_t log_reader;
	int log_over; /* eventfd that ends the thread */
	pid_t pid;
	int pidfd;
	struct host_guard *guard;
	bool ended;
	struct host_end end;
};

/* ---- the log of our own child ---- */

static void *read_log(void *data)
{
	struct host_process *process = data;

	for (;;) {
		struct pollfd fds[] = {
			{ .fd = process->log_over, .events = POLLIN },
			{ .fd = host_log_pipe_fd(process->log), .events = POLLIN },
		};
		if (poll(fds, PL_ARRAY_SIZE(fds), -1) > 0 && (fds[0].revents & POLLIN) != 0)
			return NULL;
		host_log_pipe_step(process->log);
	}
}

/* ret_fd: the descriptor to which the child writes instead of the log; -1: the log itself. */
static int start_log(struct host_process *process, int log_fd, int *ret_fd, struct pl_err *err)
{
	if (host_log_pipe_open(log_fd, &process->log, ret_fd) < 0)
		return pl_err_errno(err, "could not open a pipe");
	if (process->log == NULL)
		return 0;
	process->log_over = eventfd(0, EFD_CLOEXEC);
	if (process->log_over >= 0 &&
	    pl_thread_start(&process->log_reader, read_log, process, err) == 0)
		return 0;
	if (process->log_over < 0)
		pl_err_errno(err, "could not open an event");
	pl_fd_close(&process->log_over);
	host_log_pipe_close(pl_take(process->log));
	return -1;
}

/*
 * Call it after the child has ended, or when it is no longer watched: afterwards the log contains
 * all its output.
 */
static void end_log(struct host_process *process)
{
	uint64_t one = 1;

	if (process->log == NULL)
		return;
	(void)!write(process->log_over, &one, sizeof(one));
	pthread_join(process->log_reader, NULL);
	pl_fd_close(&process->log_over);
	host_log_pipe_close(pl_take(process->log));
}

static int start_child(const struct host_process_spec *spec, struct host_process *process,
		       struct pl_err *err)
{
	auto_fd int log_fd = -1;
	auto_fd int pipe_fd = -1;
	auto_strv env = { 0 };

	host_exec_env(spec->env, &env);
	if (host_exec_open_log(spec->log_path, &log_fd, err) < 0)
		return -1;
	if (start_log(process, log_fd, &pipe_fd, err) < 0)
		return -1;
	struct host_exec exec = {
		.argv = spec->argv,
		.env = pl_strv_texts(&env),
		.log_fd = pipe_fd >= 0 ? pipe_fd : log_fd,
		/* prctl(2): the death of the thread that started it counts, not of the process. */
		.death_signal = SIGTERM,
	};
	process->pid = host_exec_spawn(&exec);
	if (process->pid < 0) {
		pl_err_errno(err, "could not run '%s'", spec->argv[0]);
		err->code = PL_ERR_LAUNCH;
		end_log(process);
		return -1;
	}
	process->pidfd = (int)syscall(SYS_pidfd_open, process->pid, 0);
	return 0;
}

int host_process_start(const struct host_process_spec *spec, struct host_process **ret,
		       struct pl_err *err)
{
	struct host_process *process = pl_alloc(sizeof(*process));

	process->pidfd = process->log_over = -1;
	process->guard = spec->guard;
	int done = spec->guard == NULL ? start_child(spec, process, err)
				       : host_guard_spawn(spec->guard, spec, &process->pid,
							  &process->pidfd, err);
	if (done < 0) {
		free(process);
		return -1;
	}
	*ret = process;
	return 0;
}

pid_t host_process_pid(const struct host_process *process)
{
	return process->pid;
}

static bool kernel_shows_end(const struct host_process *process)
{
	struct pollfd fds = { .fd = process->pidfd, .events = POLLIN };

	return poll(&fds, 1, 0) > 0;
}

/* Uses poll() on the pidfd, which reaps nothing, so the owner still gets the status. */
bool host_process_has_ended(const struct host_process *process)
{
	return kernel_shows_end(process) ||
	       (process->guard != NULL && host_guard_hung_up(process->guard));
}

/* The dead leader stays a zombie until its group is killed: its number cannot be given away. */
static void reap(struct host_process *process)
{
	siginfo_t info = { 0 };

	/*
	 * WNOWAIT leaves it a zombie, so that the group's number is still its own when the group is
	 * killed.
	 */
	if (waitid(P_PID, (id_t)process->pid, &info, WEXITED | WNOHANG | WNOWAIT) < 0 ||
	    info.si_pid != process->pid)
		return;
	kill(-process->pid, SIGKILL);
	waitid(P_PID, (id_t)process->pid, &info, WEXITED);
	end_log(process);
	process->ended = true;
	process->end = (struct host_end){ .code = info.si_code, .status = info.si_status };
}

static bool wait_child(struct host_process *process, int64_t timeout_ns)
{
	int64_t due_ns = pl_clock_now_ns() + timeout_ns;

	while (!process->ended) {
		int64_t left_ns = due_ns - pl_clock_now_ns();
		struct pollfd fds = { .fd = process->pidfd, .events = POLLIN };
		struct timespec wait = pl_clock_timespec(left_ns > 0 ? left_ns : 0);

		int ready = ppoll(&fds, 1, &wait, NULL);
		reap(process);
		/* a signal ends the wait: the caller checks its flags */
		if (left_ns <= 0 || (ready < 0 && errno == EINTR))
			break;
	}
	return process->ended;
}

bool host_process_wait(struct host_process *process, int64_t timeout_ns)
{
	if (process->guard == NULL)
		return wait_child(process, timeout_ns);
	if (process->ended)
		return true;
	/* what the watching thread saw must hold here, too: the guard's message is on its way */
	if (timeout_ns < WORD_WAIT_NS && kernel_shows_end(process))
		timeout_ns = WORD_WAIT_NS;
	process->ended = host_guard_wait_end(process->guard, timeout_ns, &process->end);
	return process->ended;
}

static bool is_set(const atomic_int *flag)
{
	return flag != NULL && atomic_load(flag) != 0;
}

static bool stop_child(struct host_process *process, int64_t deadline_ns, const atomic_int *hurry)
{
	int64_t due_ns = pl_clock_now_ns() + deadline_ns;
	bool gentle = true;

	if (wait_child(process, 0))
		return true;
	kill(-process->pid, SIGTERM);
	while (!wait_child(process, STOP_POLL_NS)) {
		if (!is_set(hurry) && pl_clock_now_ns() < due_ns)
			continue;
		gentle = false;
		kill(-process->pid, SIGKILL);
		/* A process in state D survives even SIGKILL for a while; wait for it. */
		int64_t gone_ns = pl_clock_now_ns() + KILL_WAIT_NS;
		while (!wait_child(process, STOP_POLL_NS) && pl_clock_now_ns() < gone_ns) {}
		break;
	}
	return gentle;
}

/* Ends a guard that no longer responds: the kernel then kills the head. */
static bool stop_guarded(struct host_process *process, int64_t deadline_ns, const atomic_int *hurry)
{
	/*
	 * The guard has its own deadline and its own time to kill; only after both it counts as
	 * hung.
	 */
	int64_t silent_ns = pl_clock_now_ns() + deadline_ns + GUARD_WAIT_NS;
	bool hurried = is_set(hurry);

	if (hurried)
		host_guard_ask_kill(process->guard);
	else
		host_guard_ask_stop(process->guard, deadline_ns);
	while (!host_guard_wait_gone(process->guard, STOP_POLL_NS)) {
		if (!hurried && is_set(hurry)) {
			hurried = true;
			host_guard_ask_kill(process->guard);
		}
		if (pl_clock_now_ns() > silent_ns)
			kill(host_guard_pid(process->guard), SIGKILL);
	}
	host_process_wait(process, 0);
	if (host_guard_is_lost(process->guard))
		(void)host_guard_end_marked(process->guard);
	return !host_guard_had_to_kill(process->guard);
}

bool host_process_stop(struct host_process *process, int64_t deadline_ns, const atomic_int *hurry)
{
	return process->guard == NULL ? stop_child(process, deadline_ns, hurry)
				      : stop_guarded(process, deadline_ns, hurry);
}

void host_process_free(struct host_process *process)
{
	if (process == NULL)
		return;
	if (!process->ended)
		host_process_stop(process, 0, NULL);
	end_log(process);
	pl_fd_close(&process->pidfd);
	free(process);
}

int host_process_signal(const struct host_process *process)
{
	bool by_signal = process->end.code == CLD_KILLED || process->end.code == CLD_DUMPED;

	return process->ended && by_signal ? process->end.status : 0;
}

int host_process_status(const struct host_process *process)
{
	if (!process->ended || process->end.code == 0)
		return -1;
	return process->end.code == CLD_EXITED ? process->end.status : 128 + process->end.status;
}

void host_process_end_text(const struct host_process *process, char *text, size_t room)
{
	int number = host_process_signal(process);

	if (!process->ended)
		snprintf(text, room, "running");
	else if (process->end.code == CLD_EXITED)
		snprintf(text, room, "exit status %d", process->end.status);
	else if (number != 0)
		snprintf(text, room, "signal %d (%s)", number, strsignal(number));
	else
		snprintf(text, room, "its guard was killed");
}
