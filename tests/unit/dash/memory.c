/* The memory of request bodies is bounded. */
#include "dash/memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "dash/answer.h"

static void test_dash_memory_take__limit(void **state)
{
	const size_t half = DASH_MEMORY_BYTES_MAX / 2;
	auto_answer answer = { 0 };

	(void)state;
	assert_true(dash_memory_take(half, &answer));
	assert_true(dash_memory_take(half, &answer));
	assert_int_equal(answer.status, 0);
	assert_false(dash_memory_take(DASH_MEMORY_BYTES_MIN, &answer));
	assert_int_equal(answer.status, 503);
	assert_int_equal(answer.retry_s, 1);
	/* small bodies are not refused */
	assert_true(dash_memory_take(DASH_MEMORY_BYTES_MIN - 1, &answer));
	dash_memory_give(DASH_MEMORY_BYTES_MIN - 1);
	dash_memory_give(half);
	assert_false(dash_memory_take(half + 1, &answer));
	assert_true(dash_memory_take(half, &answer));
	dash_memory_give(half);
	dash_memory_give(half);
	assert_true(dash_memory_take(DASH_MEMORY_BYTES_MAX, &answer));
	dash_memory_give(DASH_MEMORY_BYTES_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_dash_memory_take__limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
