#include "host/telemetry/sums.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/mem.h"

#define MS PL_NS_PER_MS
#define S  PL_NS_PER_S

static void assert_near(double value, double expected)
{
	if (!(fabs(value - expected) <= 1e-9 * fmax(1, fabs(expected))))
		fail_msg("%.17g is not %.17g", value, expected);
}

/* Adds a sample of a GPU that reports a single quantity. */
static void add(struct host_sums *sums, const struct host_windows *windows, int64_t t_ns,
		enum host_quantity quantity, double value)
{
	double values[HOST_SOURCE_VALUES_MAX];
	size_t count;
	enum host_quantity first = host_source_first(sums->source, &count);

	for (size_t i = 0; i < count; i++)
		values[i] = NAN;
	values[quantity - first] = value;
	host_sums_add(sums, windows, t_ns, values);
}

#define POWER HOST_Q_gpu_power_w

static void test_host_telemetry_sums__rows_of_a_source_are_adjacent(void **state)
{
	(void)state;
	static const enum host_source sources[] = { HOST_SOURCE_gpu, HOST_SOURCE_host,
						    HOST_SOURCE_server, HOST_SOURCE_client };
	size_t all = 0;

	for (size_t i = 0; i < PL_ARRAY_SIZE(sources); i++) {
		size_t count;
		assert_int_equal(host_source_first(sources[i], &count), all);
		assert_in_range(count, 1, HOST_SOURCE_VALUES_MAX);
		all += count;
	}
	assert_int_equal(all, HOST_Q_COUNT);
	assert_string_equal(host_quantity_name(HOST_Q_gpu_power_w), "power_w");
	assert_string_equal(host_source_name(HOST_SOURCE_server), "server");
}

/* A straight line is integrated exactly, wherever the window's edges lie between samples. */
static void test_host_telemetry_sums__edges_are_interpolated(void **state)
{
	(void)state;
	struct host_windows windows = { 0 };
	struct host_sums sums;

	host_sums_init(&sums, HOST_SOURCE_gpu, 10 * S);
	for (int64_t t = 0; t <= 20; t++) {
		if (t == 4)
			host_windows_begin(&windows, 3250 * MS);
		if (t == 17)
			host_windows_end(&windows, 16500 * MS);
		add(&sums, &windows, t * S, POWER, 100 + 10 * (double)t);
	}
	const struct host_sum *sum = host_sums_get(&sums, POWER);
	/* the mean of a line over 3.25 .. 16.5 is its value in the middle */
	assert_near(host_sum_mean(sum, &windows), 100 + 10 * (3.25 + 16.5) / 2);
	assert_near(host_sum_total(sum, &windows), (100 + 10 * 9.875) * 13.25);
	assert_near(host_sum_coverage(sum, &windows), 1);
	assert_near(sum->min, 132.5);
	assert_near(sum->max, 265);
	assert_near(sum->highest, 300);
	assert_int_equal(sum->samples, 13);
	host_windows_done(&windows);
}

static void test_host_telemetry_sums__a_window_between_two_samples(void **state)
{
	(void)state;
	struct host_windows windows = { 0 };
	struct host_sums sums;

	host_sums_init(&sums, HOST_SOURCE_gpu, 10 * S);
	add(&sums, &windows, 0, POWER, 100);
	host_windows_begin(&windows, 200 * MS);
	host_windows_end(&windows, 400 * MS);
	host_windows_begin(&windows, 500 * MS);
	host_windows_end(&windows, 700 * MS);
	add(&sums, &windows, S, POWER, 200);
	const struct host_sum *sum = host_sums_get(&sums, POWER);
	assert_near(host_windows_length_s(&windows), 0.4);
	assert_near(host_sum_total(sum, &windows), 130 * 0.2 + 160 * 0.2);
	assert_near(sum->min, 120);
	assert_near(sum->max, 170);
	assert_int_equal(sum->samples, 0);
	host_windows_done(&windows);
}

/* Missing samples leave a gap: it is neither zero nor bridged. */
static void test_host_telemetry_sums__a_level_that_vanishes(void **state)
{
	(void)state;
	struct host_windows windows = { 0 };
	struct host_sums sums;

	host_sums_init(&sums, HOST_SOURCE_gpu, 10 * S);
	host_windows_begin(&windows, 0);
	for (int64_t t = 0; t <= 10; t++)
		add(&sums, &windows, t * S, POWER, t == 4 || t == 5 ? NAN : 100);
	host_windows_end(&windows, 10 * S);
	const struct host_sum *sum = host_sums_get(&sums, POWER);
	assert_near(sum->covered_s, 7);
	assert_near(sum->min, 100);
	assert_near(host_sum_coverage(sum, &windows), 0.7);
	assert_true(isnan(host_sum_total(sum, &windows)));
	assert_true(isnan(host_sum_mean(sum, &windows)));
	host_windows_done(&windows);
}

