#include "result/frontier/frontier.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/rng.h"

enum { SETS = 1000, COUNT_MAX = 60, CELLS_MAX = 14 };
/* Above the number from which bits are sorted. */
enum { MANY = 1500, MANY_SETS = 6 };

/* ---- plain definitions -------------------------------------------------------------------------- */

static bool is_complete(const struct res_frontier_space *space, const double *point)
{
	for (unsigned k = 0; k < space->dimensions; k++) {
		if (isnan(point[k]))
			return false;
	}
	return true;
}

static bool is_as_good(bool higher, double a, double b)
{
	return higher ? a >= b : a <= b;
}

static bool plainly_dominates(const struct res_frontier_space *space, const double *a,
			      const double *b)
{
	bool is_better = false;

	for (unsigned k = 0; k < space->dimensions; k++) {
		if (!is_as_good(space->higher[k], a[k], b[k]))
			return false;
		is_better = is_better || !is_as_good(space->higher[k], b[k], a[k]);
	}
	return is_better;
}

static enum res_frontier_state plain_state(const struct res_frontier_space *space,
					   const double *points, size_t count, size_t at)
{
	if (!is_complete(space, points + at * space->dimensions))
		return RES_FRONTIER_INCOMPLETE;
	for (size_t i = 0; i < count; i++) {
		const double *other = points + i * space->dimensions;
		if (is_complete(space, other) &&
		    plainly_dominates(space, other, points + at * space->dimensions))
			return RES_FRONTIER_DOMINATED;
	}
	return RES_FRONTIER_ON;
}

static int compare_numbers(const void *a, const void *b)
{
	const double *one = a, *other = b;

	return (*one > *other) - (*one < *other);
}

/* Sums the cells of the grid of all coordinates whose middle some point dominates. */
static double plain_volume(const struct res_frontier_space *space, const double *points,
			   size_t count, const double *reference)
{
	double edges[3][COUNT_MAX + 1] = { { 0 }, { 0 }, { 0, 1 } }, volume = 0;
	size_t edge_count[3] = { count + 1, count + 1, 2 };

	for (unsigned k = 0; k < space->dimensions; k++) {
		edge_count[k] = count + 1;
		for (size_t i = 0; i < count; i++)
			edges[k][i] = points[i * space->dimensions + k];
		edges[k][count] = reference[k];
		qsort(edges[k], count + 1, sizeof(double), compare_numbers);
	}
	for (size_t x = 0; x + 1 < edge_count[0]; x++)
		for (size_t y = 0; y + 1 < edge_count[1]; y++)
			for (size_t z = 0; z + 1 < edge_count[2]; z++) {
				double middle[3] = { (edges[0][x] + edges[0][x + 1]) / 2,
						     (edges[1][y] + edges[1][y + 1]) / 2,
						     (edges[2][z] + edges[2][z + 1]) / 2 };
				bool is_in = false;
				for (size_t i = 0; i < count && !is_in; i++) {
					is_in = true;
					for (unsigned k = 0; k < space->dimensions; k++)
						is_in = is_in &&
							is_as_good(
								space->higher[k],
								points[i * space->dimensions + k],
								middle[k]) &&
							is_as_good(space->higher[k], middle[k],
								   reference[k]);
				}
				if (is_in)
					volume += (edges[0][x + 1] - edges[0][x]) *
						  (edges[1][y + 1] - edges[1][y]) *
						  (edges[2][z + 1] - edges[2][z]);
			}
	return volume;
}

/* ---- random sets -------------------------------------------------------------------------------- */

/* Few distinct numbers give ties and equal points; some are missing, some infinite. */
static double random_number(struct pl_nplegacy *rng, bool is_odd)
{
	double share = pl_nplegacy_double(rng);

	if (is_odd && share < 0.05)
		return NAN;
	if (is_odd && share < 0.1)
		return share < 0.075 ? INFINITY : -INFINITY;
	if (share < 0.5)
		return (double)pl_nplegacy_randint(rng, -3, 4) * (share < 0.2 ? -1 : 1);
	return pl_nplegacy_gauss(rng);
}

static struct res_frontier_space random_space(struct pl_nplegacy *rng, unsigned dimensions)
{
	struct res_frontier_space space = { .dimensions = dimensions };

	for (unsigned k = 0; k < dimensions; k++)
		space.higher[k] = pl_nplegacy_randint(rng, 0, 2) == 1;
	return space;
}

