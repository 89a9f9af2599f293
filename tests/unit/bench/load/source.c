#include "bench/load/source.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <unistd.h>

static int parse(const char *text, struct io_addr **ret, size_t *ret_count, struct pl_err *err)
{
	auto_json json_t *list = json_loads(text, 0, NULL);

	assert_non_null(list);
	return bench_sources_parse(list, ret, ret_count, err);
}

static void test_bench_sources__parse(void **state)
{
	static const struct {
		const char *list, *says; /* NULL: it is good */
		size_t count;
	} cases[] = {
		{ "[]", NULL, 0 },
		{ "[\"127.0.0.2\"]", NULL, 1 },
		{ "[\"::1\"]", NULL, 1 },
		{ "[\"[::1]\", \"127.0.0.1\"]", NULL, 2 },
		{ "[\"127.0.0.2\", \"127.0.0.3\", \"127.0.0.2\"]", "'127.0.0.2' is named twice",
		  0 },
		{ "[\"::1\", \"[0:0::1]\"]", "named twice", 0 },
		{ "[\"localhost\"]", "found 'localhost'", 0 },
		{ "[\"127.0.0.2:80\"]", "found '127.0.0.2:80'", 0 },
		{ "[\"\"]", "found ''", 0 },
		{ "[\"[]\"]", "found '[]'", 0 },
		{ "[\"::\"]", "any address", 0 },
		{ "[\"0.0.0.0\"]", "any address", 0 },
		{ "[5]", "found ''", 0 },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		auto_free struct io_addr *addrs = NULL;
		struct pl_err err = PL_ERR_INIT;
		size_t count = 0;
		int done = parse(cases[i].list, &addrs, &count, &err);
		if (done != (cases[i].says != NULL ? -1 : 0) || count != cases[i].count)
			fail_msg("%s: %d, %s", cases[i].list, done, err.text);
		if (done < 0 && strstr(err.text, cases[i].says) == NULL)
			fail_msg("%s: %s", cases[i].list, err.text);
	}
	struct io_addr *none = NULL;
	struct pl_err err = PL_ERR_INIT;
	size_t count = 7;
	assert_int_equal(bench_sources_parse(NULL, &none, &count, &err), 0);
	assert_null(none);
	assert_int_equal(count, 0);
}

static void check(const char *list, const struct io_addr *target, const char *says)
{
	auto_free struct io_addr *addrs = NULL;
	struct pl_err err = PL_ERR_INIT;
	size_t count = 0;

	assert_int_equal(parse(list, &addrs, &count, &err), 0);
	int done = bench_sources_check(addrs, count, target, &err);
	if (done != (says != NULL ? -1 : 0) || (done < 0 && strstr(err.text, says) == NULL))
		fail_msg("%s: %d, %s", list, done, err.text);
}

static void test_bench_sources__check(void **state)
{
	struct io_addr v4, v6, local;
	struct pl_err err = PL_ERR_INIT;

	(void)state;
	assert_int_equal(io_addr_resolve("127.0.0.1", 8000, &v4, &err), 0);
	assert_int_equal(io_addr_resolve("::1", 8000, &v6, &err), 0);
	assert_int_equal(io_addr_unix("/tmp/s", &local, &err), 0);
	check("[\"127.0.0.2\", \"127.9.8.7\"]", &v4, NULL);
	check("[\"127.0.0.2\", \"192.0.2.1\"]", &v4, "'192.0.2.1' is no address of this host");
	check("[\"127.0.0.2\", \"::1\"]", &v4,
	      "'[::1]' is of IPv6, and the server at '127.0.0.1:8000'");
	check("[\"127.0.0.2\"]", &v6,
	      "'127.0.0.2' is of IPv4, and the server at '[::1]:8000' of IPv6");
	check("[\"127.0.0.2\"]", &local, "unix socket");
	check("[]", &local, NULL);
}

static void test_bench_sources__bind(void **state)
{
	struct io_addr v4, source, bound;
	struct pl_err err = PL_ERR_INIT;
	int listener = -1, fd = -1;

	(void)state;
	assert_int_equal(io_addr_resolve("127.0.0.1", 0, &v4, &err), 0);
	assert_int_equal(io_addr_resolve("127.0.0.7", 0, &source, &err), 0);
	assert_int_equal(io_sock_listen(&v4, 8, &listener, &err), 0);
	assert_int_equal(io_sock_local(listener, &v4, &err), 0);
	assert_int_equal(io_sock_new(&v4, &fd, &err), 0);
	assert_int_equal(bench_source_bind(fd, &source, &err), 0);
	/* the port is connect()'s to choose */
	assert_int_equal(io_sock_local(fd, &bound, &err), 0);
	assert_int_equal(io_addr_port(&bound), 0);
	assert_int_equal(io_sock_connect_begin(fd, &v4, &err), 0);
	assert_int_equal(io_sock_local(fd, &bound, &err), 0);
	assert_int_not_equal(io_addr_port(&bound), 0);
	assert_int_equal(bound.u.v4.sin_addr.s_addr, source.u.v4.sin_addr.s_addr);
	close(fd);
	close(listener);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bench_sources__parse),
		cmocka_unit_test(test_bench_sources__check),
		cmocka_unit_test(test_bench_sources__bind),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
