#include "host/port.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void test_host_port__free_ones_are_in_the_range(void **state)
{
	(void)state;
	uint16_t ports[20];
	int fds[20];

	for (size_t i = 0; i < PL_ARRAY_SIZE(ports); i++) {
		struct pl_err err = PL_ERR_INIT;
		assert_int_equal(host_port_take("127.0.0.1", 0, &ports[i], &fds[i], &err), 0);
		assert_in_range(ports[i], HOST_PORT_FIRST, HOST_PORT_LAST);
		for (size_t k = 0; k < i; k++)
			assert_int_not_equal(ports[i], ports[k]);
	}
	for (size_t i = 0; i < PL_ARRAY_SIZE(fds); i++)
		close(fds[i]);
}

static void test_host_port__a_fixed_one_in_use_is_busy(void **state)
{
	(void)state;
	struct pl_err err = PL_ERR_INIT;
	uint16_t port, again = 1;
	int fd, other = -1;

	assert_int_equal(host_port_take("127.0.0.1", 0, &port, &fd, &err), 0);
	assert_int_equal(host_port_take("127.0.0.1", port, &again, &other, &err), -1);
	assert_int_equal(err.code, PL_ERR_BUSY);
	assert_int_equal(pl_err_exit_status(err.code), 5);
	assert_int_equal(again, 1);
	assert_int_equal(other, -1);
	close(fd);
	/* given back: free again at once */
	assert_int_equal(host_port_take("127.0.0.1", port, &again, &other, &err), 0);
	assert_int_equal(again, port);
	close(other);
}

static void test_host_port__an_address_that_is_not_ours(void **state)
{
	(void)state;
	struct pl_err err = PL_ERR_INIT;
	uint16_t port;
	int fd;

	/* TEST-NET-1 is nobody's */
	assert_int_equal(host_port_take("192.0.2.1", 0, &port, &fd, &err), -1);
	assert_int_equal(err.code, PL_ERR_IO);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_host_port__free_ones_are_in_the_range),
		cmocka_unit_test(test_host_port__a_fixed_one_in_use_is_busy),
		cmocka_unit_test(test_host_port__an_address_that_is_not_ours),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
