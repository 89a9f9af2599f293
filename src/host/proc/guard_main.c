#include "host/proc/guard_main.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/redact.h"
#include "base/text.h"
#include "host/proc/container.h"
#include "host/proc/exec.h"
#include "host/proc/guard_wire.h"
#include "host/proc/log_pipe.h"
#include "host/proc/mark.h"
#include "host/proc/reaper.h"
#include "host/proc/stat.h"

/*
 * Processes that outlive their head get this long to clean up (shared memory, semaphores) before
 * they are killed.
 */
#define LINGER_NS (500 * PL_NS_PER_MS)
/* Time between two attempts to kill processes that do not end. */
#define KILL_RETRY_NS (5 * PL_NS_PER_MS)
#define LATE_RETRY_NS (200 * PL_NS_PER_MS)
/* After this time profllm is informed that processes remain; the guard continues to try. */
#define KILL_WAIT_NS (10 * PL_NS_PER_S)
/* For one removal of the container, during which nothing else is handled. */
#define REMOVE_NS (8 * PL_NS_PER_S)
#define SOCKET_FD 3
#define NEVER     INT64_MAX

/*
 * The phases. They only move down this list and back to IDLE. At due_ns the next phase begins by
 * itself.
 *
 *     IDLE ──START──> RUNNING ──STOP──> STOPPING ──deadline, KILL──> KILLING ─┐
 *       ^                |  head ends      |  head ends                ^      │ none remain
 *       |                └───────> LINGERING <─┘ ───── 0.5 s ──────────┘      │
 *       └──────────────────────── GONE is sent <──────────────────────────────┘
 *
 * GONE also follows LINGERING once no process remains.
 */
enum phase {
	IDLE,      /* no head */
	RUNNING,   /* due never */
	STOPPING,  /* SIGTERM was sent to the head's group; due: the deadline */
	LINGERING, /* the head has ended, the rest has SIGTERM; due: KILLING */
	KILLING,   /* due: SIGKILL again to remaining processes */
};

struct guard {
	const char *run_id;
	int signals;
	enum phase phase;
	int64_t due_ns;
	int64_t stop_timeout_ns;
	int64_t killing_ns; /* since when */
	pid_t head;
	bool head_ended;
	bool had_to_kill;
	bool reported_gone;
	bool alone;                /* profllm is gone */
	struct host_log_pipe *log; /* NULL: the server writes its log itself */
	char *runtime;             /* program of the container's runtime; NULL: no container */
	char *container;           /* its name */
	bool container_gone;
};

/* ---- the processes below us ---- */

struct walk {
	struct host_proc *list;
	bool *below; /* descends from us */
	size_t count;
};

/* The list is in the order of its numbers, as the kernel shows them. */
static bool is_below(const struct walk *walk, pid_t parent)
{
	size_t at = host_proc_find(walk->list, walk->count, parent);

	return at < walk->count && walk->below[at];
}

/* A child may be listed before its parent (numbers wrap around): again until nothing changes. */
static void find_below(struct walk *walk, pid_t self)
{
	bool changed;

	do {
		changed = false;
		for (size_t i = 0; i < walk->count; i++) {
			if (walk->below[i] ||
			    (walk->list[i].parent != self && !is_below(walk, walk->list[i].parent)))
				continue;
			walk->below[i] = true;
			changed = true;
		}
	} while (changed);
}

static void signal_one(const struct host_proc *proc, bool below, int signal_number,
		       pid_t process_group)
{
	if (signal_number == 0 || !host_proc_signal(proc, signal_number))
		return;
	/* descendants made these groups, so only they are in them */
	if (signal_number == SIGKILL && below && proc->group > 1 && proc->group != process_group)
		kill(-proc->group, SIGKILL);
}

/*
 * Sends a signal to every descendant and to all that carry the mark; SIGKILL also to their whole
 * groups, which no fork() outruns. 0 only counts. Returns how many were found, zombies left out.
 */
static size_t signal_all(const char *run_id, int signal_number)
{
	struct walk walk = { 0 };
	pid_t self = getpid();
	size_t found = 0;

	walk.count = host_proc_list(&walk.list);
	walk.below = pl_alloc_array(walk.count + 1, sizeof(*walk.below));
	find_below(&walk, self);
	for (size_t i = 0; i < walk.count; i++) {
		const struct host_proc *proc = &walk.list[i];
		if (proc->pid == self || host_proc_is_dead(proc) ||
		    (!walk.below[i] && !host_mark_is_on(proc->pid, run_id)))
			continue;
		found++;
		signal_one(proc, walk.below[i], signal_number, getpgrp());
	}
	free(walk.below);
	free(walk.list);
	return found;
}

