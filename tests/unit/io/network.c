#include "io/network.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <arpa/inet.h>

#include "base/mem.h"

static bool contains(const char *network, const char *address)
{
	unsigned char bytes[IO_ADDRESS_BYTES_MAX];
	struct io_network parsed;
	size_t len = io_address_parse(address, bytes);

	assert_true(io_network_parse(network, &parsed));
	assert_true(len > 0);
	return io_network_contains(&parsed, bytes, len);
}

static void test_io_network__prefixes(void **state)
{
	(void)state;
	assert_true(contains("10.0.0.0/8", "10.255.1.2"));
	assert_false(contains("10.0.0.0/8", "11.0.0.0"));
	assert_true(contains("10.1.2.3/32", "10.1.2.3"));
	assert_false(contains("10.1.2.3/32", "10.1.2.2"));
	assert_true(contains("172.16.0.0/12", "172.31.255.255"));
	assert_false(contains("172.16.0.0/12", "172.32.0.0"));
	assert_true(contains("0.0.0.0/0", "1.2.3.4"));
	assert_false(contains("0.0.0.0/0", "::1"));
	assert_true(contains("fd00::/8", "fdff::1"));
	assert_false(contains("fd00::/8", "fe00::1"));
	assert_true(contains("2001:db8::/33", "2001:db8:7fff::1"));
	assert_false(contains("2001:db8::/33", "2001:db8:8000::1"));
	/* the bits after the prefix do not matter */
	assert_true(contains("10.9.9.9/8", "10.1.1.1"));
}

static void test_io_network_parse__other_texts(void **state)
{
	static const char *const texts[] = {
		"",   "10.0.0.0", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0/8",
		"/8", "::/129",   "[::1]/128", "localhost/8", "10.0.0.0/8 ", "10.0.0.0/8/8"
	};
	struct io_network network;

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(texts); i++)
		assert_false(io_network_parse(texts[i], &network));
}

static void test_io_address_of__mapped(void **state)
{
	struct sockaddr_in6 addr = { .sin6_family = AF_INET6 };
	unsigned char bytes[IO_ADDRESS_BYTES_MAX];

	(void)state;
	assert_int_equal(inet_pton(AF_INET6, "::ffff:10.1.2.3", &addr.sin6_addr), 1);
	assert_int_equal(io_address_of((const void *)&addr, bytes), 4);
	assert_int_equal(bytes[0], 10);
	assert_int_equal(bytes[3], 3);
	assert_int_equal(inet_pton(AF_INET6, "fd00::1", &addr.sin6_addr), 1);
	assert_int_equal(io_address_of((const void *)&addr, bytes), 16);
	assert_int_equal(io_address_of(NULL, bytes), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_io_network__prefixes),
		cmocka_unit_test(test_io_network_parse__other_texts),
		cmocka_unit_test(test_io_address_of__mapped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
