#include "query/facets/histogram.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/mem.h"
#include "base/rng.h"

#define NUMBERS_MAX 400

static const struct {
	const char *what;
	double numbers[32]; /* until a NaN */
	double edges[QUERY_HISTOGRAM_BINS_MAX + 1];
} cases
	[] = {
		{ "whole ones that lie close have a bin each",
		  { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, NAN },
		  { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, NAN } },
		{ "steps of tens",
		  { 3, 40, 55, 61, 70, 88, 95, 100, 120, 133, 151, 160, 171, NAN },
		  { 0,   10,  20,  30,  40,  50,  60,  70,  80,  90,
		    100, 110, 120, 130, 140, 150, 160, 170, 180, NAN } },
		{ "parts are the doubles that are shown",
		  { 0.0, 0.11, 0.12, 0.13, 0.21, 0.22, 0.23, 0.31, 0.32, 0.33, 0.34, 0.35, 1.0,
		    NAN },
		  { 0,    0.05, 0.1,  0.15, 0.2,  0.25, 0.3,  0.35, 0.4,  0.45, 0.5,
		    0.55, 0.6,  0.65, 0.7,  0.75, 0.8,  0.85, 0.9,  0.95, 1,    NAN } },
		{ "below and above zero",
		  { -1.5, -1, -0.5, 0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, NAN },
		  { -1.5, -1.4, -1.3, -1.2, -1.1, -1,  -0.9, -0.8, -0.7, -0.6, -0.5, -0.4, -0.3,
		    -0.2, -0.1, 0,    0.1,  0.2,  0.3, 0.4,  0.5,  0.6,  0.7,  0.8,  0.9,  NAN } },
		{ "context lengths",
		  { 1024, 1025, 2048, 2049, 4096, 4097, 8192, 8193, 16384, 16385, 32768, 65536,
		    131072, NAN },
		  { 1000, 2000, 5000, 10000, 20000, 50000, 100000, 200000, NAN } },
		{ "zero has a bin of its own",
		  { 0, 0.001, 0.002, 0.003, 0.004, 0.005, 0.006, 0.007, 0.01, 0.1, 0.2, 1, 60,
		    NAN },
		  { 0, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50,
		    100, NAN } },
		{ "nine decades have three bins each",
		  { 1, 2, 3, 4, 5, 6, 7, 8, 9, 60000000, NAN },
		  { 1,    2,    5,    10,    20,    50,    100,    200,    500,
		    1000, 2000, 5000, 10000, 20000, 50000, 100000, 200000, 500000,
		    1e6,  2e6,  5e6,  1e7,   2e7,   5e7,   1e8,    NAN } },
		{ "twelve decades have one each",
		  { 1, 2, 3, 4, 5, 6, 7, 8, 9, 60000000000, NAN },
		  { 1, 10, 100, 1000, 10000, 100000, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, NAN } },
		{ "the greatest doubles",
		  { -DBL_MAX, -1, 0, 1, DBL_MAX, NAN },
		  { -DBL_MAX, -1.6e308, -1.4e308, -1.2e308, -1e308,  -8e307, -6e307,
		    -4e307,   -2e307,   0,        2e307,    4e307,   6e307,  8e307,
		    1e308,    1.2e308,  1.4e308,  1.6e308,  DBL_MAX, NAN } },
		{ "where doubles are too coarse for steps one bin is all",
		  { 1e16, 10000000000000002, 10000000000000004, NAN },
		  { 1e16, 10000000000000004, NAN } },
	};

static size_t count_of(const double *numbers)
{
	size_t count = 0;

	while (!isnan(numbers[count]))
		count++;
	return count;
}

static void test_query_facets_histogram__has_edges_that_read_well(void **state)
{
	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		struct query_counted numbers[32];
		struct query_histogram histogram;
		size_t count = count_of(cases[i].numbers);
		for (size_t k = 0; k < count; k++)
			numbers[k] = (struct query_counted){ cases[i].numbers[k], 1 };
		query_histogram(numbers, count, NULL, &histogram);
		size_t bins = count_of(cases[i].edges) - 1;
		bool is_right = histogram.bins == bins;
		for (size_t k = 0; is_right && k <= bins; k++)
			is_right = !(histogram.edges[k] < cases[i].edges[k]) &&
				   !(histogram.edges[k] > cases[i].edges[k]);
		for (size_t k = 0; !is_right && k <= histogram.bins; k++)
			print_message("%.17g ", histogram.edges[k]);
		if (!is_right)
			fail_msg("%s", cases[i].what);
	}
}

