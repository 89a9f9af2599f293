/*
 * A thread that acts on absolute ticks: start, start + interval, start + 2 interval …
 *
 * - A late tick does not move later ones. Ticks that become due while another is handled are
 *   skipped and counted.
 * - Lateness is stored as a histogram, in memory that does not grow.
 * - The callbacks run in the thread, with its loop; they must not block, or ticks are missed.
 */
#pragma once

#include "base/err.h"
#include "io/loop.h"

#include <stdint.h>

/*
 * Returns the first time after now_ns that is due_ns plus one or more times interval_ns;
 * *ret_missed: the number of skipped ticks.
 */
int64_t host_tick_next(int64_t due_ns, int64_t interval_ns, int64_t now_ns, int64_t *ret_missed);

struct host_ticks_calls {
	void (*tick)(void *data, struct io_loop *loop);
	void (*end)(void *data, struct io_loop *loop); /* called last in the thread, or NULL */
};

struct host_ticks_cost {
	int64_t ticks;
	int64_t missed;
	double lateness_p50_ms; /* of the start of a tick; NaN: no tick; 3 % resolution */
	double lateness_p99_ms;
	double lateness_max_ms;
	double cpu_s; /* of the thread */
	double elapsed_s;
};

struct host_ticks;
int host_ticks_start(int64_t interval_ns, const struct host_ticks_calls *calls, void *data,
		     struct host_ticks **ret, struct pl_err *err) PL_MUST_CHECK;
/* Runs fn in the thread between ticks. Thread-safe, until the stop. */
void host_ticks_post(struct host_ticks *ticks, io_post_fn *fn, void *data);
/* Ends the thread after a final tick off the grid; may be called repeatedly. */
void host_ticks_stop(struct host_ticks *ticks);
/* Call it after the stop. */
void host_ticks_cost(const struct host_ticks *ticks, struct host_ticks_cost *ret);
void host_ticks_free(struct host_ticks *ticks);
