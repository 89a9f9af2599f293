#include "run/stop.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <signal.h>

#include "run/signals.h"

static void test_run_stop__a_person_counts_more_than_a_death(void **state)
{
	(void)state;
	struct run_stop stop = { 0 };

	assert_int_equal(run_stop_signal(NULL), 0);
	run_stop_server_died(&stop);
	assert_int_equal(stop.reason, RUN_STOP_SERVER_DIED);
	assert_int_equal(run_stop_signal(&stop), 0);
	run_stop_by_signal(&stop, SIGTERM);
	assert_int_equal(run_stop_signal(&stop), SIGTERM);
	assert_int_equal(stop.hurry, 0);
	run_stop_server_died(&stop);
	assert_int_equal(run_stop_signal(&stop), SIGTERM);
}

static void test_run_stop__the_second_signal_hurries(void **state)
{
	(void)state;
	struct run_stop stop = { 0 };

	run_stop_by_signal(&stop, SIGINT);
	run_stop_by_signal(&stop, SIGTERM);
	assert_int_equal(run_stop_signal(&stop), SIGINT);
	assert_int_equal(stop.hurry, SIGTERM);
}

static void test_run_stop__a_signal_asks_all_that_were_given(void **state)
{
	(void)state;
	struct run_stop stops[3] = { 0 };

	run_signals_take(stops, 2);
	raise(SIGTERM);
	run_signals_release();
	assert_int_equal(run_stop_signal(&stops[0]), SIGTERM);
	assert_int_equal(run_stop_signal(&stops[1]), SIGTERM);
	assert_int_equal(run_stop_signal(&stops[2]), 0);
	/* the next ones to be asked know nothing of it */
	struct run_stop later = { 0 };
	run_signals_take(&later, 1);
	assert_int_equal(run_stop_signal(&later), 0);
	raise(SIGTERM);
	raise(SIGINT);
	run_signals_release();
	assert_int_equal(run_stop_signal(&later), SIGTERM);
	assert_int_equal(later.hurry, SIGINT);
	assert_int_equal(stops[0].hurry, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_run_stop__a_person_counts_more_than_a_death),
		cmocka_unit_test(test_run_stop__the_second_signal_hurries),
		cmocka_unit_test(test_run_stop__a_signal_asks_all_that_were_given),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
