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

static void test_dash_guard__listed_hosts(void **state)
{
	static const char *const names[] = { "bench.example.org", "[2001:db8::1]" };
	struct dash_hosts hosts = { .names = names, .count = 2 };
	static const char *const good[] = { "localhost", "Bench.Example.org",
					    "bench.example.org:443", "[2001:db8::1]:8421" };
	static const char *const bad[] = { "",
					   "bench.example.org.",
					   "bench.example.org:x",
					   "a.bench.example.org",
					   "bench.example.org@x",
					   "bench.example",
					   "2001:db8::1" };
	static const char *const addresses[] = { "192.0.2.1", "192.0.2.1:80", "[2001:db8::2]",
						 "[::]:1" };
	static const char *const none[] = { "192.0.2",     "[192.0.2.1]",    "192.0.2.1x",
					    "2001:db8::2", "[2001:db8::2]x", "[2001:db8::2",
					    "[]",          "0x7f.1" };

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(good); i++)
		assert_true(dash_guard_host_of(&hosts, good[i]));
	for (size_t i = 0; i < PL_ARRAY_SIZE(bad); i++)
		assert_false(dash_guard_host_of(&hosts, bad[i]));
	for (size_t i = 0; i < PL_ARRAY_SIZE(addresses); i++) {
		hosts.takes_addresses = false;
		assert_false(dash_guard_host_of(&hosts, addresses[i]));
		hosts.takes_addresses = true;
		assert_true(dash_guard_host_of(&hosts, addresses[i]));
	}
	for (size_t i = 0; i < PL_ARRAY_SIZE(none); i++)
		assert_false(dash_guard_host_of(&hosts, none[i]));
	assert_false(dash_guard_host_of(&hosts, NULL));
	assert_false(dash_guard_host_of(NULL, "bench.example.org"));
	assert_true(dash_guard_is_name("bench.example.org"));
	assert_true(dash_guard_is_name("[2001:db8::1]"));
	assert_false(dash_guard_is_name("bench:80"));
	assert_false(dash_guard_is_name("[bench]"));
	assert_false(dash_guard_is_name(""));
}

static void test_dash_guard__origins(void **state)
{
	(void)state;
	assert_true(dash_guard_origin(NULL, "localhost:1", false));
	assert_true(dash_guard_origin("http://LOCALHOST:1", "localhost:1", false));
	assert_true(dash_guard_origin("https://localhost:1", "localhost:1", false));
	assert_true(dash_guard_origin("https://localhost:1", "localhost:1", true));
	assert_false(dash_guard_origin("http://localhost:1", "localhost:1", true));
	static const char *const bad[] = { "",
					   "null",
					   "http://localhost",
					   "http://localhost:2",
					   "localhost:1",
					   "ftp://localhost:1",
					   "http://localhost:1/" };
	for (size_t i = 0; i < PL_ARRAY_SIZE(bad); i++)
		assert_false(dash_guard_origin(bad[i], "localhost:1", false));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_dash_guard__hosts),
		cmocka_unit_test(test_dash_guard__listed_hosts),
		cmocka_unit_test(test_dash_guard__origins),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
