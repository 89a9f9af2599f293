#include "host/telemetry/host.h"

#include <glob.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/file.h"
#include "host/telemetry/sums.h"

#define HOST(name)   (HOST_Q_host_##name - HOST_Q_host_cpu_share)
#define CLIENT(name) (HOST_Q_client_##name - HOST_Q_client_cpu_s)

static void test_host_telemetry_host__rates_use_known_counters(void **state)
{
	(void)state;
	assert_true(host_rate(10, 30, 2 * PL_NS_PER_S) == 10);
	assert_true(host_rate(10, 10, PL_NS_PER_S) == 0);
	/* fell, or is not known on both sides, or no time has passed */
	assert_true(isnan(host_rate(30, 10, PL_NS_PER_S)));
	assert_true(isnan(host_rate(NAN, 10, PL_NS_PER_S)));
	assert_true(isnan(host_rate(10, NAN, PL_NS_PER_S)));
	assert_true(isnan(host_rate(10, 30, 0)));
}

/* "MemTotal:   123 kB" of /proc/meminfo, in bytes. */
static double meminfo(const char *name)
{
	auto_free char *text = NULL;
	struct pl_err err = PL_ERR_INIT;
	size_t len;

	assert_int_equal(pl_file_read("/proc/meminfo", 1 << 20, &text, &len, &err), 0);
	const char *at = strstr(text, name);
	assert_non_null(at);
	return strtod(at + strlen(name), NULL) * 1024;
}

/* One that is hardware. */
static bool has_disk(void)
{
	glob_t found;
	bool has = glob("/sys/block/*/device", 0, NULL, &found) == 0;

	globfree(&found);
	return has;
}

static void test_host_telemetry_host__first_levels_then_rates(void **state)
{
	(void)state;
	auto_counters struct host_counters *counters = host_counters_new();
	double first[HOST_SOURCE_VALUES_MAX], second[HOST_SOURCE_VALUES_MAX];
	int64_t from_ns = pl_clock_now_ns();

	host_counters_read(counters, from_ns, first);
	assert_true(isnan(first[HOST(cpu_share)]) && isnan(first[HOST(disk_read_bytes_per_s)]));
	assert_true(isnan(first[HOST(network_sent_bytes_per_s)]));
	assert_true(first[HOST(load_1m)] >= 0);
	double total = first[HOST(memory_used_bytes)] + first[HOST(memory_available_bytes)];
	assert_true(total == meminfo("MemTotal:"));
	assert_true(first[HOST(swap_used_bytes)] >= 0 &&
		    first[HOST(swap_used_bytes)] <= meminfo("SwapTotal:"));
	/* the kernel counts in hundredths of a second */
	do
		host_counters_read(counters, pl_clock_now_ns(), second);
	while (isnan(second[HOST(cpu_share)]) && pl_clock_now_ns() < from_ns + 10 * PL_NS_PER_S);
	double busy = second[HOST(cpu_share)];
	double parts = busy + second[HOST(iowait_share)] + second[HOST(steal_share)];
	assert_true(busy >= 0 && parts <= 1 + 1e-9);
	assert_true(isnan(second[HOST(network_sent_bytes_per_s)]) ||
		    second[HOST(network_sent_bytes_per_s)] >= 0);
	bool known = has_disk();
	assert_true(known ? second[HOST(disk_read_bytes_per_s)] >= 0
			  : isnan(second[HOST(disk_read_bytes_per_s)]));
	assert_true(known ? second[HOST(disk_written_bytes_per_s)] >= 0
			  : isnan(second[HOST(disk_written_bytes_per_s)]));
}

static void test_host_telemetry_host__this_program(void **state)
{
	(void)state;
	struct host_self *self = host_self_new();
	double values[HOST_SOURCE_VALUES_MAX], retry[HOST_SOURCE_VALUES_MAX];
	size_t bytes = 64u << 20;

	host_self_read(self, pl_clock_now_ns(), values);
	assert_true(values[CLIENT(threads)] >= 1 && values[CLIENT(threads)] <= 2);
	assert_true(isnan(values[CLIENT(cpu_share)]));
	char *memory = pl_alloc(bytes);
	memset(memory, 1, bytes);
	host_self_read(self, pl_clock_now_ns(), retry);
	double grown = retry[CLIENT(memory_bytes)] - values[CLIENT(memory_bytes)];
	assert_true(grown > 0.9 * (double)bytes && memory[bytes - 1] == 1);
	assert_true(retry[CLIENT(cpu_s)] > values[CLIENT(cpu_s)]);
	assert_true(retry[CLIENT(cpu_share)] > 0);
	assert_true(retry[CLIENT(voluntary_switches)] >= values[CLIENT(voluntary_switches)]);
	free(memory);
	host_self_free(self);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_host_telemetry_host__rates_use_known_counters),
		cmocka_unit_test(test_host_telemetry_host__first_levels_then_rates),
		cmocka_unit_test(test_host_telemetry_host__this_program),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
