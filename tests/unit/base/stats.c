/*
 * Statistics against vLLM's published figures and against numpy 2.3, bit for bit. (numpy 1.24 adds
 * beyond 8,192 values in blocks of its buffer and differs there in the last digit.)
 */
#include "base/stats.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/mem.h"

static void assert_f64(double found, double expected)
{
	if (memcmp(&found, &expected, sizeof(found)) != 0)
		fail_msg("found %.17g, expected %.17g", found, expected);
}

static void test_base_stats__published_small(void **state)
{
	double x[] = { 3, 1, 4, 1, 5, 9, 2, 6 };

	(void)state;
	assert_f64(pl_stats_std(x, 8), 2.5708704751503917);
	pl_stats_sort(x, 8);
	assert_f64(pl_stats_percentile_sorted(x, 8, 90), 6.8999999999999995);
	assert_f64(pl_stats_percentile_sorted(x, 8, 99), 8.79);
	assert_f64(pl_stats_median_sorted(x, 8), 3.5);
}

static void test_base_stats__published_tenths(void **state)
{
	double x[10];

	(void)state;
	for (int i = 0; i < 10; i++)
		x[i] = 0.1 * (i + 1);
	assert_f64(pl_stats_mean(x, 10), 0.55);
	assert_f64(pl_stats_std(x, 10), 0.2872281323269014);
	assert_f64(pl_stats_percentile_sorted(x, 10, 1), 0.109);
	assert_f64(pl_stats_percentile_sorted(x, 10, 25), 0.32500000000000007);
	assert_f64(pl_stats_percentile_sorted(x, 10, 99.9), 0.9991000000000001);
}

static void test_base_stats__published_reciprocals(void **state)
{
	double x[300];

	(void)state;
	for (int k = 1; k <= 300; k++)
		x[k - 1] = 1.0 / k;
	assert_f64(pl_stats_mean(x, 300), 0.02094221293433168);
	assert_f64(pl_stats_std(x, 300), 0.07094677343195521);
	pl_stats_sort(x, 300);
	assert_f64(pl_stats_percentile_sorted(x, 300, 55), 0.007377450980392158);
}

/* The share is divided before it is multiplied: h is 55.00000000000001, not 55. */
static void test_base_stats__percentile_rounds_as_numpy(void **state)
{
	double x[101];

	(void)state;
	for (int i = 0; i <= 100; i++)
		x[i] = i < 56 ? 0 : 1e9;
	assert_true(pl_stats_percentile_sorted(x, 101, 55) > 0);
	assert_true(pl_stats_percentile_sorted(x, 101, 54) == 0);
}

static void test_base_stats__no_data(void **state)
{
	(void)state;
	assert_true(isnan(pl_stats_mean(NULL, 0)));
	assert_true(isnan(pl_stats_std(NULL, 0)));
	assert_true(isnan(pl_stats_median_sorted(NULL, 0)));
	assert_true(isnan(pl_stats_percentile_sorted(NULL, 0, 50)));
	assert_f64(pl_stats_sum(NULL, 0), 0);
}

static void test_base_stats__percentile_out_of_range_is_nan(void **state)
{
	static const double bad[] = { -0.001, 100.001, INFINITY, NAN };
	double x[] = { 1, 2 };

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(bad); i++)
		assert_true(isnan(pl_stats_percentile_sorted(x, 2, bad[i])));
	assert_f64(pl_stats_percentile_sorted(x, 2, 0), 1);
	assert_f64(pl_stats_percentile_sorted(x, 2, 100), 2);
}

static void test_base_stats__one_value(void **state)
{
	double x = -7.25;

	(void)state;
	assert_f64(pl_stats_mean(&x, 1), x);
	assert_f64(pl_stats_std(&x, 1), 0);
	assert_f64(pl_stats_median_sorted(&x, 1), x);
	assert_f64(pl_stats_percentile_sorted(&x, 1, 99.9), x);
}

static void test_base_stats__sort_puts_nan_last(void **state)
{
	double x[] = { NAN, 2, -INFINITY, NAN, INFINITY, -1 };
	static const double expected[] = { -INFINITY, -1, 2, INFINITY };

	(void)state;
	pl_stats_sort(x, 6);
	for (size_t i = 0; i < PL_ARRAY_SIZE(expected); i++)
		assert_f64(x[i], expected[i]);
	assert_true(isnan(x[4]) && isnan(x[5]));
}

