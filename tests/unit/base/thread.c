#include "base/thread.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <signal.h>
#include <cmocka.h>

#include "base/clock.h"

/* How often a pause of it came to its end, and which signals it takes. */
struct helper {
	struct pl_pause pause;
	int64_t pause_ns;
	int passed;
	sigset_t mask;
};

static void *helper_main(void *data)
{
	struct helper *helper = data;

	pthread_sigmask(SIG_SETMASK, NULL, &helper->mask);
	while (pl_pause_until(&helper->pause, pl_clock_now_ns() + helper->pause_ns))
		helper->passed++;
	return NULL;
}

static void test_base_thread__an_end_wakes_a_long_pause(void **state)
{
	(void)state;
	struct helper helper = { .pause_ns = 3600 * PL_NS_PER_S };
	struct pl_err err = PL_ERR_INIT;
	pthread_t thread;

	pl_pause_init(&helper.pause);
	assert_int_equal(pl_thread_start(&thread, helper_main, &helper, &err), 0);
	pl_pause_end(&helper.pause);
	pthread_join(thread, NULL);
	assert_int_equal(helper.passed, 0);
	/* and it does not pause afterwards */
	assert_false(pl_pause_until(&helper.pause, pl_clock_now_ns() + helper.pause_ns));
	pl_pause_done(&helper.pause);
}

static void test_base_thread__a_pause_lasts_until_it_is_due(void **state)
{
	(void)state;
	struct pl_pause pause;

	pl_pause_init(&pause);
	int64_t due_ns = pl_clock_now_ns() + 20 * PL_NS_PER_MS;
	assert_true(pl_pause_until(&pause, due_ns));
	assert_true(pl_clock_now_ns() >= due_ns);
	assert_true(pl_pause_until(&pause, due_ns));
	pl_pause_done(&pause);
}

static void test_base_thread__signals_are_for_the_main_thread(void **state)
{
	(void)state;
	struct helper helper = { 0 };
	struct pl_err err = PL_ERR_INIT;
	sigset_t before, after;
	pthread_t thread;

	pl_pause_init(&helper.pause);
	pl_pause_end(&helper.pause);
	pthread_sigmask(SIG_SETMASK, NULL, &before);
	assert_int_equal(pl_thread_start(&thread, helper_main, &helper, &err), 0);
	pthread_join(thread, NULL);
	pthread_sigmask(SIG_SETMASK, NULL, &after);
	assert_int_equal(sigismember(&helper.mask, SIGTERM), 1);
	assert_int_equal(sigismember(&helper.mask, SIGINT), 1);
	assert_int_equal(sigismember(&after, SIGTERM), sigismember(&before, SIGTERM));
	assert_int_equal(sigismember(&after, SIGTERM), 0);
	pl_pause_done(&helper.pause);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_base_thread__an_end_wakes_a_long_pause),
		cmocka_unit_test(test_base_thread__a_pause_lasts_until_it_is_due),
		cmocka_unit_test(test_base_thread__signals_are_for_the_main_thread),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
