/*
 * The guard: a small process between profllm and the server that outlives profllm long enough to
 * end what profllm started, whatever becomes of profllm (docs/decisions/0004-guard.md).
 *
 *	profllm ==socket== profllm-guard -> head of the server -> engine, workers, …
 *
 * - It is the server's parent and adopts every descendant whose parent died (child subreaper), so
 *   "it has no child left" proves that nothing of the server is alive.
 * - It is in a session of its own, heeds no SIGINT, SIGTERM or SIGHUP, and holds no descriptor but
 *   its socket, standard error and those it was given to hold.
 * - Once the head has ended, or the socket has closed (profllm is gone, also by SIGKILL), it ends all
 *   that is left: SIGTERM, a deadline, SIGKILL until none is found.
 * - It dies: host_guard_is_lost(), and the kernel kills the head; the rest is found by its mark.
 * - One thread at a time, except where said.
 */
#pragma once

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct host_guard;
/*
 * Forks it: before any thread is started (it says so on standard error otherwise). `run_id` is the
 * mark of what it guards. Starts no server: host_process_start() with this guard does.
 */
int host_guard_start(const char *run_id, struct host_guard **ret, struct pl_err *err) PL_MUST_CHECK;
/* Has it end what still runs, and waits for that and for its own end. */
void host_guard_free(struct host_guard *guard);

/*
 * It holds a copy of `fd` until the last descendant is gone, so that a lock (flock) on it lives as
 * long as what it protects. The caller keeps its own.
 */
int host_guard_hold(struct host_guard *guard, int fd, struct pl_err *err) PL_MUST_CHECK;
pid_t host_guard_pid(const struct host_guard *guard);
/* It ended before it was asked to. */
bool host_guard_is_lost(const struct host_guard *guard);

/* ---- the guarded half of host/proc/process.h, which alone calls these ---- */

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
