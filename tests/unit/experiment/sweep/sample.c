#include "experiment/sweep/sample.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"

#define ONE 4294967296.0

/* The bits of a number below 1. */
static uint32_t bits_of(double number)
{
	return (uint32_t)(number * ONE);
}

/* The seed adds the same bits to all points of a dimension: without those of point 0 any seed gives the plain sequence. */
static void sobol_points_are_the_known_ones(void **state)
{
	static const double known[][3] = {
		{ 0, 0, 0 },          { 0.5, 0.5, 0.5 },       { 0.75, 0.25, 0.25 },
		{ 0.25, 0.75, 0.75 }, { 0.375, 0.375, 0.625 }, { 0.875, 0.875, 0.125 },
	};

	(void)state;
	for (uint64_t seed = 0; seed < 3; seed++) {
		auto_free double *points = exp_sample_points(EXP_SAMPLE_SOBOL, PL_ARRAY_SIZE(known),
							     3, seed);
		for (size_t i = 0; i < PL_ARRAY_SIZE(known); i++) {
			for (size_t d = 0; d < 3; d++)
				assert_int_equal(bits_of(points[i * 3 + d]) ^ bits_of(points[d]),
						 bits_of(known[i][d]));
		}
	}
}

/* How many of the points are in each slice of a dimension; true if it is one in every slice. */
static bool has_one_in_each(const double *points, size_t count, size_t dimensions, size_t d)
{
	auto_free bool *seen = pl_alloc_array(count, sizeof(*seen));

	for (size_t i = 0; i < count; i++) {
		double at = points[i * dimensions + d];
		assert_true(at >= 0 && at < 1);
		size_t slice = (size_t)(at * (double)count);
		if (seen[slice])
			return false;
		seen[slice] = true;
	}
	return true;
}

static void every_slice_has_one_point(void **state)
{
	static const struct {
		enum exp_sample_method method;
		size_t count;
	} cases[] = {
		{ EXP_SAMPLE_SOBOL, 2 },           { EXP_SAMPLE_SOBOL, 64 },
		{ EXP_SAMPLE_SOBOL, 4096 },        { EXP_SAMPLE_LATIN_HYPERCUBE, 1 },
		{ EXP_SAMPLE_LATIN_HYPERCUBE, 7 }, { EXP_SAMPLE_LATIN_HYPERCUBE, 100 },
	};
	const size_t dimensions = EXP_SAMPLE_DIMENSIONS_MAX;

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		auto_free double *points = exp_sample_points(cases[i].method, cases[i].count,
							     dimensions, 11);
		for (size_t d = 0; d < dimensions; d++)
			assert_true(has_one_in_each(points, cases[i].count, dimensions, d));
	}
}

static void seeds_give_different_points(void **state)
{
	(void)state;
	for (int method = 0; method < EXP_SAMPLE_METHOD_COUNT; method++) {
		auto_free double *one = exp_sample_points(method, 8, 2, 1);
		auto_free double *same = exp_sample_points(method, 8, 2, 1);
		auto_free double *other = exp_sample_points(method, 8, 2, 2);
		assert_memory_equal(one, same, 16 * sizeof(*one));
		assert_memory_not_equal(one, other, 16 * sizeof(*one));
	}
	assert_string_equal(exp_sample_name(EXP_SAMPLE_SOBOL), "sobol");
	assert_string_equal(exp_sample_name(EXP_SAMPLE_LATIN_HYPERCUBE), "latin_hypercube");
	assert_string_equal(exp_sample_name(EXP_SAMPLE_RANDOM), "random");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sobol_points_are_the_known_ones),
		cmocka_unit_test(every_slice_has_one_point),
		cmocka_unit_test(seeds_give_different_points),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
