#include "host/telemetry/ticks.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/thread.h"

/* Lateness in steps of 1/32 of its power of two, from 1 us: 3 % fine, in 1,280 counters. */
#define STEPS_LOG2  5
#define STEPS       (1 << STEPS_LOG2)
#define LATE_UNIT   1000
#define LATE_RANGES 40
#define LATE_COUNT  (LATE_RANGES * STEPS)

struct host_ticks {
	struct host_ticks_calls calls;
	void *data;
	pthread_t thread;
	bool running; /* the thread has to be joined */
	struct io_loop *loop;
	struct io_timer timer;
	int64_t interval_ns;
	int64_t start_ns;
	int64_t elapsed_ns;
	int64_t cpu_ns;
	int64_t ticks;
	int64_t missed;
	int64_t late_max_ns;
	int64_t late[LATE_COUNT];
};

int64_t host_tick_next(int64_t due_ns, int64_t interval_ns, int64_t now_ns, int64_t *ret_missed)
{
	/*
	 *    due      due+1i     due+2i    due+3i
	 *     ├─ tick ──┼──────────┼── now ──┼      missed: 2, next: due+3i
	 *
	 * Absolute: a late tick costs those that it overran, and moves none.
	 */
	int64_t skipped = now_ns < due_ns + interval_ns ? 0 : (now_ns - due_ns) / interval_ns;

	*ret_missed = skipped;
	return due_ns + (skipped + 1) * interval_ns;
}

/* The histogram's place for a time, and the middle of a place. */
static size_t late_index(int64_t late_ns)
{
	uint64_t units = late_ns > 0 ? (uint64_t)late_ns / LATE_UNIT : 0;

	if (units < STEPS)
		return (size_t)units;
	/*
	 * Range k has 32 steps of 2^k units each: the five bits after the leading one select the
	 * step.
	 */
	unsigned shift = (unsigned)(63 - __builtin_clzll(units)) - STEPS_LOG2;
	size_t index = (size_t)(shift + 1) * STEPS + (size_t)((units >> shift) - STEPS);
	return index < LATE_COUNT ? index : LATE_COUNT - 1;
}

static double late_ms(size_t index)
{
	size_t range = index / STEPS;
	double units = range == 0 ? (double)index + 0.5
				  : ldexp((double)(index % STEPS + STEPS) + 0.5, (int)range - 1);

	return units * LATE_UNIT / 1e6;
}

static double late_quantile_ms(const struct host_ticks *ticks, double q)
{
	int64_t seen = 0;

	for (size_t i = 0; i < LATE_COUNT; i++) {
		seen += ticks->late[i];
		if (seen > 0 && (double)seen >= q * (double)ticks->ticks)
			return fmin(late_ms(i), (double)ticks->late_max_ns / 1e6);
	}
	return NAN;
}

static void on_tick(struct io_loop *loop, struct io_timer *timer)
{
	struct host_ticks *ticks = timer->data;
	int64_t due_ns = timer->due_ns, missed;
	int64_t late_ns = pl_clock_now_ns() - due_ns;

	ticks->ticks++;
	ticks->late[late_index(late_ns)]++;
	if (late_ns > ticks->late_max_ns)
		ticks->late_max_ns = late_ns;
	ticks->calls.tick(ticks->data, loop);
	int64_t next_ns = host_tick_next(due_ns, ticks->interval_ns, pl_clock_now_ns(), &missed);
	ticks->missed += missed;
	io_timer_start(loop, timer, next_ns);
}

static void *ticks_main(void *data)
{
	struct host_ticks *ticks = data;

	pl_thread_short_slices();
	ticks->start_ns = pl_clock_now_ns();
	ticks->timer = (struct io_timer){ .fn = on_tick, .data = ticks };
	io_timer_start(ticks->loop, &ticks->timer, pl_clock_now_ns());
	/* if the event loop fails, samples are missing; the run continues */
	if (io_loop_run(ticks->loop, PL_ERR_IGNORED) == 0)
		ticks->calls.tick(ticks->data, ticks->loop);
	io_timer_stop(ticks->loop, &ticks->timer);
	if (ticks->calls.end != NULL)
		ticks->calls.end(ticks->data, ticks->loop);
	ticks->cpu_ns = pl_clock_cpu_thread_ns();
	ticks->elapsed_ns = pl_clock_now_ns() - ticks->start_ns;
	return NULL;
}

int host_ticks_start(int64_t interval_ns, const struct host_ticks_calls *calls, void *data,
		     struct host_ticks **ret, struct pl_err *err)
{
	struct host_ticks *ticks = pl_alloc(sizeof(*ticks));

	ticks->interval_ns = interval_ns;
	ticks->calls = *calls;
	ticks->data = data;
	if (io_loop_new(&ticks->loop, err) < 0 ||
	    pl_thread_start(&ticks->thread, ticks_main, ticks, err) < 0) {
		host_ticks_free(ticks);
		return -1;
	}
	ticks->running = true;
	*ret = ticks;
	return 0;
}

void host_ticks_post(struct host_ticks *ticks, io_post_fn *fn, void *data)
{
	io_loop_post(ticks->loop, fn, data);
}

static void stop_loop(struct io_loop *loop, void *data)
{
	(void)data;
	io_loop_stop(loop);
}

void host_ticks_stop(struct host_ticks *ticks)
{
	if (ticks == NULL || !ticks->running)
		return;
	/* uses a post, so that earlier posts are handled first */
	io_loop_post(ticks->loop, stop_loop, NULL);
	pthread_join(ticks->thread, NULL);
	ticks->running = false;
}

void host_ticks_cost(const struct host_ticks *ticks, struct host_ticks_cost *ret)
{
	*ret = (struct host_ticks_cost){
		.ticks = ticks->ticks,
		.missed = ticks->missed,
		.lateness_p50_ms = late_quantile_ms(ticks, 0.5),
		.lateness_p99_ms = late_quantile_ms(ticks, 0.99),
		.lateness_max_ms = ticks->ticks > 0 ? (double)ticks->late_max_ns / 1e6 : NAN,
		.cpu_s = (double)ticks->cpu_ns / 1e9,
		.elapsed_s = (double)ticks->elapsed_ns / 1e9,
	};
}

void host_ticks_free(struct host_ticks *ticks)
{
	if (ticks == NULL)
		return;
	host_ticks_stop(ticks);
	io_loop_free(ticks->loop);
	free(ticks);
}
