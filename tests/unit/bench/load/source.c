#include "bench/load/source.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <unistd.h>
#include <cmocka.h>

static void check(const char *list, const struct io_addr *target, const char *says)
{
	auto_json json_t *texts = json_loads(list, 0, NULL);
	auto_free struct io_addr *addrs = NULL;
	struct pl_err err = PL_ERR_INIT;
	size_t count = 0;

	assert_non_null(texts);
	bench_sources_of(texts, &addrs, &count);
	assert_int_equal(count, json_array_size(texts));
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
	check("[\"127.0.0.2\", \"192.0.2.1\"]", &v4, "'192.0.2.1' is not an address of this host");
	check("[\"127.0.0.2\", \"::1\"]", &v4,
	      "'[::1]' is an address of IPv6, but the server at '127.0.0.1:8000'");
	check("[\"127.0.0.2\"]", &v6,
	      "'127.0.0.2' is an address of IPv4, but the server at '[::1]:8000' has one of IPv6");
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
		cmocka_unit_test(test_bench_sources__check),
		cmocka_unit_test(test_bench_sources__bind),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