static void test_host_telemetry_sums__a_stall_is_a_gap(void **state)
{
	(void)state;
	struct host_windows windows = { 0 };
	struct host_sums sums;

	host_sums_init(&sums, HOST_SOURCE_gpu, 2 * S);
	host_windows_begin(&windows, 0);
	add(&sums, &windows, 0, POWER, 100);
	add(&sums, &windows, 2 * S, POWER, 100);
	add(&sums, &windows, 5 * S, POWER, 100);
	host_windows_end(&windows, 5 * S);
	assert_near(host_sums_get(&sums, POWER)->covered_s, 2);
	host_windows_done(&windows);
}

static void test_host_telemetry_sums__a_counter_that_falls_is_a_gap(void **state)
{
	(void)state;
	struct host_windows windows = { 0 };
	struct host_sums sums;
	static const double values[] = { 10, 20, 40, 5, 15, 25 };

	host_sums_init(&sums, HOST_SOURCE_gpu, 10 * S);
	host_windows_begin(&windows, 0);
	for (size_t i = 0; i < PL_ARRAY_SIZE(values); i++)
		add(&sums, &windows, (int64_t)i * S, HOST_Q_gpu_energy_j, values[i]);
	host_windows_end(&windows, 5 * S);
	const struct host_sum *sum = host_sums_get(&sums, HOST_Q_gpu_energy_j);
	assert_near(sum->integral, 10 + 20 + 10 + 10);
	assert_near(sum->covered_s, 4);
	assert_true(isnan(host_sum_total(sum, &windows)));
	assert_near(sum->max, 20);
	assert_true(sum->min >= 0);
	host_windows_done(&windows);
}

/* A counter that is missing for a while has still grown by the difference. */
static void test_host_telemetry_sums__a_counter_that_vanishes(void **state)
{
	(void)state;
	struct host_windows windows = { 0 };
	struct host_sums sums;

	host_sums_init(&sums, HOST_SOURCE_gpu, S);
	add(&sums, &windows, 0, HOST_Q_gpu_energy_j, 1000);
	host_windows_begin(&windows, S);
	for (int64_t t = 1; t <= 9; t++)
		add(&sums, &windows, t * S, HOST_Q_gpu_energy_j, NAN);
	host_windows_end(&windows, 9 * S);
	add(&sums, &windows, 10 * S, HOST_Q_gpu_energy_j, 2000);
	const struct host_sum *sum = host_sums_get(&sums, HOST_Q_gpu_energy_j);
	assert_near(host_sum_total(sum, &windows), 800);
	host_windows_done(&windows);
}

static void test_host_telemetry_sums__a_rate_holds_since_the_sample_before(void **state)
{
	(void)state;
	struct host_windows windows = { 0 };
	struct host_sums sums;

	host_sums_init(&sums, HOST_SOURCE_host, 10 * S);
	add(&sums, &windows, 0, HOST_Q_host_cpu_share, NAN);
	host_windows_begin(&windows, 500 * MS);
	add(&sums, &windows, S, HOST_Q_host_cpu_share, 0.2);
	add(&sums, &windows, 4 * S, HOST_Q_host_cpu_share, 0.8);
	host_windows_end(&windows, 4 * S);
	const struct host_sum *sum = host_sums_get(&sums, HOST_Q_host_cpu_share);
	assert_near(host_sum_total(sum, &windows), 0.2 * 0.5 + 0.8 * 3);
	assert_near(host_sum_mean(sum, &windows), (0.2 * 0.5 + 0.8 * 3) / 3.5);
	assert_near(sum->max, 0.8);
	host_windows_done(&windows);
}

static void test_host_telemetry_sums__reasons_are_counted_one_by_one(void **state)
{
	(void)state;
	struct host_windows windows = { 0 };
	struct host_sums sums;
	static const double values[] = { 1, NAN, 0, 3, 16, 5, 2 };

	host_sums_init(&sums, HOST_SOURCE_gpu, 10 * S);
	/* before the window: not counted */
	add(&sums, &windows, -S, HOST_Q_gpu_throttle, 4);
	host_windows_begin(&windows, 0);
	for (size_t i = 0; i < PL_ARRAY_SIZE(values); i++)
		add(&sums, &windows, (int64_t)i * S, HOST_Q_gpu_throttle, values[i]);
	const struct host_sum *sum = host_sums_get(&sums, HOST_Q_gpu_throttle);
	assert_int_equal(sum->samples, 6);
	assert_int_equal(sum->bits[0], 3);
	assert_int_equal(sum->bits[1], 2);
	assert_int_equal(sum->bits[2], 1);
	assert_int_equal(sum->bits[4], 1);
	assert_int_equal(sum->bad_samples, 3);
	host_windows_done(&windows);
}

