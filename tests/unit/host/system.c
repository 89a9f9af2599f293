#include "host/system.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/scratch.h"
#include "base/text.h"
#include "host/proc/program.h"

static void test_host_system__facts(void **state)
{
	(void)state;
	char hostname[256] = "";
	auto_json json_t *facts = host_system_facts();

	gethostname(hostname, sizeof(hostname) - 1);
	assert_string_equal(json_string_value(json_object_get(facts, "hostname")), hostname);
	assert_int_equal(json_integer_value(json_object_get(facts, "cpu_count")),
			 sysconf(_SC_NPROCESSORS_ONLN));
	assert_true(json_integer_value(json_object_get(facts, "memory_bytes")) > 1 << 20);
	assert_int_equal(json_object_size(facts), 7);
}

static void test_host_system__stolen_share(void **state)
{
	(void)state;
	struct host_stolen before = { .t_ns = 0, .steal = 10, .total = 1000, .throttled_us = 0 };
	struct host_stolen after = {
		.t_ns = PL_NS_PER_S, .steal = 30, .total = 1200, .throttled_us = 50000
	};

	/* 20 of 200 ticks stolen, 50 ms of a second throttled */
	assert_true(fabs(host_stolen_share(&before, &after) - 0.1) < 1e-12);
	assert_true(fabs(host_withheld_share(&before, &after) - 0.05) < 1e-12);
	after.steal = 10;
	assert_true(host_stolen_share(&before, &after) == 0);
	after.throttled_us = 2.5e6; /* of three processors */
	assert_true(host_withheld_share(&before, &after) == 1);
	after.throttled_us = after.steal = NAN;
	assert_true(isnan(host_stolen_share(&before, &after)));
	assert_true(isnan(host_withheld_share(&before, &after)));
}

static void test_host_system__stolen_is_read(void **state)
{
	(void)state;
	struct host_stolen stolen;

	host_stolen_read(&stolen);
	assert_true(stolen.total > 0 && stolen.steal >= 0 && stolen.steal <= stolen.total);
}

/* Makes the folders of `path` below `root` and a cpu.stat in the last. */
static void write_cpu_stat(const char *root, const char *path, const char *text)
{
	struct pl_err err = PL_ERR_INIT;
	auto_free char *file = pl_asprintf("%s%s/cpu.stat", root, path);

	for (char *slash = file + strlen(root); (slash = strchr(slash + 1, '/')) != NULL;) {
		*slash = '\0';
		assert_true(mkdir(file, 0700) == 0 || errno == EEXIST);
		*slash = '/';
	}
	assert_int_equal(pl_file_write(file, text, strlen(text), &err), 0);
}

static void test_host_system__throttled_of_all_groups_above(void **state)
{
	(void)state;
	static const struct {
		const char *groups;
		double us;
	} rows[] = {
		/* version 2: the group's own and those above */
		{ "0::/job/step\n", 5000 + 300 },
		{ "0::/job\n", 300 },
		{ "0::/\n", NAN },
		/* version 1, in ns; the root's zero is a count too */
		{ "4:memory:/job\n2:cpu,cpuacct:/job/step\n1:cpuset:/\n0::/\n", 40 + 7 },
		{ "2:cpuacct,cpu:/job\n", 7 },
		{ "1:cpu:/\n", 0 },
		/* the host's path within a container: what is mounted counts */
		{ "1:cpu:/host/container\n", 0 },
		{ "0::/job\n1:cpu:/job/step\n", 40 + 7 },
		/* no controller of processor time */
		{ "3:cpuset:/job\n2:cpuacct:/job\n", NAN },
		{ "", NAN },
		{ "nothing\nof:it", NAN },
	};
	char root[SCRATCH_PATH];

	scratch_folder(root);
	write_cpu_stat(root, "", "usage_usec 10\nuser_usec 6\n");
	write_cpu_stat(root, "/job", "usage_usec 9\nnr_throttled 1\nthrottled_usec 300\n");
	write_cpu_stat(root, "/job/step", "nr_periods 4\nnr_throttled 2\nthrottled_usec 5000\n");
	write_cpu_stat(root, "/cpu", "nr_periods 0\nnr_throttled 0\nthrottled_time 0\n");
	write_cpu_stat(root, "/cpu/job", "nr_periods 2\nnr_throttled 1\nthrottled_time 7000\n");
	write_cpu_stat(root, "/cpu/job/step", "nr_throttled 3\nthrottled_time 40000\n");
	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++) {
		double us = host_throttled_us(rows[i].groups, root);
		if (isnan(rows[i].us) ? !isnan(us) : !(fabs(us - rows[i].us) < 1e-9))
			fail_msg("row %zu: %g, not %g", i, us, rows[i].us);
	}
}

static void test_host_program__found_in_path(void **state)
{
	(void)state;
	struct pl_err err = PL_ERR_INIT;
	auto_free char *path = NULL;

	assert_int_equal(host_program_find("sh", &path, &err), 0);
	assert_int_equal(access(path, X_OK), 0);
	auto_free char *whole = NULL;
	assert_int_equal(host_program_find("/bin/sh", &whole, &err), 0);
	assert_string_equal(whole, "/bin/sh");
}

static void test_host_program__beside_the_running_one(void **state)
{
	(void)state;
	struct pl_err err = PL_ERR_INIT;
	auto_free char *path = NULL;

	/* this test's own program is in no PATH */
	assert_int_equal(host_program_find("test_host_system", &path, &err), 0);
	assert_int_equal(access(path, X_OK), 0);
	auto_free char *again = NULL;
	assert_int_equal(host_program_find_sibling("test_host_system", &again, &err), 0);
	assert_string_equal(path, again);
}

static void test_host_program__not_found(void **state)
{
	(void)state;
	static const char *const names[] = { "no-such-program", "/etc", "/etc/passwd", "./none" };
	for (size_t i = 0; i < PL_ARRAY_SIZE(names); i++) {
		struct pl_err err = PL_ERR_INIT;
		char *path = NULL;
		assert_int_equal(host_program_find(names[i], &path, &err), -1);
		assert_int_equal(err.code, PL_ERR_NOT_FOUND);
		assert_null(path);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_host_system__facts),
		cmocka_unit_test(test_host_system__stolen_share),
		cmocka_unit_test(test_host_system__stolen_is_read),
		cmocka_unit_test(test_host_system__throttled_of_all_groups_above),
		cmocka_unit_test(test_host_program__found_in_path),
		cmocka_unit_test(test_host_program__beside_the_running_one),
		cmocka_unit_test(test_host_program__not_found),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
