#include "host/gpu/gpu.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/scratch.h"
#include "fake_gpus.h"

#define GIB (1024.0 * 1024.0 * 1024.0)

/* ---- energy -------------------------------------------------------------- */

/* Integrals from 0 to t of the curves below, computed independently. */
static double const_j(double t)
{
	return 300 * t;
}

static double sine_j(double t)
{
	/* 300 W on average, 100 W to both sides, 0.05 s */
	return 300 * t + 100 * 0.05 / (2 * M_PI) * (1 - cos(2 * M_PI * t / 0.05));
}

static double square_j(double t)
{
	double whole = floor(t / 0.02);

	return 100 * t + 300 * (whole * 0.01 + fmin(t - whole * 0.02, 0.01));
}

static double ramp_j(double t)
{
	double whole = floor(t / 0.04);
	double rest = t - whole * 0.04;

	return 100 * t + 300 * (whole * 0.02 + rest * rest / 0.08);
}

static double now_s(void)
{
	return (double)pl_clock_now_ns() / PL_NS_PER_S;
}

static double energy_of(struct host_gpus *gpus)
{
	struct host_gpu_state now;

	host_gpus_read(gpus, 0, &now);
	return now.energy_j;
}

static void test_energy_is_the_integral(void **state)
{
	static const struct {
		const char *power;
		double (*energy_j)(double t);
	} curves[] = {
		{ "const:300", const_j },
		{ "sine:200:400:50ms", sine_j },
		{ "square:100:400:20ms", square_j },
		{ "ramp:100:400:40ms", ramp_j },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(curves); i++) {
		setenv("PRETEND_POWER", curves[i].power, 1);
		auto_gpus struct host_gpus *gpus = open_gpus(LIBRARY, "1xH100", NULL);
		for (int k = 0; k < 50; k++) {
			double before = now_s();
			double energy_j = energy_of(gpus);
			double after = now_s();
			/* read at some moment between the two; the counter has millijoules */
			assert_true(energy_j >= curves[i].energy_j(before) - 0.002);
			assert_true(energy_j <= curves[i].energy_j(after) + 0.002);
			pl_clock_sleep_until(pl_clock_now_ns() + PL_NS_PER_MS);
		}
	}
}

static void test_file_changes_things(void **state)
{
	char folder[SCRATCH_PATH];
	struct pl_err err = PL_ERR_INIT;
	struct host_gpu_state now;

	(void)state;
	scratch_folder(folder);
	auto_free char *path = pl_asprintf("%s/gpus", folder);
	static const char first[] = "# made up\n0.power = const:100\n0.memory_used = 1GiB\n";
	static const char second[] = "0.power = const:400\n0.memory_used = 2GiB\n"
				     "1.processes = 4000001:5GiB:other\nvanish = temperature\n";
	static const char broken[] = "0.memory_used = 7GiB\n0.power = much\n";
	assert_int_equal(pl_file_write(path, first, sizeof(first) - 1, &err), 0);
	setenv("PRETEND_FILE", path, 1);
	auto_gpus struct host_gpus *gpus = open_gpus(LIBRARY, "2xH100", NULL);
	host_gpus_read(gpus, 0, &now);
	assert_true(now.power_w == 100 && now.memory_used_bytes == GIB);
	assert_true(now.temperature_c == 35);

	double before = now_s();
	double energy_j = energy_of(gpus);
	assert_int_equal(pl_file_write(path, second, sizeof(second) - 1, &err), 0);
	host_gpus_read(gpus, 0, &now);
	double after = now_s();
	assert_true(now.power_w == 400 && now.memory_used_bytes == 2 * GIB);
	assert_true(isnan(now.temperature_c));
	/* the counter continues from its value, and no faster than the higher curve */
	assert_true(now.energy_j >= energy_j - 0.002);
	assert_true(now.energy_j <= energy_j + 400 * (after - before) + 0.002);
	host_gpus_read(gpus, 1, &now);
	assert_true(now.memory_used_bytes == 5 * GIB);

	/* a fault is reported on standard error; lines before it count */
	assert_int_equal(pl_file_write(path, broken, sizeof(broken) - 1, &err), 0);
	host_gpus_read(gpus, 0, &now);
	assert_true(now.power_w == 400 && now.memory_used_bytes == 7 * GIB);
}

static void test_energy_wraps(void **state)
{
	(void)state;
	setenv("PRETEND_POWER", "const:1000", 1);
	auto_gpus struct host_gpus *gpus = open_gpus(LIBRARY, "1xH100", "energy_wrap=5");
	bool wrapped = false;
	double last = energy_of(gpus);

	while (!wrapped) {
		double energy_j = energy_of(gpus);
		assert_true(energy_j >= 0 && energy_j <= 5);
		wrapped = energy_j < last;
		last = energy_j;
	}
}

/* ---- counters ------------------------------------------------------------ */

static void test_traffic(void **state)
{
	struct host_gpu_state first;
	struct host_gpu_state now;

	(void)state;
	auto_gpus struct host_gpus *gpus = open_gpus(LIBRARY, "1xH100",
						     "nvlink_rx=64GiB;nvlink_tx=1GiB;pcie_tx=0");
	double before = now_s();
	host_gpus_read(gpus, 0, &first);
	double between = now_s();
	pl_clock_sleep_until(pl_clock_now_ns() + 2 * PL_NS_PER_MS);
	double later = now_s();
	host_gpus_read(gpus, 0, &now);
	double after = now_s();
	double bytes = now.nvlink_rx_bytes - first.nvlink_rx_bytes;
	assert_true(bytes >= 64 * GIB * (later - between) - 2048);
	assert_true(bytes <= 64 * GIB * (after - before) + 2048);
	/* a read within the time in which the counter of 32 bits cannot wrap twice gives a rate */
	if (after - before < 0.06)
		assert_true(now.pcie_tx_bytes_per_s == 0);
}

static void test_traffic_of_unknown_wraps(void **state)
{
	struct host_gpu_state now;

	(void)state;
	auto_gpus struct host_gpus *gpus = open_gpus(LIBRARY, "1xH100", "pcie_rx=1GiB");
	host_gpus_read(gpus, 0, &now);
	/* PCIe 5 with 16 lanes may pass 4 GiB in 68 ms */
	pl_clock_sleep_until(pl_clock_now_ns() + 80 * PL_NS_PER_MS);
	host_gpus_read(gpus, 0, &now);
	assert_true(isnan(now.pcie_rx_bytes_per_s));
	host_gpus_read_pcie(gpus, 0, &now);
	assert_true(fabs(now.pcie_rx_bytes_per_s - GIB) < 1000);
}

#define TEST(name) cmocka_unit_test_setup(name, clear_environment)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_energy_is_the_integral),
		TEST(test_file_changes_things),
		TEST(test_energy_wraps),
		TEST(test_traffic),
		TEST(test_traffic_of_unknown_wraps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
