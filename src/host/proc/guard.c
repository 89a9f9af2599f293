#include "host/proc/guard.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "base/redact.h"
#include "host/proc/container.h"
#include "host/proc/exec.h"
#include "host/proc/guard_main.h"
#include "host/proc/guard_wire.h"
#include "host/proc/mark.h"
#include "host/proc/process.h"
#include "host/proc/reaper.h"

#define TEXTS_BYTES_MAX (64u << 20)
#define LAST_WAIT_NS    (30 * PL_NS_PER_S)
#define MARKED_WAIT_NS  (10 * PL_NS_PER_S)
#define RUN_ID_BYTES    64

/* gcc and clang report sanitizers differently */
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define __SANITIZE_THREAD__ 1
#endif
#endif
#ifdef __SANITIZE_THREAD__
#define HAS_OWN_THREADS true /* the sanitizer's */
#else
#define HAS_OWN_THREADS false
#endif

/*
 *
 *     profllm (this file)                         guard (guard_main.c)            the server
 *     ───────────────────                         ────────────────────            ──────────
 *     START argv, env, log ───────────────────>   fork, exec ──────────────────>  head ─> engine …
 *     <────────────────────── STARTED pid, pidfd
 *     STOP deadline, KILL ────────────────────>   SIGTERM … SIGKILL ───────────>
 *     <───────────────────────── ENDED how (waitid)  <───────────── head ends
 *                                                 lingers, kills the remaining processes
 *     <─────────────────────────── GONE how many remain
 *     socket closes (profllm died) ───────────>   as STOP, then the guard ends
 *
 * One packet per message, with its descriptors.
 */
struct host_guard {
	pid_t pid;
	int socket;
	char run_id[RUN_ID_BYTES];
	bool lost;
	bool started;    /* a head; until `gone` */
	char *runtime;   /* of its container; NULL: none */
	char *container; /* its name */
	struct host_proc head;
	bool answered;
	struct host_guard_msg answer; /* READY, STARTED or FAILED */
	int pidfd;                    /* that came with it */
	bool ended;
	struct host_end end;
	bool gone;
	bool had_to_kill;
	int left;
};

/* fork() copies one thread: a lock that another holds would stay taken in the guard. */
static void warn_of_threads(void)
{
	auto_dir dir = HAS_OWN_THREADS ? NULL : opendir("/proc/self/task");
	size_t count = 0;

	while (pl_dir_next(dir) != NULL)
		count++;
	if (count > 1)
		pl_log(PL_LOG_WARNING, "the guard process starts while %zu other threads run",
		       count - 1);
}

static void note(struct host_guard *guard, const struct host_guard_msg *msg, int fds[])
{
	switch ((enum host_guard_word)msg->word) {
	case HOST_GUARD_READY:
	case HOST_GUARD_STARTED:
	case HOST_GUARD_FAILED:
		guard->answered = true;
		guard->answer = *msg;
		if (msg->word == HOST_GUARD_STARTED && !host_proc_read(msg->a, &guard->head))
			guard->head.pid = 0;
		guard->pidfd = pl_take_fd(fds[0]);
		break;
	case HOST_GUARD_ENDED:
		guard->ended = true;
		guard->end = (struct host_end){ .code = msg->a, .status = msg->b };
		break;
	case HOST_GUARD_GONE:
		guard->gone = true;
		guard->had_to_kill = msg->a != 0;
		guard->left = msg->b;
		break;
	default:
		break;
	}
}

/* Handles all pending messages. */
static void take_all(struct host_guard *guard)
{
	struct host_guard_msg msg;
	int fds[HOST_GUARD_FDS_MAX];
	int got;

	while (!guard->lost && (got = host_guard_take(guard->socket, &msg, fds)) != 0) {
		if (got < 0) {
			guard->lost = true;
			break;
		}
		note(guard, &msg, fds);
		host_guard_close_fds(fds);
	}
}

/*
 * Handles messages until *what is true, the guard is lost, the time is up or a signal reaches this
 * process (if `through` is set, signals do not end the wait). Returns *what.
 */
static bool wait_until(struct host_guard *guard, const bool *what, int64_t timeout_ns, bool through)
{
	int64_t due_ns = pl_clock_now_ns() + timeout_ns;

	take_all(guard);
	while (!*what && !guard->lost) {
		int64_t left_ns = due_ns - pl_clock_now_ns();
		struct pollfd fds = { .fd = guard->socket, .events = POLLIN };
		if (left_ns <= 0)
			break;
		struct timespec wait = pl_clock_timespec(left_ns);
		int ready = ppoll(&fds, 1, &wait, NULL);
		take_all(guard);
		if (ready < 0 && !through)
			break;
	}
	return *what;
}