/* ---- messages to profllm ---- */

static void report(const struct guard *guard, const struct host_guard_msg *msg, const int *fds,
		   size_t fd_count)
{
	if (!guard->alone)
		host_guard_send(SOCKET_FD, msg, fds, fd_count);
}

/* Reaps every child that has ended; true: none is left. */
static bool reap(struct guard *guard)
{
	siginfo_t info = { 0 };
	int done;

	/* P_ALL: as a subreaper it inherits children that it never started. */
	while ((done = waitid(P_ALL, 0, &info, WEXITED | WNOHANG)) == 0 && info.si_pid != 0) {
		if (info.si_pid == guard->head && !guard->head_ended) {
			struct host_guard_msg msg = { .word = HOST_GUARD_ENDED,
						      .a = info.si_code,
						      .b = info.si_status };
			guard->head_ended = true;
			/* the receiver of the message reads the log */
			host_log_pipe_drain(guard->log);
			report(guard, &msg, NULL, 0);
		}
		info.si_pid = 0;
	}
	/* The proof: a descendant always has a parent, and the last one left would be our child. */
	return done < 0 && errno == ECHILD;
}

/* Tries again if it failed before: the runtime may be restarting. */
static void remove_container(struct guard *guard, int64_t timeout_ns)
{
	struct host_container container = { guard->runtime, guard->container };

	if (guard->container_gone)
		return;
	/* a client that ended with the container has removed it */
	bool twice = guard->had_to_kill || guard->phase == STOPPING;
	guard->container_gone = host_container_remove(&container, twice, timeout_ns);
	/* what the runtime's client wrote meanwhile */
	host_log_pipe_drain(guard->log);
}

static void begin_kill(struct guard *guard)
{
	/* one that has ended already was not killed */
	reap(guard);
	if (guard->phase == IDLE || guard->phase == KILLING)
		return;
	guard->had_to_kill |= !guard->head_ended;
	/* first: its runtime's processes also clean up after it */
	remove_container(guard, REMOVE_NS);
	guard->phase = KILLING;
	guard->killing_ns = pl_clock_now_ns();
	guard->due_ns = guard->killing_ns;
}

static void begin_stop(struct guard *guard, int64_t due_ns)
{
	if (guard->phase == RUNNING) {
		guard->phase = STOPPING;
		guard->due_ns = due_ns;
		struct host_container container = { guard->runtime, guard->container };
		/*
		 * A container that does not run yet has a client to end. Its number is not given
		 * away: it has not been waited for.
		 */
		if (guard->runtime == NULL || !host_container_signal(&container, SIGTERM))
			kill(-guard->head, SIGTERM);
	} else if (guard->phase == STOPPING && due_ns < guard->due_ns) {
		guard->due_ns = due_ns;
	}
}

/* Reports the head's end before it signals the other processes. */
static void begin_linger(struct guard *guard)
{
	if (guard->phase != RUNNING && guard->phase != STOPPING)
		return;
	remove_container(guard, REMOVE_NS);
	int64_t due_ns = pl_clock_now_ns() + LINGER_NS;
	if (guard->phase == STOPPING && guard->due_ns < due_ns)
		due_ns = guard->due_ns;
	guard->phase = LINGERING;
	guard->due_ns = due_ns;
	signal_all(guard->run_id, SIGTERM);
}

static void report_gone(struct guard *guard, size_t left)
{
	struct host_guard_msg msg = { .word = HOST_GUARD_GONE,
				      .a = guard->had_to_kill,
				      .b = (int32_t)left };

	if (!guard->reported_gone)
		report(guard, &msg, NULL, 0);
	guard->reported_gone = true;
}

static void kill_remaining(struct guard *guard)
{
	int64_t now_ns = pl_clock_now_ns();
	remove_container(guard, 0);
	size_t left = signal_all(guard->run_id, SIGKILL) + !guard->container_gone;
	bool late = now_ns - guard->killing_ns > KILL_WAIT_NS;

	guard->due_ns = now_ns + (late ? LATE_RETRY_NS : KILL_RETRY_NS);
	if (late && left > 0)
		report_gone(guard, left);
}

/*
 * No child is left, so no descendant is. Checks for processes with the mark that were never
 * descendants.
 */
