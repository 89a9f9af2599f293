#include "run/target.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void test_run_target__urls(void **state)
{
	(void)state;
	static const struct {
		const char *url;
		const char *addr;
		const char *host;
		const char *prefix;
		bool v1_cut;
	} cases[] = {
		{ "http://127.0.0.1:8000", "127.0.0.1:8000", "127.0.0.1:8000", "", false },
		{ "http://127.0.0.1:8000/", "127.0.0.1:8000", "127.0.0.1:8000", "", false },
		{ "http://127.0.0.1", "127.0.0.1:80", "127.0.0.1", "", false },
		{ "https://127.0.0.1", "127.0.0.1:443", "127.0.0.1", "", false },
		{ "https://[::1]/v1", "[::1]:443", "[::1]", "", true },
		{ "https://127.0.0.1:81/a", "127.0.0.1:81", "127.0.0.1:81", "/a", false },
		{ "http://127.0.0.1:81/a/b//", "127.0.0.1:81", "127.0.0.1:81", "/a/b", false },
		{ "http://[::1]:8000/x", "[::1]:8000", "[::1]:8000", "/x", false },
		{ "http://127.0.0.1:81/v1", "127.0.0.1:81", "127.0.0.1:81", "", true },
		{ "http://127.0.0.1:81/v1//", "127.0.0.1:81", "127.0.0.1:81", "", true },
		{ "http://127.0.0.1:81/a/v1/", "127.0.0.1:81", "127.0.0.1:81", "/a", true },
		{ "http://127.0.0.1:81/v1/b", "127.0.0.1:81", "127.0.0.1:81", "/v1/b", false },
		{ "http://127.0.0.1:81/av1", "127.0.0.1:81", "127.0.0.1:81", "/av1", false },
		{ "http://127.0.0.1:81/v12", "127.0.0.1:81", "127.0.0.1:81", "/v12", false },
	};
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		struct run_target target;
		struct pl_err err = PL_ERR_INIT;
		char addr[128];
		if (run_target_from_url(cases[i].url, &target, &err) < 0)
			fail_msg("%s", err.text);
		io_addr_text(&target.addr, addr, sizeof(addr));
		assert_string_equal(addr, cases[i].addr);
		assert_string_equal(target.host, cases[i].host);
		assert_string_equal(target.prefix, cases[i].prefix);
		assert_int_equal(target.v1_cut, cases[i].v1_cut);
		assert_int_equal(target.https, strncmp(cases[i].url, "https:", 6) == 0);
		/* without TLS settings, the client does not use TLS */
		assert_null(target.addr.tls);
		run_target_done(&target);
	}
}

/* An unknown host ends a run as an unresponsive server does; it is not an error of the URL. */
static void test_run_target__unknown_host(void **state)
{
	struct run_target target;
	struct pl_err err = PL_ERR_INIT;

	(void)state;
	/* a label longer than 63 characters: no name server is asked */
#define LONG_LABEL "a234567890123456789012345678901234567890123456789012345678901234"
	if (run_target_from_url("http://" LONG_LABEL ":81/a/v1", &target, &err) < 0)
		fail_msg("%s", err.text);
	assert_non_null(target.unknown);
	assert_non_null(strstr(target.unknown, "could not resolve host '" LONG_LABEL "'"));
	assert_string_equal(target.host, LONG_LABEL ":81");
	assert_string_equal(target.prefix, "/a");
	assert_true(target.v1_cut);
	run_target_done(&target);
}

static void test_run_target__urls_that_cannot_be(void **state)
{
	(void)state;
	static const char *const urls[] = {
		"127.0.0.1:8000",
		"https://",
		"http://",
		"https://u:p@127.0.0.1",
		"https://127.0.0.1/#a",
		"httpss://127.0.0.1",
		"http://127.0.0.1:0",
		"http://127.0.0.1:99999",
		"http://:80",
		"http://u:p@127.0.0.1",
		"http://127.0.0.1/?a=b",
		"http://127.0.0.1:x",
	};
	for (size_t i = 0; i < PL_ARRAY_SIZE(urls); i++) {
		struct run_target target;
		struct pl_err err = PL_ERR_INIT;
		assert_int_equal(run_target_from_url(urls[i], &target, &err), -1);
		assert_int_equal(err.code, PL_ERR_INVALID);
		/* a password goes nowhere */
		assert_null(strstr(err.text, "u:p"));
	}
}

