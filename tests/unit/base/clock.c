#include "base/clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>

#include "base/mem.h"

static void test_base_clock__monotonic_does_not_go_back(void **state)
{
	int64_t before = pl_clock_now_ns();

	(void)state;
	for (int i = 0; i < 10000; i++) {
		int64_t now = pl_clock_now_ns();
		assert_true(now >= before);
		before = now;
	}
}

static void test_base_clock__cpu_time_is_at_most_the_process(void **state)
{
	volatile unsigned work = 0;

	(void)state;
	int64_t before = pl_clock_cpu_thread_ns();
	while (pl_clock_cpu_thread_ns() == before)
		work = work + 1;
	int64_t thread = pl_clock_cpu_thread_ns();
	assert_true(pl_clock_cpu_process_ns() >= thread);
}

/* The offset turns a monotonic reading into one between two realtime readings around it. */
static void test_base_clock__offset_joins_the_clocks(void **state)
{
	int64_t offset = pl_clock_offset_ns();
	int64_t before = pl_clock_real_ns();
	int64_t between = pl_clock_now_ns() + offset;
	int64_t after = pl_clock_real_ns();

	(void)state;
	assert_true(between >= before - PL_NS_PER_S && between <= after + PL_NS_PER_S);
}

static void test_base_clock__sleep_until_reaches_the_time(void **state)
{
	int64_t due = pl_clock_now_ns() + 2 * PL_NS_PER_MS;

	(void)state;
	pl_clock_sleep_until(due);
	assert_true(pl_clock_now_ns() >= due);
	pl_clock_sleep_until(due - PL_NS_PER_S); /* long past: returns at once */
}

static void test_base_clock__rfc3339(void **state)
{
	static const struct {
		int64_t real_ns;
		const char *text;
	} rows[] = {
		{ 0, "1970-01-01T00:00:00.000Z" },
		{ 1767323045678999999, "2026-01-02T03:04:05.678Z" },
		{ 951782400000000000, "2000-02-29T00:00:00.000Z" },
		{ 999999, "1970-01-01T00:00:00.000Z" },
		{ 1000000, "1970-01-01T00:00:00.001Z" },
		{ -1, "1969-12-31T23:59:59.999Z" },
		{ -1000000000, "1969-12-31T23:59:59.000Z" },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++) {
		char text[32];
		pl_clock_rfc3339(rows[i].real_ns, text);
		assert_string_equal(text, rows[i].text);
	}
}

static void test_base_clock__format(void **state)
{
	char text[32];
	char small[4] = "abc";

	(void)state;
	setenv("TZ", "XYZ-2", 1); /* two hours east of UTC */
	tzset();
	pl_clock_format(1767323045678999999, "%Y%m%d-%H%M%S", 1, text, sizeof(text));
	assert_string_equal(text, "20260102-030405");
	pl_clock_format(1767323045678999999, "%Y%m%d-%H%M%S", 0, text, sizeof(text));
	assert_string_equal(text, "20260102-050405");
	pl_clock_format(0, "%Y%m%d", 1, small, sizeof(small));
	assert_string_equal(small, ""); /* no room: nothing rather than half */
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_base_clock__monotonic_does_not_go_back),
		cmocka_unit_test(test_base_clock__cpu_time_is_at_most_the_process),
		cmocka_unit_test(test_base_clock__offset_joins_the_clocks),
		cmocka_unit_test(test_base_clock__sleep_until_reaches_the_time),
		cmocka_unit_test(test_base_clock__rfc3339),
		cmocka_unit_test(test_base_clock__format),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
