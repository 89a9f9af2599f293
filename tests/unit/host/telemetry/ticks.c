#include "host/telemetry/ticks.h"

#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/clock.h"

/* The grid is fixed: a late or long tick skips others and moves none. */
static void test_host_telemetry_ticks__next_is_on_the_grid(void **state)
{
	(void)state;
	static const struct {
		int64_t due, interval, now, next, missed;
	} cases[] = {
		{ 1000, 100, 1000, 1100, 0 },          { 1000, 100, 1099, 1100, 0 },
		{ 1000, 100, 1100, 1200, 1 },          { 1000, 100, 1101, 1200, 1 },
		{ 1000, 100, 1550, 1600, 5 },          { 1000, 100, 900, 1100, 0 },
		{ 1000, 1, 1000000, 1000001, 999000 },
	};
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		int64_t missed = -1;
		assert_int_equal(
			host_tick_next(cases[i].due, cases[i].interval, cases[i].now, &missed),
			cases[i].next);
		assert_int_equal(missed, cases[i].missed);
		assert_int_equal((cases[i].next - cases[i].due) % cases[i].interval, 0);
	}
}

struct counter {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	int stall_ticks; /* so many ticks take a few intervals */
	int ticks, ended, posted;
};

static void bump(struct counter *counter, int *what)
{
	pthread_mutex_lock(&counter->lock);
	++*what;
	pthread_cond_broadcast(&counter->changed);
	pthread_mutex_unlock(&counter->lock);
}

static void on_tick(void *data, struct io_loop *loop)
{
	struct counter *counter = data;

	assert_non_null(loop);
	if (counter->stall_ticks > 0) {
		counter->stall_ticks--;
		pl_clock_sleep_until(pl_clock_now_ns() + 7 * PL_NS_PER_MS);
	}
	bump(counter, &counter->ticks);
}

static void on_end(void *data, struct io_loop *loop)
{
	struct counter *counter = data;

	(void)loop;
	bump(counter, &counter->ended);
}

static void on_post(struct io_loop *loop, void *data)
{
	struct counter *counter = data;

	(void)loop;
	bump(counter, &counter->posted);
}

static const struct host_ticks_calls calls = { on_tick, on_end };

static void wait_for(struct counter *counter, const int *what, int count)
{
	pthread_mutex_lock(&counter->lock);
	while (*what < count)
		pthread_cond_wait(&counter->changed, &counter->lock);
	pthread_mutex_unlock(&counter->lock);
}

static struct host_ticks *start(struct counter *counter, int64_t interval_ns)
{
	struct host_ticks *ticks = NULL;
	struct pl_err err = PL_ERR_INIT;

	pthread_mutex_init(&counter->lock, NULL);
	pthread_cond_init(&counter->changed, NULL);
	assert_int_equal(host_ticks_start(interval_ns, &calls, counter, &ticks, &err), 0);
	return ticks;
}

static void test_host_telemetry_ticks__counts_what_it_does(void **state)
{
	(void)state;
	struct counter counter = { 0 };
	struct host_ticks_cost cost;
	struct host_ticks *ticks = start(&counter, PL_NS_PER_MS);

	wait_for(&counter, &counter.ticks, 20);
	host_ticks_post(ticks, on_post, &counter);
	wait_for(&counter, &counter.posted, 1);
	host_ticks_stop(ticks);
	host_ticks_stop(ticks);
	host_ticks_cost(ticks, &cost);
	assert_int_equal(counter.ended, 1);
	/* the last sample is off the grid */
	assert_int_equal(counter.ticks, cost.ticks + 1);
	assert_true(cost.cpu_s > 0 && cost.elapsed_s >= 0.019);
	assert_true(cost.lateness_p50_ms >= 0 && cost.lateness_p50_ms <= cost.lateness_p99_ms &&
		    cost.lateness_p99_ms <= cost.lateness_max_ms);
	/* from the first tick to the last, every place of the grid is a tick or was missed */
	assert_true((double)(cost.ticks + cost.missed) <= cost.elapsed_s * 1e3 + 2);
	host_ticks_free(ticks);
}

static void test_host_telemetry_ticks__what_takes_too_long_is_missed(void **state)
{
	(void)state;
	struct counter counter = { .stall_ticks = 3 };
	struct host_ticks_cost cost;
	struct host_ticks *ticks = start(&counter, 2 * PL_NS_PER_MS);

	wait_for(&counter, &counter.ticks, 5);
	host_ticks_stop(ticks);
	host_ticks_cost(ticks, &cost);
	/* 7 ms are three places of 2 ms each time */
	assert_true(cost.missed >= 9);
	host_ticks_free(ticks);
}

static void test_host_telemetry_ticks__stopped_at_once(void **state)
{
	(void)state;
	for (int i = 0; i < 50; i++) {
		struct counter counter = { 0 };
		struct host_ticks *ticks = start(&counter, PL_NS_PER_S);
		host_ticks_stop(ticks);
		assert_true(counter.ticks >= 1 && counter.ended == 1);
		host_ticks_free(ticks);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_host_telemetry_ticks__next_is_on_the_grid),
		cmocka_unit_test(test_host_telemetry_ticks__counts_what_it_does),
		cmocka_unit_test(test_host_telemetry_ticks__what_takes_too_long_is_missed),
		cmocka_unit_test(test_host_telemetry_ticks__stopped_at_once),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