static void test_run_target__wildcard_is_reached_by_loopback(void **state)
{
	(void)state;
	static const char *const binds[][2] = { { "0.0.0.0", "127.0.0.1:7" },
						{ "127.0.0.1", "127.0.0.1:7" },
						{ "::", "[::1]:7" } };
	for (size_t i = 0; i < PL_ARRAY_SIZE(binds); i++) {
		struct run_target target;
		struct pl_err err = PL_ERR_INIT;
		assert_int_equal(run_target_from_port(binds[i][0], 7, &target, &err), 0);
		assert_string_equal(target.host, binds[i][1]);
		run_target_done(&target);
	}
}

static void check_headers(const char *bearer, const char *header_json, const char *expected)
{
	struct run_target target = { 0 };
	struct pl_err err = PL_ERR_INIT;
	auto_json json_t *header = NULL;

	if (header_json != NULL)
		assert_int_equal(
			pl_json_parse(header_json, strlen(header_json), "test", &header, &err), 0);
	int done = run_target_set_headers(&target, bearer, header, &err);
	assert_int_equal(done, expected == NULL ? -1 : 0);
	if (expected != NULL)
		assert_string_equal(target.headers, expected);
	run_target_done(&target);
}

static void test_run_target__headers(void **state)
{
	(void)state;
	unsetenv("OPENAI_API_KEY");
	check_headers(NULL, NULL, "");
	check_headers("k", NULL, "Authorization: Bearer k\r\n");
	check_headers(NULL, "[\"X-A=1\", \"b=2=3\"]", "X-A: 1\r\nb: 2=3\r\n");
	/* one's own replaces its value, in its place */
	check_headers("k", "[\"b=1\", \"AUTHORIZATION=Basic x\"]",
		      "AUTHORIZATION: Basic x\r\nb: 1\r\n");
	check_headers(NULL, "[\"X-A=1\", \"b=2\", \"x-a=3\", \"X-A=4\"]", "x-a: 3\r\nb: 2\r\n");
	check_headers(NULL, "[\"a=1\", \"A=2\", \"a=3\", \"B=\"]", "A: 2\r\nB: \r\n");
	setenv("OPENAI_API_KEY", "from-env", 1);
	check_headers(NULL, NULL, "Authorization: Bearer from-env\r\n");
	check_headers("k", NULL, "Authorization: Bearer k\r\n");
	unsetenv("OPENAI_API_KEY");
	check_headers(NULL, "[\"no equals\"]", NULL);
	check_headers(NULL, "[\"=x\"]", NULL);
	check_headers(NULL, "[\"a=b\\r\\nEvil: 1\"]", NULL);
	check_headers("a\r\nEvil: 1", NULL, NULL);
}

/* As a name of two families stands for: IPv4 first. */
static struct run_target two_families(void)
{
	static const char *const texts[] = { "10.0.0.1", "10.0.0.2", "fd00::1", "fd00::2" };
	struct run_target target = { .other_count = 3 };
	struct pl_err err = PL_ERR_INIT;

	for (size_t i = 0; i < PL_ARRAY_SIZE(texts); i++)
		assert_int_equal(io_addr_resolve(texts[i], 80,
						 i == 0 ? &target.addr : &target.others[i - 1],
						 &err),
				 0);
	return target;
}

static void check_addresses(struct run_target *target, const char *const *texts, size_t count)
{
	assert_int_equal(target->other_count, count - 1);
	for (size_t i = 0; i <= count; i++) {
		char text[128];
		io_addr_text(&target->addr, text, sizeof(text));
		assert_string_equal(text, texts[i % count]);
		run_target_rotate(target);
	}
}

static void test_run_target__a_family_stays(void **state)
{
	static const char *const all[] = { "10.0.0.1:80", "10.0.0.2:80", "[fd00::1]:80",
					   "[fd00::2]:80" };
	struct run_target target = two_families();

	(void)state;
	check_addresses(&target, all, 4);
	target = two_families();
	run_target_keep_family(&target, AF_INET6);
	check_addresses(&target, all + 2, 2);
	target = two_families();
	run_target_keep_family(&target, AF_INET);
	check_addresses(&target, all, 2);
	run_target_keep_family(&target, AF_INET6);
	assert_int_equal(target.addr.u.any.sa_family, AF_INET);
	assert_int_equal(target.other_count, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_run_target__urls),
		cmocka_unit_test(test_run_target__urls_that_cannot_be),
		cmocka_unit_test(test_run_target__unknown_host),
		cmocka_unit_test(test_run_target__wildcard_is_reached_by_loopback),
		cmocka_unit_test(test_run_target__headers),
		cmocka_unit_test(test_run_target__a_family_stays),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