static void check_set(struct pl_nplegacy *rng, unsigned dimensions)
{
	struct res_frontier_space space = random_space(rng, dimensions);
	size_t count = (size_t)pl_nplegacy_randint(rng, 0, COUNT_MAX + 1), on = 0;
	double points[COUNT_MAX * 3];
	enum res_frontier_state states[COUNT_MAX];

	for (size_t i = 0; i < count * dimensions; i++)
		points[i] = random_number(rng, true);
	size_t found = res_frontier_find(&space, points, count, states);
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(states[i], plain_state(&space, points, count, i));
		on += states[i] == RES_FRONTIER_ON;
		for (size_t k = 0; k < count; k++)
			assert_int_equal(res_frontier_dominates(&space, points + i * dimensions,
								points + k * dimensions),
					 is_complete(&space, points + i * dimensions) &&
						 is_complete(&space, points + k * dimensions) &&
						 plainly_dominates(&space, points + i * dimensions,
								   points + k * dimensions));
	}
	assert_int_equal(found, on);
}

static void test_result_frontier__equals_the_definition(void **state)
{
	struct pl_nplegacy rng;

	(void)state;
	pl_nplegacy_seed(&rng, 1);
	for (size_t i = 0; i < SETS; i++) {
		check_set(&rng, 2);
		check_set(&rng, 3);
	}
}

/* Most points are on one plane, so no point dominates another; ties are frequent unless `is_fine`. */
static double *many_new(struct pl_nplegacy *rng, const struct res_frontier_space *space,
			bool is_fine, bool is_odd)
{
	double *points = pl_alloc_array(MANY * space->dimensions, sizeof(*points));

	for (size_t i = 0; i < MANY; i++) {
		double *point = points + i * space->dimensions, sum = 0;
		for (unsigned k = 1; k < space->dimensions; k++) {
			point[k] = is_fine ? 10 * pl_nplegacy_double(rng)
					   : (double)pl_nplegacy_randint(rng, 1, 40) / 4;
			sum += point[k];
		}
		point[0] = 21 - sum;
		for (unsigned k = 0; k < space->dimensions; k++) {
			if (!space->higher[k])
				point[k] = -point[k];
			if (is_odd && pl_nplegacy_double(rng) < 0.05)
				point[k] = random_number(rng, true);
		}
	}
	return points;
}

static void test_result_frontier__equals_the_definition_for_many_points(void **state)
{
	static enum res_frontier_state states[MANY];
	struct pl_nplegacy rng;

	(void)state;
	pl_nplegacy_seed(&rng, 2);
	for (size_t set = 0; set < MANY_SETS; set++) {
		unsigned dimensions = 2 + set % 2;
		struct res_frontier_space space = random_space(&rng, dimensions);
		auto_free double *points = many_new(&rng, &space, set < 2, set % 3 == 1);
		size_t on = 0, found = res_frontier_find(&space, points, MANY, states);
		for (size_t i = 0; i < MANY; i++) {
			assert_int_equal(states[i], plain_state(&space, points, MANY, i));
			on += states[i] == RES_FRONTIER_ON;
		}
		assert_int_equal(found, on);
		assert_true(set % 3 == 1 || found == MANY);
	}
}

/* Sums, from each height down to the next, the area of the points above it. */
static double plain_slices(double *points, size_t count)
{
	auto_free double *heights = pl_alloc_array(count + 1, sizeof(*heights));
	double volume = 0;

	qsort(points, count, 3 * sizeof(*points), compare_numbers);
	for (size_t i = 0; i < count; i++)
		heights[i] = points[3 * i + 2];
	qsort(heights, count, sizeof(*heights), compare_numbers);
	for (size_t i = 0; i < count; i++) {
		double area = 0, most = 0;
		for (size_t k = count; k > 0; k--) {
			const double *point = points + 3 * (k - 1);
			if (point[2] >= heights[i])
				most = fmax(most, point[1]);
			area += (point[0] - (k > 1 ? point[-3] : 0)) * most;
		}
		volume += area * (heights[i] - (i > 0 ? heights[i - 1] : 0));
	}
	return volume;
}

static void test_result_frontier__volume_of_many_points(void **state)
{
	const struct res_frontier_space space = { 3, { true, true, true } };
	struct pl_nplegacy rng;

	(void)state;
	pl_nplegacy_seed(&rng, 3);
	for (size_t set = 0; set < 2; set++) {
		auto_free double *points = many_new(&rng, &space, set == 0, false);
		double volume = res_frontier_hypervolume(&space, points, MANY,
							 (double[]){ 0, 0, 0 });
		assert_true(fabs(volume - plain_slices(points, MANY)) <= 1e-9 * volume);
	}
}

