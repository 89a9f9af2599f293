#include "host/lock/port.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "lock_folder.h"

static const struct host_lock_owner who = { .run_id = "exp_20260102_030405_0a1b2c" };

static void test_host_lock_port__free_ones_are_in_the_range(void **state)
{
	(void)state;
	auto_locks struct host_locks *locks = open_locks();
	struct host_port ports[20];

	for (size_t i = 0; i < PL_ARRAY_SIZE(ports); i++) {
		struct pl_err err = PL_ERR_INIT;
		assert_int_equal(host_port_take(locks, "127.0.0.1", 0, &who, &ports[i], &err), 0);
		assert_in_range(ports[i].number, HOST_PORT_FIRST, HOST_PORT_LAST);
		for (size_t k = 0; k < i; k++)
			assert_int_not_equal(ports[i].number, ports[k].number);
	}
	for (size_t i = 0; i < PL_ARRAY_SIZE(ports); i++)
		host_port_release(&ports[i]);
}

static void test_host_lock_port__a_fixed_one_in_use_is_busy(void **state)
{
	(void)state;
	struct pl_err err = PL_ERR_INIT;
	struct host_port port, retry = HOST_PORT_NONE;
	auto_free char *pid = pl_asprintf("pid %d ", (int)getpid());

	assert_int_equal(host_port_take(NULL, "127.0.0.1", 0, &who, &port, &err), 0);
	assert_int_equal(port.lock_fd, -1);
	assert_int_equal(host_port_take(NULL, "127.0.0.1", port.number, &who, &retry, &err), -1);
	assert_int_equal(pl_err_exit_status(err.code), 5);
	/* and names its owner */
	assert_non_null(strstr(err.text, pid));
	assert_int_equal(retry.number, 0);
	host_port_unbind(&port);
	/* given back: free again at once */
	assert_int_equal(host_port_take(NULL, "127.0.0.1", port.number, &who, &retry, &err), 0);
	assert_int_equal(retry.number, port.number);
	host_port_release(&retry);
}

static void test_host_lock_port__a_lock_keeps_other_runs_away(void **state)
{
	(void)state;
	auto_locks struct host_locks *locks = open_locks();
	struct pl_err err = PL_ERR_INIT;
	struct host_port port, retry = HOST_PORT_NONE;

	assert_int_equal(host_port_take(locks, "127.0.0.1", 0, &who, &port, &err), 0);
	/* just before the server starts: no process listens, and the port is not free */
	host_port_unbind(&port);
	assert_int_equal(host_port_take(locks, "127.0.0.1", port.number, &who, &retry, &err), -1);
	assert_int_equal(err.code, PL_ERR_BUSY);
	assert_non_null(strstr(err.text, who.run_id));
	host_port_release(&port);
	host_port_release(&port);
	assert_int_equal(host_port_take(locks, "127.0.0.1", port.number, &who, &retry, &err), 0);
	host_port_release(&retry);
}

static void test_host_lock_port__an_address_that_is_not_ours(void **state)
{
	(void)state;
	struct pl_err err = PL_ERR_INIT;
	struct host_port port;

	/* TEST-NET-1 belongs to no host */
	assert_int_equal(host_port_take(NULL, "192.0.2.1", 0, &who, &port, &err), -1);
	assert_int_equal(err.code, PL_ERR_IO);
}

static void test_host_lock_port__addresses_of_either_kind(void **state)
{
	(void)state;
	static const char *const hosts[] = { "127.0.0.1", "0.0.0.0", "::1", "[::1]", "::" };
	int ours = 0;

	for (size_t i = 0; i < PL_ARRAY_SIZE(hosts); i++) {
		struct pl_err err = PL_ERR_INIT;
		struct host_port port;
		int done = host_port_take(NULL, hosts[i], 0, &who, &port, &err);
		/* a host without IPv6 has no such address */
		if (done < 0 && strchr(hosts[i], ':') != NULL)
			continue;
		assert_int_equal(done, 0);
		auto_free char *listener = host_port_listener(port.number);
		assert_non_null(listener);
		/* another program may have the number at another address */
		bool is_ours = host_port_listener_pid(port.number) == getpid();
		host_port_release(&port);
		assert_int_not_equal(host_port_listener_pid(port.number), getpid());
		ours += is_ours;
	}
	assert_true(ours > 0);
}

static void test_host_lock_port__kernel_range_is_left_out(void **state)
{
	(void)state;
	auto_free uint16_t *ports = pl_alloc_array(10000, sizeof(*ports));
	static const struct {
		const char *range;
		size_t count;
		uint16_t first, last;
	} cases[] = {
		{ "32768\t60999\n", 10000, 20000, 29999 },
		{ "", 10000, 20000, 29999 },
		{ "25000 60999", 5000, 20000, 24999 },
		{ "1024 24999", 5000, 25000, 29999 },
		{ "20001 29998", 2, 20000, 29999 },
		/* none is left: any may do */
		{ "1024 65535", 10000, 20000, 29999 },
	};

	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		size_t count = host_port_usable(cases[i].range, ports);
		assert_int_equal(count, cases[i].count);
		assert_int_equal(ports[0], cases[i].first);
		assert_int_equal(ports[count - 1], cases[i].last);
	}
}

#define TEST(name) \
	cmocka_unit_test_setup_teardown(test_host_lock_port__##name, make_folder, remove_folder)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(free_ones_are_in_the_range),   TEST(a_fixed_one_in_use_is_busy),
		TEST(a_lock_keeps_other_runs_away), TEST(an_address_that_is_not_ours),
		TEST(addresses_of_either_kind),     TEST(kernel_range_is_left_out),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
