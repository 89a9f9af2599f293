/*
 * A thread that does something on absolute ticks: start, start + interval, start + 2 interval …
 *
 * - A tick that comes late does not move those after it; ticks that came due while one was worked
 *   on are left out and counted.
 * - Lateness is kept as a histogram, in memory that does not grow.
 * - The callbacks run in the thread, with its loop; they must not block, or ticks are missed.
 */
#pragma once

#include "base/err.h"
#include "io/loop.h"

#include <stdint.h>

/* The first multiple of interval_ns behind `due_ns` that is after now_ns; *ret_missed: those
 * skipped. */
int64_t host_tick_next(int64_t due_ns, int64_t interval_ns, int64_t now_ns, int64_t *ret_missed);

struct host_ticks_calls {
	void (*tick)(void *data, struct io_loop *loop);
	void (*end)(void *data, struct io_loop *loop); /* the last thing the thread does, or NULL */
};

struct host_ticks_cost {
	int64_t ticks;
	int64_t missed;
	double late_p50_ms; /* of when the thread began with a tick; NaN: no tick; 3 % fine */
	double late_p99_ms;
	double late_max_ms;
	double cpu_s; /* of the thread */
	double elapsed_s;
};

struct host_ticks;
int host_ticks_start(int64_t interval_ns, const struct host_ticks_calls *calls, void *data,
		     struct host_ticks **ret, struct pl_err *err) PL_MUST_CHECK;
/* Thread-safe, until the stop: fn runs in the thread between ticks. */
void host_ticks_post(struct host_ticks *ticks, io_post_fn *fn, void *data);
/* Ends the thread after a last tick off the grid; harmless when repeated. */
void host_ticks_stop(struct host_ticks *ticks);
/* After the stop. */
void host_ticks_cost(const struct host_ticks *ticks, struct host_ticks_cost *ret);
void host_ticks_free(struct host_ticks *ticks);
