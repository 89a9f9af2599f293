/*
 * The guard: a small process between profllm and the server that outlives profllm long enough to
 * end what profllm started, however profllm ends (docs/decisions/0004-guard.md).
 *
 *  profllm ==socket== profllm-guard -> head of the server -> engine, workers, …
 *
 * - It is the server's parent and adopts every descendant whose parent died (child subreaper), so
 *   if it has no child, no process of the server is alive.
 * - It has its own session, ignores SIGINT, SIGTERM and SIGHUP, and holds only its socket, standard
 *   error and the descriptors passed to it.
 * - After the head has ended, or the socket has closed (profllm ended, possibly by SIGKILL), it
 *   ends all remaining processes: SIGTERM, a deadline, SIGKILL until none is found.
 * - If the guard itself dies, host_guard_is_lost() is true and the kernel kills the head; the other
 *   processes are found by their mark.
 * - One thread at a time, except where noted.
 */
#pragma once

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct host_guard;
/*
 * Forks the guard. Call it before any thread is started; otherwise it prints a warning on standard
 * error. `run_id` is the mark of the guarded processes. host_process_start() with this guard starts
 * a server.
 */
int host_guard_start(const char *run_id, struct host_guard **ret, struct pl_err *err) PL_MUST_CHECK;
/* Makes the guard end all remaining processes, and waits for that and for its end. */
void host_guard_free(struct host_guard *guard);

/*
 * Makes the guard hold a copy of `fd` until the last descendant has ended, so that a lock (flock)
 * on it lasts as long as the processes that it protects. The caller keeps its descriptor.
 */
int host_guard_hold(struct host_guard *guard, int fd, struct pl_err *err) PL_MUST_CHECK;
pid_t host_guard_pid(const struct host_guard *guard);
/* Returns whether the guard ended without being asked to. */
bool host_guard_is_lost(const struct host_guard *guard);

/* ---- the guarded half of host/proc/process.h, the only caller ---- */

struct host_process_spec;
int host_guard_spawn(struct host_guard *guard, const struct host_process_spec *spec, pid_t *ret_pid,
		     int *ret_pidfd, struct pl_err *err) PL_MUST_CHECK;

/* How the head ended, as reported by waitid(). code 0: unknown. */
struct host_end {
	int code;
	int status;
};

/* Waits at most timeout_ns for the head's end; a signal to this process ends the wait. */
bool host_guard_wait_end(struct host_guard *guard, int64_t timeout_ns, struct host_end *ret);
/* Waits at most timeout_ns until no process of the run is alive. */
bool host_guard_wait_gone(struct host_guard *guard, int64_t timeout_ns);
/* Sends SIGTERM, and SIGKILL to the remaining processes after deadline_ns (from now). */
void host_guard_ask_stop(struct host_guard *guard, int64_t deadline_ns);
/* Sends SIGKILL to all processes now. */
void host_guard_ask_kill(struct host_guard *guard);
/* Returns whether the head had to be killed. */
bool host_guard_had_to_kill(const struct host_guard *guard);
/* Only checks; thread-safe. */
bool host_guard_hung_up(const struct host_guard *guard);
/*
 * Ends all processes with the mark and the container, because a lost guard no longer does it. Returns whether all are
 * gone.
 */
bool host_guard_end_marked(const struct host_guard *guard);
