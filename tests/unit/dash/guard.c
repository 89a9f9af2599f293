#include "dash/guard.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/mem.h"

static void test_dash_guard__hosts(void **state)
{
	(void)state;
	static const char *const good[] = { "localhost",         "LocalHost:1", "127.0.0.1",
					    "127.255.0.9:65535", "[::1]",       "[::1]:80" };
	static const char *const bad[] = { "",
					   "localhost.",
					   "localhost:65536",
					   "localhost:-1",
					   "localhost:1a",
					   "localhost:1:2",
					   "128.0.0.1",
					   "::1",
					   "[::1",
					   "[127.0.0.1]",
					   "[::ffff:127.0.0.1]",
					   "127.1",
					   "127.0.0.1 ",
					   "a.localhost",
					   "localhost\xff",
					   "localhost:" };

	for (size_t i = 0; i < PL_ARRAY_SIZE(good); i++)
		assert_true(dash_guard_host(good[i]));
	for (size_t i = 0; i < PL_ARRAY_SIZE(bad); i++)
		assert_false(dash_guard_host(bad[i]));
	assert_false(dash_guard_host(NULL));
}

static void test_dash_guard__origins(void **state)
{
	(void)state;
	assert_true(dash_guard_origin(NULL, "localhost:1"));
	assert_true(dash_guard_origin("http://LOCALHOST:1", "localhost:1"));
	assert_true(dash_guard_origin("https://localhost:1", "localhost:1"));
	static const char *const bad[] = { "",
					   "null",
					   "http://localhost",
					   "http://localhost:2",
					   "localhost:1",
					   "ftp://localhost:1",
					   "http://localhost:1/" };
	for (size_t i = 0; i < PL_ARRAY_SIZE(bad); i++)
		assert_false(dash_guard_origin(bad[i], "localhost:1"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_dash_guard__hosts),
		cmocka_unit_test(test_dash_guard__origins),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