static void test_host_telemetry_sums__idle_is_what_the_caller_marks(void **state)
{
	(void)state;
	struct host_windows windows = { 0 };
	struct host_sums sums;

	host_sums_init(&sums, HOST_SOURCE_gpu, 10 * S);
	const struct host_sum *sum = host_sums_get(&sums, POWER);
	add(&sums, &windows, 0, POWER, 1000);
	assert_true(isnan(host_sum_idle(sum, HOST_IDLE_BEFORE)));
	host_sums_idle(&sums, HOST_IDLE_BEFORE);
	add(&sums, &windows, S, POWER, 70);
	add(&sums, &windows, 2 * S, POWER, NAN);
	add(&sums, &windows, 3 * S, POWER, 72);
	host_sums_idle(&sums, HOST_IDLE_COUNT);
	add(&sums, &windows, 4 * S, POWER, 700);
	assert_near(host_sum_idle(sum, HOST_IDLE_BEFORE), 71);
	assert_true(isnan(host_sum_idle(sum, HOST_IDLE_AFTER)));
	/* a new reading of the idle state starts again, and leaves the other one as it is */
	host_sums_idle(&sums, HOST_IDLE_AFTER);
	add(&sums, &windows, 5 * S, POWER, 300);
	host_sums_idle(&sums, HOST_IDLE_AFTER);
	add(&sums, &windows, 6 * S, POWER, 83);
	add(&sums, &windows, 7 * S, POWER, 80);
	add(&sums, &windows, 8 * S, POWER, 80);
	assert_near(host_sum_idle(sum, HOST_IDLE_AFTER), 81);
	assert_near(host_sum_idle(sum, HOST_IDLE_BEFORE), 71);
	host_windows_done(&windows);
}

static void test_host_telemetry_sums__at_rest_is_level_and_where_it_was(void **state)
{
	static const struct {
		double before[2];
		double after[3];
		bool rest;
	} cases[] = {
		{ { 70, 70 }, { 70, 70, 70 }, true },
		{ { 70, 70 }, { 60, 61, 60 }, true },
		/* by 3 % or 2 W level */
		{ { 100, 100 }, { 100, 103, 100 }, true },
		{ { 100, 100 }, { 100, 103.1, 100 }, false },
		{ { 20, 20 }, { 20, 22, 20 }, true },
		{ { 20, 20 }, { 20, 22.1, 20 }, false },
		/* by 10 % or 2 W where it was */
		{ { 60, 80 }, { 77, 77, 77 }, true },
		{ { 60, 80 }, { 77.1, 77.1, 77.1 }, false },
		{ { 9, 11 }, { 12, 12, 12 }, true },
		{ { 9, 11 }, { 12.1, 12.1, 12.1 }, false },
		/* values that were not reported */
		{ { NAN, NAN }, { 500, 500, 500 }, true },
		{ { 70, NAN }, { 70, 70, 70 }, true },
		{ { 70, 70 }, { NAN, 70, 70 }, false },
		{ { 70, 70 }, { NAN, NAN, 70 }, false },
		{ { 70, 70 }, { NAN, NAN, NAN }, false },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		struct host_windows windows = { 0 };
		struct host_sums sums;
		host_sums_init(&sums, HOST_SOURCE_gpu, 10 * S);
		host_sums_idle(&sums, HOST_IDLE_BEFORE);
		for (int64_t k = 0; k < 2; k++)
			add(&sums, &windows, k * S, POWER, cases[i].before[k]);
		host_sums_idle(&sums, HOST_IDLE_AFTER);
		for (int64_t k = 0; k < 3; k++)
			add(&sums, &windows, (2 + k) * S, POWER, cases[i].after[k]);
		if (host_power_is_at_rest(host_sums_get(&sums, POWER)) != cases[i].rest)
			fail_msg("case %zu", i);
	}
}

static void test_host_telemetry_sums__without_a_window_nothing_is_known(void **state)
{
	(void)state;
	struct host_windows windows = { 0 };
	struct host_sums sums;

	host_sums_init(&sums, HOST_SOURCE_gpu, 10 * S);
	add(&sums, &windows, 0, POWER, 70);
	add(&sums, &windows, S, POWER, 72);
	const struct host_sum *sum = host_sums_get(&sums, POWER);
	assert_true(isnan(host_windows_length_s(&windows)));
	assert_true(isnan(host_sum_mean(sum, &windows)) && isnan(host_sum_total(sum, &windows)));
	assert_near(sum->highest, 72);
	assert_false(host_windows_hold(&windows, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_host_telemetry_sums__rows_of_a_source_are_adjacent),
		cmocka_unit_test(test_host_telemetry_sums__edges_are_interpolated),
		cmocka_unit_test(test_host_telemetry_sums__a_window_between_two_samples),
		cmocka_unit_test(test_host_telemetry_sums__a_level_that_vanishes),
		cmocka_unit_test(test_host_telemetry_sums__a_stall_is_a_gap),
		cmocka_unit_test(test_host_telemetry_sums__a_counter_that_falls_is_a_gap),
		cmocka_unit_test(test_host_telemetry_sums__a_counter_that_vanishes),
		cmocka_unit_test(test_host_telemetry_sums__a_rate_holds_since_the_sample_before),
		cmocka_unit_test(test_host_telemetry_sums__reasons_are_counted_one_by_one),
		cmocka_unit_test(test_host_telemetry_sums__idle_is_what_the_caller_marks),
		cmocka_unit_test(test_host_telemetry_sums__at_rest_is_level_and_where_it_was),
		cmocka_unit_test(test_host_telemetry_sums__without_a_window_nothing_is_known),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
