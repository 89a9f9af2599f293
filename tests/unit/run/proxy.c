#include "run/proxy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *const variables[] = { "http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY",
					 "all_proxy",  "ALL_PROXY",  "no_proxy",    "NO_PROXY" };

static void clear(void)
{
	for (size_t i = 0; i < PL_ARRAY_SIZE(variables); i++)
		unsetenv(variables[i]);
}

/* With `name` set: what is said of a server at 10.1.2.3. */
static int check(const char *name, const char *value, bool https, struct pl_err *err)
{
	struct io_addr addr;

	assert_int_equal(io_addr_resolve("10.1.2.3", 443, &addr, err), 0);
	setenv(name, value, 1);
	return run_proxy_check(https, "gpu.lab.example", 443, &addr, err);
}

static void test_run_proxy__variables(void **state)
{
	static const struct {
		const char *name;
		bool plain, secure; /* does it stand for such URLs? */
	} cases[] = {
		{ "http_proxy", true, false },  { "HTTP_PROXY", true, false },
		{ "https_proxy", false, true }, { "HTTPS_PROXY", false, true },
		{ "all_proxy", true, true },    { "ALL_PROXY", true, true },
		{ "ftp_proxy", false, false },
	};
	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		struct pl_err err = PL_ERR_INIT;
		clear();
		assert_int_equal(check(cases[i].name, "", false, &err), 0);
		assert_int_equal(check(cases[i].name, "http://u:hush@p:1", false, &err),
				 cases[i].plain ? -1 : 0);
		assert_int_equal(check(cases[i].name, "http://u:hush@p:1", true, &err),
				 cases[i].secure ? -1 : 0);
		if (err.code == PL_ERR_NONE)
			continue;
		assert_int_equal(err.code, PL_ERR_INVALID);
		assert_non_null(strstr(err.text, cases[i].name));
		assert_non_null(strstr(err.text, "'gpu.lab.example'"));
		assert_non_null(strstr(err.text, "$no_proxy"));
		assert_null(strstr(err.text, "hush"));
	}
	unsetenv("ftp_proxy");
	clear();
}

static void test_run_proxy__no_proxy(void **state)
{
	static const struct {
		const char *no_proxy;
		const char *host;
		bool excepted;
	} cases[] = {
		{ "", "a.b", false },
		{ "*", "a.b", true },
		{ "a.b", "a.b", true },
		{ "A.B", "a.b", true },
		{ "b", "a.b", true },
		{ ".b", "a.b", true },
		{ "*.b", "a.b", true },
		{ "a.b.", "a.b", true },
		{ "a.b", "a.b.", true },
		{ "x,a.b", "a.b", true },
		{ " x , a.b ", "a.b", true },
		{ "xa.b", "a.b", false },
		{ "a.b", "xa.b", false },
		{ "a", "a.b", false },
		{ ",", "a.b", false },
		{ ".", "a.b", false },
		{ "a.b:443", "a.b", true },
		{ "a.b:80", "a.b", false },
		{ "10.1.2.3", "10.1.2.3", true },
		{ "10.1.2.4", "10.1.2.3", false },
		{ "10.0.0.0/8", "10.1.2.3", true },
		{ "10.0.0.0/16", "10.1.2.3", false },
		{ "10.1.2.2/31", "10.1.2.3", true },
		{ "10.1.2.0/31", "10.1.2.3", false },
		{ "0.0.0.0/0", "10.1.2.3", true },
		{ "10.0.0.0/33", "10.1.2.3", false },
		{ "10.0.0.0/8", "a.b", false },
		{ "fd00::1", "[fd00::1]", true },
		{ "[fd00::1]", "[fd00::1]", true },
		{ "[fd00::1]:443", "[fd00::1]", true },
		{ "[fd00::1]:80", "[fd00::1]", false },
		{ "fd00::/8", "[fd12::1]", true },
		{ "fd00::/8", "[fe12::1]", false },
		{ "10.0.0.0/8", "[fd12::1]", false },
	};
	(void)state;
	clear();
	setenv("https_proxy", "http://p:1", 1);
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases) * 2; i++) {
		struct pl_err err = PL_ERR_INIT;
		size_t k = i / 2;
		/* by either name; a host that was not found is no different */
		setenv(i % 2 == 0 ? "no_proxy" : "NO_PROXY", cases[k].no_proxy, 1);
		unsetenv(i % 2 == 0 ? "NO_PROXY" : "no_proxy");
		int rc = run_proxy_check(true, cases[k].host, 443, NULL, &err);
		if (rc != (cases[k].excepted ? 0 : -1))
			fail_msg("'%s' for '%s'", cases[k].no_proxy, cases[k].host);
	}
	clear();
}

static void test_run_proxy__loopback_needs_none(void **state)
{
	static const char *const nearest[] = { "127.0.0.1", "127.9.9.9", "::1" };
	struct pl_err err = PL_ERR_INIT;
	struct io_addr addr;

	(void)state;
	clear();
	setenv("all_proxy", "http://p:1", 1);
	for (size_t i = 0; i < PL_ARRAY_SIZE(nearest); i++) {
		assert_int_equal(io_addr_resolve(nearest[i], 1, &addr, &err), 0);
		assert_int_equal(run_proxy_check(true, "a-name-of-this-host", 1, &addr, &err), 0);
	}
	assert_int_equal(run_proxy_check(true, "localhost", 1, NULL, &err), 0);
	assert_int_equal(io_addr_resolve("128.0.0.1", 1, &addr, &err), 0);
	assert_int_equal(run_proxy_check(true, "128.0.0.1", 1, &addr, &err), -1);
	clear();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_run_proxy__variables),
		cmocka_unit_test(test_run_proxy__no_proxy),
		cmocka_unit_test(test_run_proxy__loopback_needs_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
