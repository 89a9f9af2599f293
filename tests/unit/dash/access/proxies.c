#include "dash/access/proxies.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <arpa/inet.h>
#include <string.h>

static const char *const networks[] = { "10.0.0.0/8", "127.0.0.1", "fd00::/8" };
static const char *const roles[] = { "dev=read", "ops=admin", "ops=read", "dev=write", "a=b=read" };

static int start(void **state)
{
	struct pl_opt_list network_list = { .items = (const char **)(uintptr_t)networks,
					    .count = PL_ARRAY_SIZE(networks) };
	struct pl_opt_list role_list = { .items = (const char **)(uintptr_t)roles,
					 .count = PL_ARRAY_SIZE(roles) };
	const struct dash_proxies_options options = { .networks = &network_list,
						      .user_header = "X-User",
						      .groups_header = "X-Groups",
						      .roles = &role_list };

	return dash_proxies_open(&options, (struct dash_proxies **)state, PL_ERR_IGNORED);
}

static int stop(void **state)
{
	dash_proxies_free(*state);
	return 0;
}

static struct io_addr address(const char *text)
{
	struct io_addr addr = { .len = sizeof(addr.u.v4) };

	addr.u.v4.sin_family = AF_INET;
	if (inet_pton(AF_INET, text, &addr.u.v4.sin_addr) == 1)
		return addr;
	addr.len = sizeof(addr.u.v6);
	addr.u.v6.sin6_family = AF_INET6;
	assert_int_equal(inet_pton(AF_INET6, text, &addr.u.v6.sin6_addr), 1);
	return addr;
}

static void expect_client(const struct dash_proxies *proxies, const char *from,
			  const char *forwarded, const char *expected)
{
	struct io_addr peer = address(from);
	struct io_addr client = dash_proxies_client(proxies, &peer.u.any, forwarded);
	char text[64];

	io_addr_text(&client, text, sizeof(text));
	assert_string_equal(text, expected);
}

static void test_dash_proxies_client__last_untrusted(void **state)
{
	expect_client(*state, "127.0.0.1", "192.0.2.7", "192.0.2.7:0");
	expect_client(*state, "127.0.0.1", "6.6.6.6, 192.0.2.7 , 10.1.1.1", "192.0.2.7:0");
	expect_client(*state, "127.0.0.1", "6.6.6.6,[2001:db8::1]:80,fd00::2", "[2001:db8::1]:0");
	expect_client(*state, "127.0.0.1", "192.0.2.7:1234", "192.0.2.7:0");
	expect_client(*state, "127.0.0.1", "10.0.0.1, 10.0.0.2", "10.0.0.1:0");
	/* not an address: the search ends at its proxy */
	expect_client(*state, "127.0.0.1", "6.6.6.6, unknown, 10.0.0.2", "10.0.0.2:0");
	expect_client(*state, "127.0.0.1", "6.6.6.6, ", "127.0.0.1:0");
	expect_client(*state, "127.0.0.1", NULL, "127.0.0.1:0");
	/* a client that is no proxy cannot name another one */
	expect_client(*state, "192.0.2.9", "6.6.6.6", "192.0.2.9:0");
	expect_client(NULL, "127.0.0.1", "6.6.6.6", "127.0.0.1:0");
	assert_int_equal(dash_proxies_client(*state, NULL, "6.6.6.6").len, 0);
}

static void test_dash_proxies_role__strongest(void **state)
{
	assert_int_equal(dash_proxies_role(*state, "dev"), DASH_ROLE_WRITE);
	assert_int_equal(dash_proxies_role(*state, "x, ops ,dev"), DASH_ROLE_ADMIN);
	assert_int_equal(dash_proxies_role(*state, "a=b"), DASH_ROLE_READ);
	assert_int_equal(dash_proxies_role(*state, "DEV,de,devs,,*"), DASH_ROLE_NONE);
	assert_int_equal(dash_proxies_role(*state, NULL), DASH_ROLE_NONE);
}

static void test_dash_proxies_trust__addresses(void **state)
{
	struct io_addr addr = address("10.200.0.1");

	assert_true(dash_proxies_trust(*state, &addr.u.any));
	assert_false(dash_proxies_trust(NULL, &addr.u.any));
	assert_false(dash_proxies_trust(*state, NULL));
	addr = address("::ffff:10.200.0.1");
	assert_true(dash_proxies_trust(*state, &addr.u.any));
	addr = address("11.0.0.1");
	assert_false(dash_proxies_trust(*state, &addr.u.any));
	assert_true(dash_proxies_trust_loopback(*state));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_dash_proxies_client__last_untrusted),
		cmocka_unit_test(test_dash_proxies_role__strongest),
		cmocka_unit_test(test_dash_proxies_trust__addresses),
	};

	return cmocka_run_group_tests(tests, start, stop);
}