static int lost(struct host_guard *guard, struct pl_err *err)
{
	guard->lost = true;
	return pl_err_set(err, PL_ERR_LAUNCH,
			  "the guard process %d was killed, so no server can start",
			  (int)guard->pid);
}

int host_guard_start(const char *run_id, struct host_guard **ret, struct pl_err *err)
{
	int pair[2];

	warn_of_threads();
	/* SEQPACKET preserves message boundaries and reports the end of the peer. */
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return pl_err_errno(err, "could not create a socket pair");
	pid_t parent = getpid();
	pid_t pid = fork();
	if (pid < 0) {
		pl_err_errno(err, "could not start the guard process");
		close(pair[0]);
		close(pair[1]);
		return -1;
	}
	if (pid == 0) {
		struct host_guard_self self = { pair[1], parent, run_id };
		host_guard_main(&self);
	}
	close(pair[1]);
	struct host_guard *guard = pl_alloc(sizeof(*guard));
	guard->pid = pid;
	guard->socket = pair[0];
	guard->pidfd = -1;
	snprintf(guard->run_id, sizeof(guard->run_id), "%s", run_id);
	/*
	 * READY comes once it is deaf to signals: one that we send or get before that could end it.
	 */
	if (!wait_until(guard, &guard->answered, INT64_MAX / 4, true)) {
		lost(guard, err);
		host_guard_free(guard);
		return -1;
	}
	if (!host_reaper_enter(run_id, pid))
		pl_log(PL_LOG_DEBUG, "no lock directory, so run '%s' is not recorded there",
		       run_id);
	*ret = guard;
	return 0;
}

static void add_secret(void *context, const char *secret)
{
	pl_buf_add(context, secret, strlen(secret) + 1);
}

static void count_secret(void *context, const char *secret)
{
	(void)secret;
	++*(int32_t *)context;
}

static int32_t add_texts(struct pl_buf *buf, const char *const *texts)
{
	int32_t count = 0;

	for (; texts[count] != NULL; count++)
		pl_buf_add(buf, texts[count], strlen(texts[count]) + 1);
	return count;
}

/* Puts arguments and environment into shared memory: they may exceed any packet. */
static int make_texts(const struct host_process_spec *spec, struct host_guard_msg *msg, int *ret_fd,
		      struct pl_err *err)
{
	auto_strv env = { 0 };
	auto_buf texts = PL_BUF(TEXTS_BYTES_MAX);

	host_exec_env(spec->env, &env);
	msg->a = add_texts(&texts, spec->argv);
	msg->b = add_texts(&texts, pl_strv_texts(&env));
	/* the guard writes the log, and was forked before they were known */
	pl_redact_each(count_secret, &msg->c);
	pl_redact_each(add_secret, &texts);
	const char *container[] = { spec->container.program, spec->container.name, NULL };
	msg->d = add_texts(&texts, container);
	auto_fd int fd = memfd_create("profllm-start", MFD_CLOEXEC);
	if (fd < 0 || write(fd, texts.data, texts.len) != (ssize_t)texts.len)
		return pl_err_errno(err, "could not start '%s'", spec->argv[0]);
	*ret_fd = pl_take_fd(fd);
	return 0;
}

int host_guard_spawn(struct host_guard *guard, const struct host_process_spec *spec, pid_t *ret_pid,
		     int *ret_pidfd, struct pl_err *err)
{
	struct host_guard_msg msg = { .word = HOST_GUARD_START, .ns = spec->stop_timeout_ns };
	auto_fd int texts_fd = -1;
	auto_fd int log_fd = -1;

	if (host_exec_open_log(spec->log_path, &log_fd, err) < 0 ||
	    make_texts(spec, &msg, &texts_fd, err) < 0)
		return -1;
	int fds[] = { texts_fd, log_fd };
	/* Discard messages about the previous server: an old GONE must not count for this one. */
	guard->started = guard->answered = guard->ended = guard->gone = false;
	free(guard->runtime);
	free(guard->container);
	guard->runtime = pl_strdup(spec->container.program);
	guard->container = pl_strdup(spec->container.name);
	if (host_guard_send(guard->socket, &msg, fds, log_fd >= 0 ? 2 : 1) < 0 ||
	    !wait_until(guard, &guard->answered, INT64_MAX / 4, true))
		return lost(guard, err);
	if (guard->answer.word == HOST_GUARD_FAILED) {
		errno = guard->answer.a;
		pl_err_errno(err, "could not run '%s'", spec->argv[0]);
		err->code = PL_ERR_LAUNCH;
		return -1;
	}
	guard->started = true;
	*ret_pid = guard->answer.a;
	*ret_pidfd = pl_take_fd(guard->pidfd);
	return 0;
}