static void finish(struct guard *guard)
{
	if (!guard->container_gone)
		return;
	if (guard->phase == LINGERING && signal_all(guard->run_id, 0) > 0)
		return;
	if (guard->phase == KILLING && signal_all(guard->run_id, SIGKILL) > 0)
		return;
	host_log_pipe_close(pl_take(guard->log));
	report_gone(guard, 0);
	guard->phase = IDLE;
	guard->due_ns = NEVER;
}

static void advance(struct guard *guard)
{
	bool none_left = reap(guard);

	if (guard->head_ended)
		begin_linger(guard);
	/* Checked again: processes signalled by begin_linger() may have ended since. */
	if (guard->phase > STOPPING && (none_left || reap(guard)))
		finish(guard);
	if (pl_clock_now_ns() < guard->due_ns)
		return;
	if (guard->phase == KILLING)
		kill_remaining(guard);
	else
		begin_kill(guard);
}

/* Adds the next `count` of the consecutive NUL-terminated texts. */
static void take_texts(const char **text, const char *end, int32_t count, struct pl_strv *ret)
{
	for (int32_t i = 0; i < count && *text < end; i++) {
		pl_strv_add(ret, *text);
		*text += strlen(*text) + 1;
	}
}

/* The sender filled it before it sent it, so its size is the whole. */
static char *read_texts(int fd, size_t *ret_len)
{
	struct stat st;

	if (fstat(fd, &st) < 0 || st.st_size <= 0)
		return NULL;
	char *texts = pl_alloc((size_t)st.st_size + 1);
	if (pread(fd, texts, (size_t)st.st_size, 0) == st.st_size) {
		*ret_len = (size_t)st.st_size;
		return texts;
	}
	free(texts);
	return NULL;
}

/* The container is recorded before it exists: after that, the next command finds it. */
static void take_container(struct guard *guard, const char **text, const char *end, int32_t count)
{
	auto_strv texts = { 0 };

	take_texts(text, end, count, &texts);
	free(pl_take(guard->runtime));
	free(pl_take(guard->container));
	guard->container_gone = texts.count < 2;
	if (guard->container_gone)
		return;
	guard->runtime = pl_strdup(texts.items[0]);
	guard->container = pl_strdup(texts.items[1]);
	host_reaper_note_container(guard->run_id, guard->runtime);
}

/* *ret_log: the pipe that feeds the log, NULL: none. */
static pid_t spawn(struct guard *guard, const struct host_guard_msg *msg,
		   const int fds[HOST_GUARD_FDS_MAX], struct host_log_pipe **ret_log)
{
	size_t len = 0;
	auto_free char *texts = read_texts(fds[0], &len);
	const char *at = texts;

	if (texts == NULL) {
		errno = EBADMSG;
		return -1;
	}
	auto_strv argv = { 0 };
	auto_strv env = { 0 };
	auto_strv secrets = { 0 };
	auto_fd int log_fd = -1;
	take_texts(&at, texts + len, msg->a, &argv);
	take_texts(&at, texts + len, msg->b, &env);
	take_texts(&at, texts + len, msg->c, &secrets);
	take_container(guard, &at, texts + len, msg->d);
	for (size_t i = 0; i < secrets.count; i++)
		pl_redact_add(secrets.items[i]);
	if (host_log_pipe_open(fds[1], ret_log, &log_fd) < 0)
		return -1;
	struct host_exec exec = {
		.argv = pl_strv_texts(&argv),
		.env = pl_strv_texts(&env),
		.log_fd = log_fd >= 0 ? log_fd : fds[1],
		/*
		 * Without the guard nothing could stop the head, and its locks could not be
		 * trusted.
		 */
		.death_signal = SIGKILL,
	};
	return host_exec_spawn(&exec);
}

static void start(struct guard *guard, const struct host_guard_msg *msg,
		  const int fds[HOST_GUARD_FDS_MAX])
{
	struct host_guard_msg failed = { .word = HOST_GUARD_FAILED, .a = EBUSY };

	struct host_log_pipe *log = NULL;
	pid_t pid = guard->phase == IDLE ? spawn(guard, msg, fds, &log) : -1;
	if (pid < 0) {
		if (guard->phase == IDLE)
			failed.a = errno;
		host_log_pipe_close(log);
		report(guard, &failed, NULL, 0);
		return;
	}
	guard->phase = RUNNING;
	guard->log = log;
	guard->due_ns = NEVER;
	guard->stop_timeout_ns = msg->ns;
	guard->head = pid;
	/*
	 * Recorded before profllm gets the message: from then on, if both die, the next command
	 * cleans up.
	 */
	host_reaper_note_head(guard->run_id, pid);
	guard->head_ended = guard->had_to_kill = guard->reported_gone = false;
	struct host_guard_msg started = { .word = HOST_GUARD_STARTED, .a = (int32_t)pid };
	auto_fd int pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	report(guard, &started, &pidfd, pidfd >= 0 ? 1 : 0);
}