static void test_result_frontier__keeps_one_point_and_equal_points(void **state)
{
	const struct res_frontier_space two = { 2, { true, true } }, three = { 3, { true } };
	const double equal[] = { 1, 2, 0, 5, 1, 2, 0, 5 };
	const double worst[] = { -INFINITY, -INFINITY, INFINITY };
	enum res_frontier_state states[4];

	(void)state;
	assert_int_equal(res_frontier_find(&two, equal, 0, states), 0);
	assert_int_equal(res_frontier_find(&two, equal, 1, states), 1);
	assert_int_equal(res_frontier_find(&two, equal, 4, states), 4);
	assert_int_equal(res_frontier_find(&three, worst, 1, states), 1);
	assert_int_equal(states[0], RES_FRONTIER_ON);
	/* -0 and 0 are equal: neither dominates the other */
	assert_int_equal(res_frontier_find(&two, (double[]){ 0.0, 1, -0.0, 1 }, 2, states), 2);
}

static void check_volume(struct pl_nplegacy *rng, unsigned dimensions)
{
	struct res_frontier_space space = random_space(rng, dimensions);
	size_t count = (size_t)pl_nplegacy_randint(rng, 0, CELLS_MAX + 1);
	double points[CELLS_MAX * 3], reference[3];

	for (size_t i = 0; i < count * dimensions; i++)
		points[i] = random_number(rng, false);
	for (unsigned k = 0; k < dimensions; k++)
		reference[k] = space.higher[k] ? -2.5 : 2.5;
	double expected = plain_volume(&space, points, count, reference);
	double volume = res_frontier_hypervolume(&space, points, count, reference);
	assert_true(fabs(volume - expected) <= 1e-9 * fmax(1, expected));
}

static void test_result_frontier__volume_equals_the_sum_of_cells(void **state)
{
	struct pl_nplegacy rng;

	(void)state;
	pl_nplegacy_seed(&rng, 2);
	for (size_t i = 0; i < SETS; i++) {
		check_volume(&rng, 2);
		check_volume(&rng, 3);
	}
}

static void test_result_frontier__volume_needs_finite_numbers(void **state)
{
	const struct res_frontier_space space = { 2, { true, false } };

	(void)state;
	assert_true(res_frontier_hypervolume(&space, (double[]){ 3, 1, 2, NAN }, 2,
					     (double[]){ 1, 5 }) == 8);
	assert_true(res_frontier_hypervolume(&space, (double[]){ 1, 1 }, 1, (double[]){ 1, 5 }) ==
		    0);
	assert_true(isnan(res_frontier_hypervolume(&space, (double[]){ INFINITY, 1 }, 1,
						   (double[]){ 1, 5 })));
	assert_true(isnan(res_frontier_hypervolume(&space, (double[]){ 3, 1 }, 1,
						   (double[]){ 1, INFINITY })));
	/* an infinite point that adds nothing */
	assert_true(res_frontier_hypervolume(&space, (double[]){ 3, 1, INFINITY, 6 }, 2,
					     (double[]){ 1, 5 }) == 8);
}

static size_t knee_of(const struct res_frontier_space *space, const double *points, size_t count)
{
	enum res_frontier_state states[COUNT_MAX];

	res_frontier_find(space, points, count, states);
	return res_frontier_knee(space, points, count, states);
}

static void test_result_frontier__knee_is_furthest_from_the_line_of_the_ends(void **state)
{
	const struct res_frontier_space space = { 2, { true, false } };
	const struct res_frontier_space three = { 3, { true, true, true } };

	(void)state;
	/* (100, 10) is worse than the line in no unit of the axes */
	assert_int_equal(knee_of(&space, (double[]){ 10, 1, 90, 2, 100, 10, 50, 9 }, 4), 1);
	assert_int_equal(knee_of(&space, (double[]){ 10, 1, 100, 10 }, 2), SIZE_MAX);
	assert_int_equal(knee_of(&space, (double[]){ 0, 0, 5, 5, 10, 10 }, 3), SIZE_MAX);
	assert_int_equal(knee_of(&space, (double[]){ 0, 0, 1, 5, 10, 10 }, 3), SIZE_MAX);
	assert_int_equal(knee_of(&space, (double[]){ 10, 1, INFINITY, 2, 5, 0.5 }, 3), SIZE_MAX);
	assert_int_equal(knee_of(&three, (double[]){ 1, 0, 0, 0, 1, 0, 0, 0, 1, 0.6, 0.6, 0.6 }, 4),
			 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_result_frontier__equals_the_definition),
		cmocka_unit_test(test_result_frontier__equals_the_definition_for_many_points),
		cmocka_unit_test(test_result_frontier__volume_of_many_points),
		cmocka_unit_test(test_result_frontier__keeps_one_point_and_equal_points),
		cmocka_unit_test(test_result_frontier__volume_equals_the_sum_of_cells),
		cmocka_unit_test(test_result_frontier__volume_needs_finite_numbers),
		cmocka_unit_test(test_result_frontier__knee_is_furthest_from_the_line_of_the_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
