/* Since when what a read took can have come: the bound of the pass, until a stamp shows it wrong. */
#include "bench/load/wakes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/clock.h"

static void wait_ms(struct io_loop *loop, int64_t ms)
{
	struct pl_err err = PL_ERR_INIT;

	assert_int_equal(
		io_loop_step(loop, ms > 0 ? pl_clock_now_ns() + ms * PL_NS_PER_MS : 0, &err), 0);
}

static void test_wakes__a_stamp_long_before_disproves_the_bound(void **state)
{
	auto_loop struct io_loop *loop = NULL;
	struct pl_err err = PL_ERR_INIT;
	struct bench_wakes wakes;

	(void)state;
	assert_int_equal(io_loop_new(&loop, &err), 0);
	bench_wakes_open(&wakes);
	wait_ms(loop, 0);
	wait_ms(loop, 5);
	wait_ms(loop, 0);
	int64_t now_ns = io_loop_now_ns(loop);
	int64_t sure_ns = io_loop_sure_idle_ns(loop);
	int64_t told_ns, t_ns;
	int64_t since_ns = bench_wakes_since(&wakes, loop, now_ns, &told_ns);

	/* the last look came after the wait of 5 ms, unless it was delayed itself */
	assert_true(sure_ns <= now_ns - 5 * PL_NS_PER_MS);
	assert_true(since_ns >= sure_ns);
	assert_true(since_ns <= now_ns);
	assert_int_equal(told_ns, since_ns);
	assert_int_equal(bench_wakes_since(&wakes, loop, since_ns - 50000, &told_ns), since_ns);
	/* a stamp of before it: in this pass nothing is sure but the look before */
	t_ns = since_ns - PL_NS_PER_MS;
	int64_t close_ns = bench_wakes_since(&wakes, loop, t_ns, &told_ns);
	assert_int_equal(told_ns, sure_ns);
	assert_true(close_ns < t_ns && close_ns >= sure_ns);
	assert_true(close_ns == sure_ns || close_ns == t_ns - (now_ns - t_ns) - 100000);
	assert_true(bench_wakes_since(&wakes, loop, now_ns, &told_ns) <= since_ns);
	assert_int_equal(told_ns, sure_ns);
	wait_ms(loop, 0);
	bench_wakes_since(&wakes, loop, io_loop_now_ns(loop), &told_ns);
	assert_true(told_ns >= sure_ns + 5 * PL_NS_PER_MS);
	bench_wakes_close(&wakes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_wakes__a_stamp_long_before_disproves_the_bound),
	};

	return cmocka_run_group_tests_name("test_bench_load_wakes", tests, NULL, NULL);
}
