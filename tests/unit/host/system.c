#include "host/system.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/text.h"
#include "host/proc/program.h"

static void test_host_system__facts(void **state)
{
	(void)state;
	char hostname[256] = "";
	auto_json json_t *facts = host_system_facts();

	gethostname(hostname, sizeof(hostname) - 1);
	assert_string_equal(json_string_value(json_object_get(facts, "hostname")), hostname);
	assert_int_equal(json_integer_value(json_object_get(facts, "cpu_count")),
			 sysconf(_SC_NPROCESSORS_ONLN));
	assert_true(json_integer_value(json_object_get(facts, "memory_bytes")) > 1 << 20);
	assert_int_equal(json_object_size(facts), 7);
}

static void test_host_system__stolen_share(void **state)
{
	(void)state;
	struct host_stolen before = { .t_ns = 0, .steal = 10, .total = 1000, .throttled_us = 0 };
	struct host_stolen after = {
		.t_ns = PL_NS_PER_S, .steal = 30, .total = 1200, .throttled_us = 50000
	};

	/* 20 of 200 ticks stolen, 50 ms of a second throttled */
	assert_true(fabs(host_stolen_share(&before, &after) - 0.1) < 1e-12);
	assert_true(fabs(host_withheld_share(&before, &after) - 0.05) < 1e-12);
	after.steal = 10;
	assert_true(host_stolen_share(&before, &after) == 0);
	after.throttled_us = 2.5e6; /* of three processors */
	assert_true(host_withheld_share(&before, &after) == 1);
	after.throttled_us = after.steal = NAN;
	assert_true(isnan(host_stolen_share(&before, &after)));
	assert_true(isnan(host_withheld_share(&before, &after)));
}

/* Ticks of all processors since boot; `share`: those that were stolen. */
static double ticks_now(double *share)
{
	auto_free char *text = pl_file_text("/proc/stat", 1 << 20, NULL);
	double sum = 0;
	char *at = strchr(text, ' ');

	for (int i = 0; i < 8; i++) {
		*share = strtod(at, &at);
		sum += *share;
	}
	return sum;
}

/* Its sum lies between those that were read before and after it. */
static void test_host_system__stolen_is_read(void **state)
{
	(void)state;
	double stolen_before, stolen_after, before = ticks_now(&stolen_before);
	struct host_stolen stolen;

	host_stolen_read(&stolen);
	double after = ticks_now(&stolen_after);
	assert_true(before > 0 && stolen.total >= before && stolen.total <= after);
	assert_true(stolen.steal >= stolen_before && stolen.steal <= stolen_after);
}

static void test_host_program__found_in_path(void **state)
{
	(void)state;
	struct pl_err err = PL_ERR_INIT;
	auto_free char *path = NULL;

	assert_int_equal(host_program_find("sh", &path, &err), 0);
	assert_int_equal(access(path, X_OK), 0);
	auto_free char *whole = NULL;
	assert_int_equal(host_program_find("/bin/sh", &whole, &err), 0);
	assert_string_equal(whole, "/bin/sh");
}

static void test_host_program__in_the_directory_of_the_running_one(void **state)
{
	(void)state;
	struct pl_err err = PL_ERR_INIT;
	auto_free char *path = NULL;

	/* this test's own program is in no PATH */
	assert_int_equal(host_program_find("test_host_system", &path, &err), 0);
	assert_int_equal(access(path, X_OK), 0);
	auto_free char *retry = NULL;
	assert_int_equal(host_program_find_sibling("test_host_system", &retry, &err), 0);
	assert_string_equal(path, retry);
}

static void test_host_program__not_found(void **state)
{
	(void)state;
	static const char *const names[] = { "no-such-program", "/etc", "/etc/passwd", "./none" };
	for (size_t i = 0; i < PL_ARRAY_SIZE(names); i++) {
		struct pl_err err = PL_ERR_INIT;
		char *path = NULL;
		assert_int_equal(host_program_find(names[i], &path, &err), -1);
		assert_int_equal(err.code, PL_ERR_NOT_FOUND);
		assert_null(path);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_host_system__facts),
		cmocka_unit_test(test_host_system__stolen_share),
		cmocka_unit_test(test_host_system__stolen_is_read),
		cmocka_unit_test(test_host_program__found_in_path),
		cmocka_unit_test(test_host_program__in_the_directory_of_the_running_one),
		cmocka_unit_test(test_host_program__not_found),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
