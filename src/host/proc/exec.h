/*
 * What our own children and a guard's child share: how a program is put in place after fork().
 */
#ifndef HOST_PROC_PROCESS_PRIV_H
#define HOST_PROC_PROCESS_PRIV_H

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct host_exec {
	const char *const *argv;
	const char *const *env; /* whole, NULL-ended */
	int log_fd;             /* -1: /dev/null */
	int death_signal;       /* what the child gets when the thread that forked it dies */
};

/* Our environment with `over` on top, NULL-ended; entries borrowed, the array is the caller's. */
const char **host_exec_env(const char *const *over);
/* *ret_fd: -1 for path NULL. */
int host_exec_open_log(const char *path, int *ret_fd, struct pl_err *err) PL_MUST_CHECK;
/*
 * Forks a child in a session and group of its own, with default signals, /dev/null to read from and
 * no descriptor but the first three; returns once its program was loaded. -1: errno says why not.
 */
pid_t host_exec_spawn(const struct host_exec *exec);

/* The guarded half of host/proc/process.h: host/proc/guard.c. */
struct host_guard;
struct host_process_spec;
int host_guard_spawn(struct host_guard *guard, const struct host_process_spec *spec, pid_t *ret_pid,
		     int *ret_pidfd, struct pl_err *err) PL_MUST_CHECK;

/* How the head ended, as waitid() tells it. code 0: nobody could tell. */
struct host_end {
	int code;
	int status;
};

/* Waits at most timeout_ns for the head's end; a signal to us ends the wait. */
bool host_guard_wait_end(struct host_guard *guard, int64_t timeout_ns, struct host_end *ret);
/* Waits at most timeout_ns until nothing of the run is alive. */
bool host_guard_wait_gone(struct host_guard *guard, int64_t timeout_ns);
/* SIGTERM, and SIGKILL to what is left once deadline_ns (from now) has passed. */
void host_guard_ask_stop(struct host_guard *guard, int64_t deadline_ns);
/* SIGKILL to everything, now. */
void host_guard_ask_kill(struct host_guard *guard);
/* Had the head to be killed? */
bool host_guard_had_to_kill(const struct host_guard *guard);
/* Looks only; for any thread. */
bool host_guard_hung_up(const struct host_guard *guard);
/* Without a guard nobody else ends what carries the mark. */
void host_guard_end_marked(const struct host_guard *guard);

#endif
