#include "result/change/rank.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/rng.h"

#define Z_95 1.959963984540054

static int compare_numbers(const void *a, const void *b)
{
	const double *one = a, *other = b;

	return (*one > *other) - (*one < *other);
}

static bool is_same(double a, double b)
{
	return !(a < b) && !(a > b) && isnan(a) == isnan(b);
}

/* is_rounded: with many ties, also between differences. */
static double *sample_new(struct pl_nplegacy *rng, size_t count, bool is_rounded)
{
	double *sample = pl_alloc_array(count, sizeof(*sample));

	for (size_t i = 0; i < count; i++) {
		double number = 3 * pl_nplegacy_gauss(rng);
		sample[i] = is_rounded ? round(number) : number;
	}
	return sample;
}

/* The same from all differences. The interval: the normal approximation of Mann and Whitney. */
static void check_shift(struct pl_nplegacy *rng, size_t m, size_t k, bool is_rounded)
{
	auto_free double *before = sample_new(rng, m, is_rounded);
	auto_free double *after = sample_new(rng, k, is_rounded);
	auto_free double *all = pl_alloc_array(m * k, sizeof(*all));
	size_t n = m * k, at = 0;

	for (size_t i = 0; i < m; i++)
		for (size_t j = 0; j < k; j++)
			all[at++] = after[j] - before[i];
	qsort(all, n, sizeof(*all), compare_numbers);
	double middle = n % 2 == 1 ? all[n / 2] : (all[n / 2 - 1] + all[n / 2]) / 2;
	size_t beyond = (size_t)floor((double)n / 2 -
				      Z_95 * sqrt((double)n * (double)(m + k + 1) / 12));
	struct res_rank_shift found = res_rank_shift(before, m, after, k);
	assert_true(is_same(found.shift, middle));
	assert_true(is_same(found.interval.low, all[beyond - 1]));
	assert_true(is_same(found.interval.high, all[n - beyond]));
}

static void test_result_change_rank__shift_equals_that_of_all_differences(void **state)
{
	/* on both sides of the number of pairs from which differences are counted */
	static const size_t sizes[][2] = { { 25, 40 },   { 100, 100 }, { 100, 101 },
					   { 101, 101 }, { 3, 5000 },  { 300, 257 } };
	struct pl_nplegacy rng;

	(void)state;
	pl_nplegacy_seed(&rng, 1);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		check_shift(&rng, sizes[i][0], sizes[i][1], false);
		check_shift(&rng, sizes[i][0], sizes[i][1], true);
	}
}

/* All differences would take 20 GB. */
static void test_result_change_rank__shift_of_large_samples(void **state)
{
	enum { COUNT = 50000 };
	auto_free double *before = pl_alloc_array(COUNT, sizeof(*before));
	auto_free double *after = pl_alloc_array(COUNT, sizeof(*after));

	(void)state;
	for (size_t i = 0; i < COUNT; i++) {
		before[i] = (double)(i * 7919 % COUNT);
		after[i] = before[i] + 100;
	}
	struct res_rank_shift found = res_rank_shift(before, COUNT, after, COUNT);
	assert_true(is_same(found.shift, 100));
	assert_true(found.interval.low < 0 && found.interval.high > 200);
	assert_true(is_same(found.interval.high - 100, 100 - found.interval.low));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_result_change_rank__shift_equals_that_of_all_differences),
		cmocka_unit_test(test_result_change_rank__shift_of_large_samples),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