/* Does not block on a full pipe, which may have no reader. */
static void log_unguarded(void)
{
	static const char text[] = "profllm-guard: profllm has ended; stopping its server\n";
	struct pollfd fds = { .fd = STDERR_FILENO, .events = POLLOUT };

	if (poll(&fds, 1, 0) > 0 && (fds.revents & POLLOUT) != 0)
		(void)!write(STDERR_FILENO, text, sizeof(text) - 1);
}

/* Handles the end of profllm: a normal one once no process runs, otherwise its death. */
static void leave_group(struct guard *guard)
{
	guard->alone = true;
	if (guard->phase == RUNNING)
		log_unguarded();
	begin_stop(guard, pl_clock_now_ns() + guard->stop_timeout_ns);
}

/* Descriptors to hold stay open until the guard ends. */
static void receive(struct guard *guard)
{
	struct host_guard_msg msg;
	int fds[HOST_GUARD_FDS_MAX];
	int got;

	while (!guard->alone && (got = host_guard_take(SOCKET_FD, &msg, fds)) != 0) {
		if (got < 0) {
			leave_group(guard);
			return;
		}
		if (msg.word == HOST_GUARD_START)
			start(guard, &msg, fds);
		else if (msg.word == HOST_GUARD_STOP)
			begin_stop(guard, msg.ns);
		else if (msg.word == HOST_GUARD_KILL)
			begin_kill(guard);
		if (msg.word != HOST_GUARD_HOLD)
			host_guard_close_fds(fds);
	}
}

static void wait_for_something(struct guard *guard)
{
	struct pollfd fds[] = {
		{ .fd = guard->signals, .events = POLLIN },
		/* poll() ignores a negative number */
		{ .fd = guard->alone ? -1 : SOCKET_FD, .events = POLLIN },
		{ .fd = host_log_pipe_fd(guard->log), .events = POLLIN },
	};
	int64_t left_ns = guard->due_ns == NEVER ? NEVER : guard->due_ns - pl_clock_now_ns();
	struct timespec wait = pl_clock_timespec(left_ns > 0 ? left_ns : 0);
	struct signalfd_siginfo info[16];

	ppoll(fds, PL_ARRAY_SIZE(fds), left_ns == NEVER ? NULL : &wait, NULL);
	if (guard->log != NULL)
		host_log_pipe_step(guard->log);
	/* waitid() returns which child it was: signals may merge */
	while (read(guard->signals, info, sizeof(info)) > 0) {}
}

static void set_signals(struct guard *guard)
{
	static const int ignored[] = {
		SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGTSTP, SIGXFSZ
	};
	sigset_t set;

	for (size_t i = 0; i < PL_ARRAY_SIZE(ignored); i++)
		signal(ignored[i], SIG_IGN);
	signal(SIGCHLD, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_SETMASK, &set, NULL);
	guard->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

static void set_descriptors(const struct host_guard_self *self)
{
	if (self->socket != SOCKET_FD)
		dup2(self->socket, SOCKET_FD);
	fcntl(SOCKET_FD, F_SETFD, FD_CLOEXEC);
	/*
	 * Closes all descriptors of profllm: a lock that profllm releases must not remain held
	 * here, and a pipe's reader must see its end.
	 */
	syscall(SYS_close_range, SOCKET_FD + 1U, ~0U, 0U);
	int null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (null_fd < 0)
		return;
	dup2(null_fd, STDIN_FILENO);
	dup2(null_fd, STDOUT_FILENO);
	close(null_fd);
}

_Noreturn void host_guard_main(const struct host_guard_self *self)
{
	struct guard guard = { .run_id = self->run_id, .due_ns = NEVER, .container_gone = true };
	struct host_guard_msg ready = { .word = HOST_GUARD_READY };

	prctl(PR_SET_NAME, "profllm-guard");
	/*
	 * Processes whose parent dies become ours and not init's; set before anything is started.
	 */
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	setsid();
	set_descriptors(self);
	set_signals(&guard);
	report(&guard, &ready, NULL, 0);
	while (guard.phase != IDLE || !guard.alone) {
		wait_for_something(&guard);
		receive(&guard);
		if (guard.phase != IDLE)
			advance(&guard);
	}
	host_reaper_leave(self->run_id);
	/* nothing of profllm's is flushed or run at exit: it is a copy */
	_exit(0);
}