/* x[i] = (i·2654435761 mod 2^32) / 2^32 · 1000 for i = 1..n */
static const struct numpy_row {
	size_t n;
	double sum;
	double mean;
	double std;
	double median;
	uint64_t percentiles; /* folded, of the list below */
} numpy_rows[] = {
	{ 1, 0x1.350459adb4000p+9, 0x1.350459adb4000p+9, 0x0.0p+0, 0x1.350459adb4000p+9,
	  0x00ad82d673fca92fu },
	{ 2, 0x1.ab0d0d091c000p+9, 0x1.ab0d0d091c000p+8, 0x1.7df74ca498000p+7, 0x1.ab0d0d091c000p+8,
	  0xca537870378bf12fu },
	{ 3, 0x1.ab0d0d091c000p+10, 0x1.1cb35e0612aabp+9, 0x1.fd49bb455ac85p+7,
	  0x1.350459adb4000p+9, 0x8782ad880f72c92fu },
	{ 7, 0x1.9d1e73bfec000p+11, 0x1.d822cd6da0000p+8, 0x1.f8bc0caaf6314p+7,
	  0x1.d822cd6da0000p+8, 0x343c1fb9190313ecu },
	{ 8, 0x1.0993938daa000p+12, 0x1.0993938daa000p+9, 0x1.1b091a89e6611p+8,
	  0x1.108ae03242000p+9, 0x610636d4f6501e54u },
	{ 9, 0x1.2cb8787114800p+12, 0x1.0b4ea3f2bce39p+9, 0x1.0b072cc07b340p+8,
	  0x1.1927271b54000p+9, 0x6240a8c0cd474606u },
	{ 15, 0x1.bfc1412d8c000p+12, 0x1.dd9af03095555p+8, 0x1.132dd4b9d3fa0p+8,
	  0x1.d822cd6da0000p+8, 0x5f456dfc8bf47cd7u },
	{ 16, 0x1.f749f488f4000p+12, 0x1.f749f488f4000p+8, 0x1.1c6760ec1b142p+8,
	  0x1.029c46e912000p+9, 0x398dd7fcb2e5b606u },
	{ 17, 0x1.0b79998d09400p+13, 0x1.f77b7b63d52d3p+8, 0x1.13e9cf643e3e4p+8,
	  0x1.fa93e911e8000p+8, 0xba28f339ca550606u },
	{ 127, 0x1.ef287d2c4c000p+15, 0x1.f30e9a610e1c4p+8, 0x1.1ef2b2820454dp+8,
	  0x1.f27271b540000p+8, 0x2489cb26de3179b4u },
	{ 128, 0x1.f0013087b4000p+15, 0x1.f0013087b4000p+8, 0x1.1fe32ef6be54dp+8,
	  0x1.ee61b606ec000p+8, 0x247334dcdcd8152bu },
	{ 129, 0x1.f5adf549d2d00p+15, 0x1.f1ca6088c14d6p+8, 0x1.1f7af75f89af1p+8,
	  0x1.f27271b540000p+8, 0x1b686a69fde10a4du },
	{ 136, 0x1.08149eea54a00p+16, 0x1.f117c1b917c3cp+8, 0x1.2042834e1f47dp+8,
	  0x1.ee61b606ec000p+8, 0x270bfa6984f1be06u },
	{ 137, 0x1.0ab346e63f480p+16, 0x1.f25c145de47f1p+8, 0x1.1f95e9f76b695p+8,
	  0x1.f27271b540000p+8, 0x1d7883fd75ef97a7u },
	{ 255, 0x1.f28d54064c000p+16, 0x1.f481d5dc28283p+8, 0x1.2020545ea018ep+8,
	  0x1.f778cc7c68000p+8, 0x54325485fafa7d76u },
	{ 256, 0x1.f3660761b4000p+16, 0x1.f3660761b4000p+8, 0x1.201b7efde6297p+8,
	  0x1.f4f59f18d4000p+8, 0x620af62db0fed34fu },
	{ 257, 0x1.f6a8c37077680p+16, 0x1.f4b40f611651bp+8, 0x1.204d9f9be47f6p+8,
	  0x1.f778cc7c68000p+8, 0x3437dd39604bc606u },
	{ 264, 0x1.017a6dbae7500p+17, 0x1.f35a0b1ce764ep+8, 0x1.20236b69d449ap+8,
	  0x1.f4f59f18d4000p+8, 0x6448e3ef276869f5u },
	{ 1000, 0x1.e84a984397080p+18, 0x1.f402a834d4000p+8, 0x1.20a5d4af3d934p+8,
	  0x1.f3c5c0b4fc000p+8, 0x3a8aaf003ba35606u },
	{ 4097, 0x1.f42988d451b68p+20, 0x1.f40a482fceb99p+8, 0x1.20a89aa8b9f96p+8,
	  0x1.f3e93150e0000p+8, 0xe4eef3d137a50606u },
	{ 10000, 0x1.3125520801ed0p+22, 0x1.f3f36af4f4000p+8, 0x1.20a67ffbc603fp+8,
	  0x1.f3f5d33da4000p+8, 0x1332585f0d8ac4ddu },
};

