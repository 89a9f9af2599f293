#include "host/throttled.h"

#include <errno.h>
#include <fcntl.h>
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

#include "base/file.h"
#include "base/scratch.h"
#include "base/text.h"

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

static void test_host_throttled__of_all_groups_above(void **state)
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
		PL_AUTO(host_throttled_free)
		struct host_throttled *throttled = host_throttled_new_of(rows[i].groups, root);
		double us = host_throttled_us(throttled);
		if (isnan(rows[i].us) ? !isnan(us) : !(fabs(us - rows[i].us) < 1e-9))
			fail_msg("row %zu: %g, not %g", i, us, rows[i].us);
	}
}

/* In its place, as the kernel's file is: a new one would be another. */
static void rewrite(const char *root, const char *path, const char *text)
{
	auto_free char *file = pl_asprintf("%s%s/cpu.stat", root, path);
	auto_fd int fd = open(file, O_WRONLY | O_TRUNC);

	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
}

static void test_host_throttled__grows(void **state)
{
	char root[SCRATCH_PATH];

	(void)state;
	scratch_folder(root);
	write_cpu_stat(root, "/job", "nr_throttled 1\nthrottled_usec 300\n");
	PL_AUTO(host_throttled_free)
	struct host_throttled *throttled = host_throttled_new_of("0::/job\n", root);
	assert_true(fabs(host_throttled_us(throttled) - 300) < 1e-9);
	rewrite(root, "/job", "nr_throttled 2\nthrottled_usec 12345678901\n");
	assert_true(fabs(host_throttled_us(throttled) - 12345678901) < 1e-9);
	/* as of a group that was removed */
	rewrite(root, "/job", "");
	assert_true(isnan(host_throttled_us(throttled)));
}

static void test_host_throttled__of_this_process(void **state)
{
	(void)state;
	PL_AUTO(host_throttled_free) struct host_throttled *throttled = host_throttled_new();
	double us = host_throttled_us(throttled);

	assert_true(isnan(us) || us >= 0);
	PL_AUTO(host_throttled_free) struct host_throttled *none = host_throttled_new_of(NULL, "/");
	assert_true(isnan(host_throttled_us(none)));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_host_throttled__of_all_groups_above),
		cmocka_unit_test(test_host_throttled__grows),
		cmocka_unit_test(test_host_throttled__of_this_process),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
