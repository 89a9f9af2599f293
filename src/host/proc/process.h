/*
 * A child process with one owner, a deadline and a reason to die.
 *
 * - Started from an argument array in a session of its own, so that terminal signals reach only us
 *   and its whole group can be ended.
 * - With a guard (host/proc/guard.h) it is the guard's child, and "ended" and "stopped" are said of all
 *   that descends from it; it is killed when the guard dies.
 * - Without one it is our own child and gets SIGTERM when the thread that started it dies; whatever
 *   it leaves behind is found by the mark in its environment (host/proc/mark.h). For helpers.
 * - One thread at a time; start it from a thread that lives as long as the child should.
 */
#pragma once

#include "base/err.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct host_guard;

struct host_process_spec {
	const char *const *argv; /* NULL-ended; argv[0] is the path of the program */
	const char *const
		*env; /* "NAME=text", NULL-ended, laid over our own environment; NULL: none */
	const char *log_path;     /* standard output and error, made new; NULL: /dev/null */
	struct host_guard *guard; /* borrowed, lives longer; NULL: our own child */
	int64_t stop_timeout_ns;  /* with a guard: the deadline after our own death */
};

struct host_process;
int host_process_start(const struct host_process_spec *spec, struct host_process **ret,
		       struct pl_err *err) PL_MUST_CHECK;
/* Kills and reaps what still runs. */
void host_process_free(struct host_process *process);
PL_AUTO_DEFINE(struct host_process, host_process_free);
#define auto_process PL_AUTO(host_process_free)

pid_t host_process_pid(const struct host_process *process);
/* Only looks and reaps nothing: for another thread that watches while the owner is busy. */
bool host_process_has_ended(const struct host_process *process);
/* Waits at most timeout_ns (0: looks only); true once the child has ended, or its guard has. */
bool host_process_wait(struct host_process *process, int64_t timeout_ns);
/*
 * SIGTERM to the group, then SIGKILL to what is left once deadline_ns (from now) has passed or
 * `hurry` became non-zero (NULL: never); returns when the child is reaped, with a guard when all
 * that descends from it is. False: the child had to be killed.
 */
bool host_process_stop(struct host_process *process, int64_t deadline_ns, const atomic_int *hurry);
/* "exit status 3", "signal 9 (Killed)"; "running" before the end. */
void host_process_end_text(const struct host_process *process, char *text, size_t room);
/* Exit status, 128 + signal, or -1 while it runs and where its guard died before it could tell. */
int host_process_status(const struct host_process *process);
/* The signal that ended it, 0: none. */
int host_process_signal(const struct host_process *process);
