/*
 * The event loop: epoll, a timer heap, wake-ups from other threads.
 *
 * Rules: (1) one loop per thread; (2) a watch's or timer's memory is the caller's and may be reused
 * once io_loop_unwatch()/io_timer_stop() returned: no callback follows, not even for events already
 * fetched in this pass; (3) a callback may stop its own or any other watch; (4) io_loop_now_ns() is
 * the time all through one pass; (5) nothing blocks in a callback; (6) deadlines are absolute
 * CLOCK_MONOTONIC ns, served with epoll_pwait2 (timer slack is the caller's to set).
 */
#pragma once

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

struct io_loop;
struct io_watch;
struct io_timer;

typedef void io_watch_fn(struct io_loop *loop, struct io_watch *watch, uint32_t events);
typedef void io_timer_fn(struct io_loop *loop, struct io_timer *timer);
typedef void io_post_fn(struct io_loop *loop, void *data);

struct io_watch {
	int fd;
	uint32_t events; /* EPOLLIN, EPOLLOUT …: level triggered unless EPOLLET is given */
	io_watch_fn *fn;
	void *data; /* owned by the caller */
	/* private: */
	bool active;
};

struct io_timer {
	int64_t due_ns;
	io_timer_fn *fn;
	void *data; /* owned by the caller */
	/* private: */
	size_t heap_index; /* 0: not running */
};

int io_loop_new(struct io_loop **ret, struct pl_err *err) PL_MUST_CHECK;
void io_loop_free(struct io_loop *loop);
PL_AUTO_DEFINE(struct io_loop, io_loop_free);
#define auto_loop PL_AUTO(io_loop_free)

/* Runs until io_loop_stop(). */
int io_loop_run(struct io_loop *loop, struct pl_err *err) PL_MUST_CHECK;
/*
 * Runs one pass: waits until an event, a timer or due_ns (INT64_MAX: no limit; 0: does not wait).
 */
int io_loop_step(struct io_loop *loop, int64_t due_ns, struct pl_err *err) PL_MUST_CHECK;
/* Makes io_loop_run() return after the current pass. Thread-safe. */
void io_loop_stop(struct io_loop *loop);
int64_t io_loop_now_ns(const struct io_loop *loop);
/* Returns the latest time at which nothing that this pass found ready was ready yet. */
int64_t io_loop_idle_ns(const struct io_loop *loop);
/*
 * The same as a lower bound that holds even if the thread was delayed between checking for events
 * and reading the clock.
 */
int64_t io_loop_sure_idle_ns(const struct io_loop *loop);
/*
 * Returns how long this pass waited for events and then for a CPU: about 0 if something was ready
 * already.
 */
int64_t io_loop_waited_ns(const struct io_loop *loop);

/* Starts a watch whose fd, events and fn are set. */
int io_loop_watch(struct io_loop *loop, struct io_watch *watch, struct pl_err *err) PL_MUST_CHECK;
/* Changes watch->events. */
void io_loop_rewatch(struct io_loop *loop, struct io_watch *watch, uint32_t events);
/* Leaves the descriptor open; does nothing if the watch is not active. */
void io_loop_unwatch(struct io_loop *loop, struct io_watch *watch);

/* Starts or restarts a timer. Timers that are due in one pass fire in order of due_ns. */
void io_timer_start(struct io_loop *loop, struct io_timer *timer, int64_t due_ns);
void io_timer_stop(struct io_loop *loop, struct io_timer *timer);
static inline bool io_timer_runs(const struct io_timer *timer)
{
	return timer->heap_index != 0;
}

/* Calls fn(loop, data) in the loop's thread in its next pass, in order. Thread-safe. */
void io_loop_post(struct io_loop *loop, io_post_fn *fn, void *data);
