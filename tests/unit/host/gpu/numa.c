#include "host/gpu/numa.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/scratch.h"

static void test_host_gpu_numa__lists_of_processors(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		int count; /* -1: no list */
	} cases[] = {
		{ "0", 1 },    { "0-3\n", 4 }, { "0-1,8,10-11\n", 5 },
		{ "", 0 },     { "\n", 0 },    { "3-1", -1 },
		{ "a", -1 },   { "0-", -1 },   { "0-99999", -1 },
		{ "0;1", -1 },
	};

	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		cpu_set_t cpus;
		bool read = host_numa_parse_cpus(cases[i].text, &cpus);
		assert_int_equal(read, cases[i].count >= 0);
		if (read)
			assert_int_equal(CPU_COUNT(&cpus), cases[i].count);
	}
}

static void write_node(const char *folder, int node, const char *cpus)
{
	auto_free char *dir = pl_asprintf("%s/node%d", folder, node);
	auto_free char *path = pl_asprintf("%s/cpulist", dir);
	struct pl_err err = PL_ERR_INIT;

	assert_int_equal(mkdir(dir, 0755), 0);
	assert_int_equal(pl_file_write(path, cpus, __builtin_strlen(cpus), &err), 0);
}

static void test_host_gpu_numa__binding_needs_two_nodes(void **state)
{
	(void)state;
	char folder[SCRATCH_PATH];
	struct host_numa numa;
	cpu_set_t ours;

	scratch_folder(folder);
	assert_int_equal(sched_getaffinity(0, sizeof(ours), &ours), 0);
	int first = 0;
	while (!CPU_ISSET((size_t)first, &ours))
		first++;
	auto_free char *mine = pl_asprintf("%d,1000-1010\n", first);

	write_node(folder, 0, mine);
	assert_false(host_numa_find(folder, 0, &numa));
	write_node(folder, 1, "1000-1010\n");
	assert_true(host_numa_find(folder, 0, &numa));
	assert_int_equal(numa.node, 0);
	assert_int_equal(CPU_COUNT(&numa.cpus), 1);
	/* none of its processors is ours */
	assert_false(host_numa_find(folder, 1, &numa));
	assert_false(host_numa_find(folder, 2, &numa));
	assert_false(host_numa_find(folder, -1, &numa));

	pid_t pid = fork();
	if (pid == 0) {
		cpu_set_t now;
		assert_true(host_numa_find(folder, 0, &numa));
		bool bound = host_numa_bind(&numa, 0) &&
			     sched_getaffinity(0, sizeof(now), &now) == 0;
		_exit(bound && CPU_COUNT(&now) == 1 && CPU_ISSET((size_t)first, &now) ? 0 : 1);
	}
	int status = -1;
	waitpid(pid, &status, 0);
	assert_int_equal(status, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_host_gpu_numa__lists_of_processors),
		cmocka_unit_test(test_host_gpu_numa__binding_needs_two_nodes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
