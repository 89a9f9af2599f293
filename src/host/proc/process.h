/*
 * A child process with one owner, a deadline and a reason to end.
 *
 * - It is started from an argument array in a new session, so that terminal signals do not reach it
 *   and its whole group can be ended.
 * - With a guard (host/proc/guard.h) it is the guard's child, "ended" and "stopped" include all its
 *   descendants, and it is killed when the guard dies.
 * - Without a guard it is our own child and gets SIGTERM when the thread that started it dies; the
 *   mark in the environment (host/proc/mark.h) finds the processes that it leaves behind. For
 *   helpers.
 * - One thread at a time; the starting thread must live as long as the child.
 */
#pragma once

#include "base/err.h"
#include "host/proc/container.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct host_guard;

struct host_process_spec {
	const char *const *argv; /* NULL-terminated; argv[0] is the path of the program */
	const char *const
		*env; /* "NAME=text", NULL-terminated, overrides our environment; NULL: none */
	const char *log_path;     /* standard output and error, truncated; NULL: /dev/null */
	struct host_guard *guard; /* borrowed, must outlive the process; NULL: our own child */
	int64_t stop_timeout_ns;  /* with a guard: the deadline after this process has died */
	/*
	 * With a guard: the container that argv starts. It is stopped and removed by its name, and
	 * "ended" includes that it is gone.
	 */
	struct host_container container;
};

struct host_process;
int host_process_start(const struct host_process_spec *spec, struct host_process **ret,
		       struct pl_err *err) PL_MUST_CHECK;
/* Kills and reaps the process if it still runs. */
void host_process_free(struct host_process *process);
PL_AUTO_DEFINE(struct host_process, host_process_free);
#define auto_process PL_AUTO(host_process_free)

pid_t host_process_pid(const struct host_process *process);
/* Checks without reaping, so another thread may watch while the owner is busy. */
bool host_process_has_ended(const struct host_process *process);
/* Waits at most timeout_ns (0: only checks). Returns true once the child or its guard has ended. */
bool host_process_wait(struct host_process *process, int64_t timeout_ns);
/*
 * Sends SIGTERM to the group, then SIGKILL after deadline_ns (from now), or as soon as `hurry` is
 * non-zero (NULL: never). Returns after the child is reaped, with a guard after all descendants
 * are. False: the child had to be killed.
 */
bool host_process_stop(struct host_process *process, int64_t deadline_ns, const atomic_int *hurry);
/* Writes "exit status 3" or "signal 9 (Killed)"; "running" before the end. */
void host_process_end_text(const struct host_process *process, char *text, size_t room);
/*
 * Returns the exit status, 128 + signal, or -1 while it runs and if its guard died before reporting
 * it.
 */
int host_process_status(const struct host_process *process);
/* Returns the signal that ended it, 0: none. */
int host_process_signal(const struct host_process *process);
