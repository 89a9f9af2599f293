#include "result/intervals.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/stats.h"

#define S INT64_C(1000000000)

static void test_result_intervals__windows_are_twice_as_long_as_a_request(void **state)
{
	(void)state;
	/* 10 s, and what requests took on average */
	static const struct {
		double mean_s;
		unsigned wanted;
	} rows[] = { { 0.1, 20 }, { 0.25, 20 }, { 0.26, 19 }, { 0.5, 10 },
		     { 1, 5 },    { 9, 5 },     { 0, 20 } };

	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++) {
		struct res_windows windows = res_windows_of(5 * S, 15 * S, rows[i].mean_s * 7e9, 7);
		assert_int_equal(windows.count, rows[i].wanted);
		assert_int_equal(res_windows_at(&windows, 5 * S), 0);
		assert_int_equal(res_windows_at(&windows, 15 * S), rows[i].wanted - 1);
		assert_int_equal(res_windows_at(&windows, 0), 0);
		assert_int_equal(res_windows_at(&windows, 99 * S), rows[i].wanted - 1);
	}
	struct res_windows none = res_windows_of(5 * S, 5 * S, 0, 1);
	assert_int_equal(res_windows_at(&none, 5 * S), 0);
}

/* Samples of `requests` requests, each of which has `each`, one after the other in time. */
struct made {
	double x[4000];
	double sorted[4000];
	unsigned char windows[4000];
	size_t ends[2000];
	struct res_series series;
};

static void make(struct made *made, size_t requests, size_t each)
{
	size_t n = requests * each;

	for (size_t i = 0; i < n; i++) {
		made->windows[i] = (unsigned char)(i * RES_WINDOWS_MAX / n);
		made->sorted[i] = made->x[i];
	}
	for (size_t i = 0; i < requests; i++)
		made->ends[i] = (i + 1) * each;
	pl_stats_sort(made->sorted, n);
	made->series = (struct res_series){ made->x,    made->windows, n,
					    made->ends, requests,      RES_WINDOWS_MAX };
}

static void assert_interval(const struct made *made, double percentile, double low, double high)
{
	struct res_interval interval = { NAN, NAN };

	assert_true(res_interval_of_percentile(&made->series, made->sorted, percentile, &interval));
	if (!(fabs(interval.low - low) < 1e-12 && fabs(interval.high - high) < 1e-12))
		fail_msg("found %g to %g", interval.low, interval.high);
}

/* 0.618… goes round the circle as evenly as can be: no window has more than its share of what is low. */
static void test_result_intervals__even_samples_count_each(void **state)
{
	static struct made made;

	(void)state;
	for (size_t i = 0; i < 100; i++)
		made.x[(i * 61) % 100] = (double)(i + 1);
	make(&made, 100, 1);
	/* binomial (100, 1/2): 40 and 61 */
	assert_interval(&made, 50, 40, 61);
}

static void test_result_intervals__samples_that_are_alike_count_once(void **state)
{
	static struct made made;

	(void)state;
	/* each request's 20 are one */
	for (size_t i = 0; i < 100; i++) {
		for (size_t k = 0; k < 20; k++)
			made.x[(i * 61) % 100 * 20 + k] = (double)(i + 1);
	}
	make(&made, 100, 20);
	struct res_interval interval;
	assert_true(res_interval_of_percentile(&made.series, made.sorted, 50, &interval));
	/* t(0.975, 19) in place of 1.96 makes 87 of 100 */
	assert_true(interval.low <= 40 && interval.low >= 36);
	assert_true(interval.high >= 61 && interval.high <= 65);
	/* of so few as 20 nothing could be said of the 95th */
	make(&made, 20, 20);
	assert_false(res_interval_of_percentile(&made.series, made.sorted, 95, &interval));
}

/* All that is slow comes from one stall. */
static void test_result_intervals__one_stall_is_one_sample(void **state)
{
	static struct made made;
	struct res_interval interval;

	(void)state;
	for (size_t i = 0; i < 1000; i++)
		made.x[i] = i >= 400 && i < 420 ? (double)i : 1 + (double)(i % 7) / 7;
	make(&made, 1000, 1);
	assert_false(res_interval_of_percentile(&made.series, made.sorted, 99, &interval));
	/* and spread evenly they are twenty */
	for (size_t i = 0; i < 1000; i++)
		made.x[i] = i % 50 == 49 ? 9 : 1 + (double)(i % 7) / 7;
	make(&made, 1000, 1);
	assert_interval(&made, 99, 9, 9);
}

/* A stretch of fast ones and one of slow ones: as wide as two samples make it. */
static void test_result_intervals__of_a_mean_go_by_stretches(void **state)
{
	static struct made made;
	struct res_interval even, stretches;

	(void)state;
	for (size_t i = 0; i < 1000; i++)
		made.x[i] = (double)(i % 2);
	make(&made, 1000, 1);
	assert_true(res_interval_of_mean(&made.series, 0.5, &even));
	/* t(0.975, 19) √(1000/4) / 1000: the requests' own, for the windows are all alike */
	assert_true(fabs(even.high - 0.5 - 2.093024054408263 * sqrt(250) / 1000) < 1e-9);
	for (size_t i = 0; i < 1000; i++)
		made.x[i] = (double)(i / 250 % 2);
	make(&made, 1000, 1);
	assert_true(res_interval_of_mean(&made.series, 0.5, &stretches));
	assert_true(stretches.high - stretches.low > 7 * (even.high - even.low));
	assert_true(fabs(stretches.high + stretches.low - 1) < 1e-9);
}

static void test_result_intervals__too_few_have_none(void **state)
{
	static struct made made;
	struct res_interval interval;

	(void)state;
	for (size_t i = 0; i < 4000; i++)
		made.x[i] = (double)(i * 7 % 13);
	make(&made, RES_MEAN_REQUESTS_MIN - 1, 1);
	assert_false(res_interval_of_mean(&made.series, 6, &interval));
	assert_false(res_interval_of_percentile(&made.series, made.sorted, 99, &interval));
	assert_false(res_interval_of_percentile(&made.series, made.sorted, 0, &interval));
	assert_false(res_interval_of_percentile(&made.series, made.sorted, 100, &interval));
	make(&made, RES_GAP_REQUESTS_MIN - 1, 100);
	assert_false(res_interval_of_percentile(&made.series, made.sorted, 50, &interval));
	make(&made, RES_GAP_REQUESTS_MIN, 100);
	assert_true(res_interval_of_percentile(&made.series, made.sorted, 50, &interval));
	make(&made, 0, 0);
	assert_false(res_interval_of_percentile(&made.series, made.sorted, 50, &interval));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_result_intervals__windows_are_twice_as_long_as_a_request),
		cmocka_unit_test(test_result_intervals__even_samples_count_each),
		cmocka_unit_test(test_result_intervals__samples_that_are_alike_count_once),
		cmocka_unit_test(test_result_intervals__one_stall_is_one_sample),
		cmocka_unit_test(test_result_intervals__of_a_mean_go_by_stretches),
		cmocka_unit_test(test_result_intervals__too_few_have_none),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