/* Some shape, of any size: also of the least and greatest doubles. */
static double random_number(struct pl_pyrandom *rng, int shape, double scale)
{
	double unit = pl_pyrandom_random(rng);

	switch (shape) {
	case 0:
		return unit * scale;
	case 1:
		return (unit - 0.5) * scale;
	case 2:
		return exp(log(DBL_MAX) * (unit * 2 - 1));
	case 3:
		return floor(unit * 40) + scale;
	case 4:
		return floor(-log(1 - unit) * scale);
	default:
		return (unit < 0.5 ? -1 : 1) * exp(700 * pl_pyrandom_random(rng));
	}
}

static void check_bins(const struct query_counted *numbers, size_t count)
{
	struct query_histogram histogram;
	size_t all = 0, in_bins = 0;

	query_histogram(numbers, count, NULL, &histogram);
	assert_true(histogram.bins >= 1 && histogram.bins <= QUERY_HISTOGRAM_BINS_MAX);
	for (size_t i = 0; i < histogram.bins; i++) {
		size_t wanted = 0;
		bool is_last = i + 1 == histogram.bins;
		assert_true(histogram.edges[i] < histogram.edges[i + 1]);
		for (size_t k = 0; k < count; k++) {
			double x = numbers[k].number;
			if (x >= histogram.edges[i] && (x < histogram.edges[i + 1] ||
							(is_last && x <= histogram.edges[i + 1])))
				wanted += numbers[k].count;
		}
		assert_int_equal(histogram.counts[i], wanted);
		in_bins += wanted;
	}
	for (size_t k = 0; k < count; k++)
		all += numbers[k].count;
	assert_int_equal(in_bins, all);
}

/* Some values in a list and the others rising, with missing values among them. */
static void check_rising(struct pl_pyrandom *rng, const struct query_counted *numbers, size_t count)
{
	struct query_histogram wanted, found;
	struct query_counted list[NUMBERS_MAX];
	double rising[2 * NUMBERS_MAX];
	uint32_t counts[2 * NUMBERS_MAX];
	size_t listed = 0, risen = 0;
	bool are_whole = true;

	for (size_t i = 0; i < count; i++) {
		double number = numbers[i].number;
		if (pl_pyrandom_below(rng, 4) == 0) {
			list[listed++] = numbers[i];
			continue;
		}
		if (risen > 0 && number - 0.5 > rising[risen - 1]) {
			rising[risen] = number - 0.5;
			counts[risen++] = 0;
		}
		are_whole = are_whole && fabs(number) < 9e15 && floor(number) >= number;
		rising[risen] = number;
		counts[risen++] = (uint32_t)numbers[i].count;
	}
	query_histogram(numbers, count, NULL, &wanted);
	const struct query_rising all = { rising, counts, risen, are_whole };
	query_histogram(list, listed, &all, &found);
	assert_memory_equal(&found, &wanted, sizeof(found));
}

static int compare_numbers(const void *a, const void *b)
{
	const struct query_counted *one = a, *other = b;

	return (one->number > other->number) - (one->number < other->number);
}

static void test_query_facets_histogram__holds_each_number_once(void **state)
{
	struct pl_pyrandom rng;

	(void)state;
	pl_pyrandom_seed(&rng, 7);
	for (int round = 0; round < 600; round++) {
		struct query_counted numbers[NUMBERS_MAX];
		size_t count = 2 + pl_pyrandom_below(&rng, NUMBERS_MAX - 2), different = 1;
		double scale = pow(10, (double)pl_pyrandom_below(&rng, 600) - 300);
		for (size_t i = 0; i < count; i++)
			numbers[i] = (struct query_counted){ random_number(&rng, round % 6, scale),
							     1 + pl_pyrandom_below(&rng, 5) };
		qsort(numbers, count, sizeof(*numbers), compare_numbers);
		for (size_t i = 1; i < count; i++) {
			if (numbers[i].number > numbers[different - 1].number)
				numbers[different++] = numbers[i];
		}
		if (different > 1) {
			check_bins(numbers, different);
			check_rising(&rng, numbers, different);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_query_facets_histogram__has_edges_that_read_well),
		cmocka_unit_test(test_query_facets_histogram__holds_each_number_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
