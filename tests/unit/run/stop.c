#include "run/stop.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <pthread.h>
#include <signal.h>
#include <cmocka.h>

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

struct caller {
	struct run_stop *stop;
	pthread_barrier_t *together;
	int number;
};

static void *call(void *arg)
{
	const struct caller *caller = arg;

	pthread_barrier_wait(caller->together);
	run_stop_by_signal(caller->stop, caller->number);
	return NULL;
}

static void test_run_stop__of_two_at_once_none_is_lost(void **state)
{
	(void)state;

	for (int i = 0; i < 500; i++) {
		struct run_stop stop = { .reason = i % 2 == 0 ? 0 : RUN_STOP_SERVER_DIED };
		pthread_barrier_t together;
		struct caller other = { &stop, &together, SIGTERM };
		pthread_t thread;

		pthread_barrier_init(&together, NULL, 2);
		assert_int_equal(pthread_create(&thread, NULL, call, &other), 0);
		pthread_barrier_wait(&together);
		run_stop_by_signal(&stop, SIGINT);
		pthread_join(thread, NULL);
		pthread_barrier_destroy(&together);
		assert_int_equal(run_stop_signal(&stop) + stop.hurry, SIGINT + SIGTERM);
		assert_int_not_equal(stop.hurry, 0);
	}
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
		cmocka_unit_test(test_run_stop__of_two_at_once_none_is_lost),
		cmocka_unit_test(test_run_stop__a_signal_asks_all_that_were_given),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
