/* Histograms of Prometheus pages: differences, and limits that contain the truth. */
#include "base/buckets.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/mem.h"
#include "base/rng.h"

static const double bounds[] = { 0.5, 1, 2, 5 };

static struct pl_buckets make(const double *x, size_t n)
{
	struct pl_buckets buckets = { .count = (double)n };

	for (size_t i = 0; i < PL_ARRAY_SIZE(bounds); i++) {
		double total = 0;
		for (size_t k = 0; k < n; k++)
			total += x[k] <= bounds[i];
		pl_buckets_add(&buckets, bounds[i], total);
	}
	for (size_t k = 0; k < n; k++)
		buckets.sum += x[k];
	return buckets;
}

static void test_base_buckets__series_add_up(void **state)
{
	struct pl_buckets buckets = { 0 };

	(void)state;
	pl_buckets_add(&buckets, 2, 5);
	pl_buckets_add(&buckets, 1, 3);
	pl_buckets_add(&buckets, 2, 4);
	pl_buckets_add(&buckets, 3, 9);
	assert_int_equal(buckets.size, 3);
	assert_true(buckets.bounds[0] == 1 && buckets.bounds[1] == 2 && buckets.bounds[2] == 3);
	assert_true(buckets.totals[0] == 3 && buckets.totals[1] == 9 && buckets.totals[2] == 9);
	for (size_t i = 0; i < 2 * PL_BUCKETS_MAX; i++)
		pl_buckets_add(&buckets, (double)(i + 10), 1);
	assert_int_equal(buckets.size, PL_BUCKETS_MAX);
}

static void test_base_buckets__the_difference(void **state)
{
	static const double early[] = { 0.1, 3 }, all[] = { 0.1, 3, 0.2, 9 };
	struct pl_buckets before = make(early, 2), after = make(all, 4), none = { 0 }, between;

	(void)state;
	assert_true(pl_buckets_between(&before, &after, &between));
	assert_true(between.count == 2 && fabs(between.sum - 9.2) < 1e-12);
	assert_true(between.totals[0] == 1 && between.totals[3] == 1);
	/* a page from before the first observation may lack the histogram */
	assert_true(pl_buckets_between(&none, &after, &between));
	assert_true(between.count == 4);
	/* the server restarted */
	assert_false(pl_buckets_between(&after, &before, &between));
	assert_false(pl_buckets_between(&after, &none, &between));
	/* not a histogram */
	struct pl_buckets odd = after;
	odd.totals[3] = 99;
	assert_false(pl_buckets_between(&before, &odd, &between));
	odd = after;
	odd.bounds[0] = 0.4;
	assert_false(pl_buckets_between(&before, &odd, &between));
	odd = after;
	odd.sum = NAN;
	assert_false(pl_buckets_between(&before, &odd, &between));
	odd = after;
	odd.count = 4.5;
	assert_false(pl_buckets_between(&before, &odd, &between));
}

static void assert_quantile(const struct pl_buckets *buckets, double q, double low, double high)
{
	struct pl_range limits = pl_buckets_quantile(buckets, q);

	assert_true(limits.low == low && limits.high == high);
}

static void test_base_buckets__quantiles(void **state)
{
	static const double x[] = { 0.3, 0.7, 1.5, 7 };
	struct pl_buckets buckets = make(x, 4), none = { 0 };

	(void)state;
	assert_quantile(&buckets, 0, 0, 0.5);
	assert_quantile(&buckets, 0.25, 0, 0.5);
	assert_quantile(&buckets, 0.5, 0.5, 1);
	assert_quantile(&buckets, 0.75, 1, 2);
	assert_quantile(&buckets, 0.99, 5, INFINITY);
	assert_true(isnan(pl_buckets_quantile(&none, 0.5).low));
}

static void test_base_buckets__subsets(void **state)
{
	static const double x[] = { 0.3, 0.7, 1.5, 7 };
	struct pl_buckets buckets = make(x, 4);

	(void)state;
	struct pl_range all = pl_buckets_subset(&buckets, 4);
	assert_true(all.low == buckets.sum && all.high == buckets.sum);
	/* three of them: the sum without the largest, or without the smallest of [0, 0.5] */
	struct pl_range three = pl_buckets_subset(&buckets, 3);
	assert_true(three.low == 0 + 0.5 + 1 && three.high == buckets.sum - 0);
	assert_true(isnan(pl_buckets_subset(&buckets, 5).low));
	struct pl_range none = pl_buckets_subset(&buckets, 0);
	assert_true(none.low == 0 && none.high == 0);
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The smallest and the largest sum of n observations lie within the limits. */
static void test_base_buckets__limits_hold_every_subset(void **state)
{
	struct pl_nplegacy rng;

	(void)state;
	pl_nplegacy_seed(&rng, 17);
	for (int round = 0; round < 2000; round++) {
		double x[40];
		size_t n = 1 + (size_t)(pl_nplegacy_double(&rng) * 39);
		for (size_t i = 0; i < n; i++)
			x[i] = pow(10, pl_nplegacy_double(&rng) * 3 - 2);
		struct pl_buckets buckets = make(x, n);
		qsort(x, n, sizeof(x[0]), ascending);
		size_t some = (size_t)(pl_nplegacy_double(&rng) * (double)(n + 1));
		double least = 0, most = 0;
		for (size_t i = 0; i < some; i++) {
			least += x[i];
			most += x[n - 1 - i];
		}
		struct pl_range limits = pl_buckets_subset(&buckets, (double)some);
		assert_true(limits.low <= least + 1e-9 && most <= limits.high + 1e-9);
		struct pl_range median = pl_buckets_quantile(&buckets, 0.5);
		double middle = x[(n + 1) / 2 - 1];
		assert_true(median.low <= middle && middle <= median.high);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_base_buckets__series_add_up),
		cmocka_unit_test(test_base_buckets__the_difference),
		cmocka_unit_test(test_base_buckets__quantiles),
		cmocka_unit_test(test_base_buckets__subsets),
		cmocka_unit_test(test_base_buckets__limits_hold_every_subset),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
