#include "host/cpus.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/scratch.h"
#include "host/gpu/numa.h"

static void write_list(const char *folder, const char *name, const char *cpus)
{
	auto_free char *path = pl_asprintf("%s/%s", folder, name);

	for (char *slash = path + strlen(folder) + 1; (slash = strchr(slash, '/')) != NULL;
	     slash++) {
		*slash = '\0';
		mkdir(path, 0755);
		*slash = '/';
	}
	assert_int_equal(pl_file_write(path, cpus, strlen(cpus), PL_ERR_IGNORED), 0);
}

/* Two nodes of four cores of two threads: 0-3 and 8-11 on the first, as servers number them. */
static void make_host(const char *folder)
{
	write_list(folder, "node/node0/cpulist", "0-3,8-11\n");
	write_list(folder, "node/node1/cpulist", "4-7,12-15\n");
	for (int cpu = 0; cpu < 16; cpu++) {
		auto_free char *name = pl_asprintf("cpu/cpu%d/topology/thread_siblings_list", cpu);
		auto_free char *pair = pl_asprintf("%d,%d\n", cpu % 8, cpu % 8 + 8);
		write_list(folder, name, pair);
	}
}

static void test_host_cpus_part__parts_of_a_host(void **state)
{
	(void)state;
	static const struct {
		const char *ours;
		size_t count, least;
		const char *sets[4]; /* NULL: no more */
	} cases[] = {
		{ "0-15", 1, 1, { "0-15" } },
		/* cores whole, and each part on both nodes */
		{ "0-15", 2, 1, { "0-1,4-5,8-9,12-13", "2-3,6-7,10-11,14-15" } },
		{ "0-15", 4, 4, { "0,4,8,12", "1,5,9,13", "2,6,10,14", "3,7,11,15" } },
		/* what does not go up goes to those that have least */
		{ "0-15", 3, 4, { "0,3-4,8,11-12", "1,5,7,9,13,15", "2,6,10,14" } },
		{ "0-15", 4, 5, { "0-1,4-5,8-9,12-13", "2-3,6-7,10-11,14-15" } },
		/* what was left to us by taskset */
		{ "0-1", 2, 1, { "0", "1" } },
		/* two threads of a core only where there are too few cores */
		{ "0,8", 2, 1, { "0", "8" } },
		{ "0,8", 2, 2, { "0,8" } },
		{ "3", 4, 2, { "3" } },
	};
	char folder[SCRATCH_PATH];

	scratch_folder(folder);
	make_host(folder);
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		cpu_set_t ours, sets[4];
		size_t expected = 0;
		assert_true(host_numa_parse_cpus(cases[i].ours, &ours));
		size_t count = host_cpus_part(folder, &ours, cases[i].count, cases[i].least, sets);
		while (expected < 4 && cases[i].sets[expected] != NULL)
			expected++;
		print_message("case %zu\n", i);
		for (size_t k = 0; k < count; k++) {
			auto_buf text = PL_BUF(256);
			host_cpus_text(&sets[k], &text);
			assert_string_equal(pl_buf_text(&text),
					    k < expected ? cases[i].sets[k] : "none");
		}
		assert_int_equal(count, expected);
	}
}

static void test_host_cpus_part__nothing_is_reported(void **state)
{
	(void)state;
	char folder[SCRATCH_PATH];
	cpu_set_t ours, sets[2], both;

	scratch_folder(folder);
	assert_true(host_numa_parse_cpus("1-3,6", &ours));
	assert_int_equal(host_cpus_part(folder, &ours, 2, 2, sets), 2);
	CPU_AND(&both, &sets[0], &sets[1]);
	assert_int_equal(CPU_COUNT(&both), 0);
	CPU_OR(&both, &sets[0], &sets[1]);
	assert_true(CPU_EQUAL(&both, &ours));
	assert_int_equal(CPU_COUNT(&sets[0]), 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_host_cpus_part__parts_of_a_host),
		cmocka_unit_test(test_host_cpus_part__nothing_is_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