static void check_numpy(const struct numpy_row *row)
{
	static const double requested[] = { 0, 1, 5, 10, 25, 50, 55, 75, 90, 95, 99, 99.9, 100 };
	auto_free double *x = pl_alloc_array(row->n, sizeof(*x));
	uint64_t hash = 14695981039346656037u;

	for (size_t i = 0; i < row->n; i++)
		x[i] = (uint32_t)((i + 1) * 2654435761u) / 4294967296.0 * 1000;
	assert_f64(pl_stats_sum(x, row->n), row->sum);
	assert_f64(pl_stats_mean(x, row->n), row->mean);
	assert_f64(pl_stats_std(x, row->n), row->std);
	pl_stats_sort(x, row->n);
	assert_f64(pl_stats_median_sorted(x, row->n), row->median);
	for (size_t i = 0; i < PL_ARRAY_SIZE(requested); i++) {
		double found = pl_stats_percentile_sorted(x, row->n, requested[i]);
		uint64_t bits;
		memcpy(&bits, &found, sizeof(bits));
		hash = (hash ^ bits) * 1099511628211u;
	}
	assert_int_equal(hash, row->percentiles);
}

static void test_base_stats__equal_numpy(void **state)
{
	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(numpy_rows); i++)
		check_numpy(&numpy_rows[i]);
}

static int ascending(const void *left, const void *right)
{
	double a = *(const double *)left, b = *(const double *)right;

	return (a > b) - (a < b);
}

/* As many as qsort() no longer sorts: times, all doubles there are, and what has no order. */
static void test_base_stats__sorts_many(void **state)
{
	enum { MANY = 20000 };
	static double x[MANY], wanted[MANY];
	uint64_t seed = 1;

	(void)state;
	for (int kind = 0; kind < 3; kind++) {
		for (size_t i = 0; i < MANY; i++) {
			seed = seed * 6364136223846793005u + 1442695040888963407u;
			double part = (double)(seed >> 11) / 9007199254740992.0;
			x[i] = kind == 0 ? 0.02 + part / 1000
			       : kind == 1
				       ? (part - 0.5) * pow(10, (double)(seed >> 40 & 511) - 256)
				       : round(part * 10) - 5;
		}
		x[7] = INFINITY;
		x[8] = -INFINITY;
		memcpy(wanted, x, sizeof(x));
		qsort(wanted, MANY, sizeof(*wanted), ascending);
		pl_stats_sort(x, MANY);
		for (size_t i = 0; i < MANY; i++)
			assert_true(x[i] == wanted[i]);
	}
	x[0] = x[MANY / 2] = NAN;
	x[9] = -NAN;
	pl_stats_sort(x, MANY);
	assert_true(x[MANY - 4] == INFINITY);
	for (size_t i = MANY - 3; i < MANY; i++)
		assert_true(isnan(x[i]));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_base_stats__published_small),
		cmocka_unit_test(test_base_stats__published_tenths),
		cmocka_unit_test(test_base_stats__published_reciprocals),
		cmocka_unit_test(test_base_stats__percentile_rounds_as_numpy),
		cmocka_unit_test(test_base_stats__no_data),
		cmocka_unit_test(test_base_stats__percentile_out_of_range_is_nan),
		cmocka_unit_test(test_base_stats__one_value),
		cmocka_unit_test(test_base_stats__sort_puts_nan_last),
		cmocka_unit_test(test_base_stats__sorts_many),
		cmocka_unit_test(test_base_stats__equal_numpy),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
