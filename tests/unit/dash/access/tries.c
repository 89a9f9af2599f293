#include "dash/access/tries.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"

static struct dash_tries tries;

static const struct sockaddr *v4(const char *text)
{
	static struct sockaddr_in addr;

	addr = (struct sockaddr_in){ .sin_family = AF_INET };
	assert_int_equal(inet_pton(AF_INET, text, &addr.sin_addr), 1);
	return (const struct sockaddr *)&addr;
}

static const struct sockaddr *v6(const char *text)
{
	static struct sockaddr_in6 addr;

	addr = (struct sockaddr_in6){ .sin6_family = AF_INET6 };
	assert_int_equal(inet_pton(AF_INET6, text, &addr.sin6_addr), 1);
	return (const struct sockaddr *)(const void *)&addr;
}

static int start(void **state)
{
	(void)state;
	dash_tries_init(&tries);
	return 0;
}

static int stop(void **state)
{
	(void)state;
	dash_tries_done(&tries);
	return 0;
}

static void add_failures(const struct sockaddr *from, int count, int64_t now_ns)
{
	for (int i = 0; i < count; i++)
		dash_tries_fail(&tries, from, now_ns);
}

static void test_dash_tries__limit_and_recovery(void **state)
{
	int64_t now_ns = 1000 * PL_NS_PER_S;

	(void)state;
	add_failures(v4("192.0.2.1"), DASH_TRIES_MAX - 1, now_ns);
	assert_int_equal(dash_tries_wait(&tries, v4("192.0.2.1"), now_ns), 0);
	add_failures(v4("192.0.2.1"), 5, now_ns);
	assert_int_equal(dash_tries_wait(&tries, v4("192.0.2.1"), now_ns), DASH_TRY_S);
	assert_int_equal(dash_tries_wait(&tries, v4("192.0.2.2"), now_ns), 0);
	assert_int_equal(dash_tries_wait(&tries, v4("192.0.2.1"), now_ns + PL_NS_PER_S),
			 DASH_TRY_S - 1);
	/* one try per interval, and all of them after a long time */
	now_ns += DASH_TRY_S * PL_NS_PER_S;
	assert_int_equal(dash_tries_wait(&tries, v4("192.0.2.1"), now_ns), 0);
	add_failures(v4("192.0.2.1"), 1, now_ns);
	assert_int_equal(dash_tries_wait(&tries, v4("192.0.2.1"), now_ns), DASH_TRY_S);
	now_ns += DASH_TRIES_MAX * DASH_TRY_S * PL_NS_PER_S;
	add_failures(v4("192.0.2.1"), DASH_TRIES_MAX - 1, now_ns);
	assert_int_equal(dash_tries_wait(&tries, v4("192.0.2.1"), now_ns), 0);
}

static void test_dash_tries__networks(void **state)
{
	(void)state;
	add_failures(v6("2001:db8::1"), DASH_TRIES_MAX, 0);
	assert_int_equal(dash_tries_wait(&tries, v6("2001:db8::ffff"), 0), DASH_TRY_S);
	assert_int_equal(dash_tries_wait(&tries, v6("2001:db8:0:1::1"), 0), 0);
	/* the same client on a socket for both families */
	add_failures(v6("::ffff:192.0.2.1"), DASH_TRIES_MAX, 0);
	assert_int_equal(dash_tries_wait(&tries, v4("192.0.2.1"), 0), DASH_TRY_S);
	assert_int_equal(dash_tries_wait(&tries, v4("192.0.2.2"), 0), 0);
	/* a Unix socket has no address */
	add_failures(NULL, DASH_TRIES_MAX, 0);
	assert_int_equal(dash_tries_wait(&tries, NULL, 0), 0);
}

static void test_dash_tries__many_addresses(void **state)
{
	char text[32];

	(void)state;
	for (int i = 0; i < 4 * DASH_TRIERS_MAX; i++) {
		snprintf(text, sizeof(text), "10.0.%d.%d", i / 256, i % 256);
		add_failures(v4(text), DASH_TRIES_MAX, i);
		assert_int_equal(dash_tries_wait(&tries, v4(text), i), DASH_TRY_S);
	}
	/* the oldest ones were replaced */
	assert_int_equal(dash_tries_wait(&tries, v4("10.0.0.0"), 4 * DASH_TRIERS_MAX), 0);
	assert_int_equal(dash_tries_wait(&tries, v4(text), 4 * DASH_TRIERS_MAX), DASH_TRY_S);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_dash_tries__limit_and_recovery, start, stop),
		cmocka_unit_test_setup_teardown(test_dash_tries__networks, start, stop),
		cmocka_unit_test_setup_teardown(test_dash_tries__many_addresses, start, stop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