bool host_guard_wait_end(struct host_guard *guard, int64_t timeout_ns, struct host_end *ret)
{
	wait_until(guard, &guard->ended, timeout_ns, false);
	if (guard->ended)
		*ret = guard->end;
	else if (guard->lost)
		*ret = (struct host_end){ 0 };
	return guard->ended || guard->lost;
}

bool host_guard_wait_gone(struct host_guard *guard, int64_t timeout_ns)
{
	return !guard->started || wait_until(guard, &guard->gone, timeout_ns, false) || guard->lost;
}

void host_guard_ask_stop(struct host_guard *guard, int64_t deadline_ns)
{
	struct host_guard_msg msg = { .word = HOST_GUARD_STOP,
				      .ns = pl_clock_now_ns() + deadline_ns };

	if (host_guard_send(guard->socket, &msg, NULL, 0) < 0)
		take_all(guard);
}

void host_guard_ask_kill(struct host_guard *guard)
{
	struct host_guard_msg msg = { .word = HOST_GUARD_KILL };

	if (host_guard_send(guard->socket, &msg, NULL, 0) < 0)
		take_all(guard);
}

bool host_guard_had_to_kill(const struct host_guard *guard)
{
	return guard->had_to_kill || guard->lost;
}

/* Reads nothing from the socket, which is the owner's to read. */
bool host_guard_hung_up(const struct host_guard *guard)
{
	struct pollfd fds = { .fd = guard->socket };

	return poll(&fds, 1, 0) > 0 && (fds.revents & (POLLHUP | POLLERR)) != 0;
}

bool host_guard_end_marked(const struct host_guard *guard)
{
	struct host_mark_heads heads = { &guard->head, guard->head.pid > 0 };
	struct host_container container = { guard->runtime, guard->container };

	bool gone = guard->runtime == NULL ||
		    host_container_remove(&container, true, MARKED_WAIT_NS);
	struct host_mark_killing done = host_mark_kill_of(guard->run_id, HOST_MARK_ANYBODY, &heads,
							  MARKED_WAIT_NS);
	return gone && done.left == 0;
}

int host_guard_hold(struct host_guard *guard, int fd, struct pl_err *err)
{
	struct host_guard_msg msg = { .word = HOST_GUARD_HOLD };

	return host_guard_send(guard->socket, &msg, &fd, 1) < 0 ? lost(guard, err) : 0;
}

pid_t host_guard_pid(const struct host_guard *guard)
{
	return guard->pid;
}

bool host_guard_is_lost(const struct host_guard *guard)
{
	return guard->lost;
}

/*
 * The guard ends once no process remains. Returns false if it did not end by itself, and was
 * killed: a runtime of containers may not answer.
 */
static bool wait_for_guard(struct host_guard *guard)
{
	int64_t due_ns = pl_clock_now_ns() + LAST_WAIT_NS;
	struct host_guard_msg msg;
	int fds[HOST_GUARD_FDS_MAX];

	while (!guard->lost && pl_clock_now_ns() < due_ns) {
		struct pollfd fd = { .fd = guard->socket, .events = POLLIN };
		poll(&fd, 1, 100);
		guard->lost = host_guard_take(guard->socket, &msg, fds) < 0;
	}
	/* the guard is stopped (SIGSTOP) or hangs */
	bool ended = guard->lost;
	if (!ended)
		kill(guard->pid, SIGKILL);
	while (waitpid(guard->pid, NULL, 0) < 0 && errno == EINTR) {}
	return ended;
}

void host_guard_free(struct host_guard *guard)
{
	if (guard == NULL)
		return;
	bool died = guard->lost || host_guard_hung_up(guard);
	if (guard->started && !guard->gone && !died) {
		host_guard_ask_kill(guard);
		wait_until(guard, &guard->gone, LAST_WAIT_NS, true);
	}
	/* our end of it: there is nothing more to come */
	shutdown(guard->socket, SHUT_WR);
	/* one that could not end a process stays, and holds the locks */
	bool stays = guard->gone && guard->left > 0;
	if (!stays) {
		bool ended = wait_for_guard(guard) && !died;
		/* what remains is left to the next command, which finds the entry */
		if (ended || host_guard_end_marked(guard))
			host_reaper_leave(guard->run_id);
	}
	pl_fd_close(&guard->pidfd);
	pl_fd_close(&guard->socket);
	free(guard->runtime);
	free(guard->container);
	free(guard);
}
