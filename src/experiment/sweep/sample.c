/*
 * Random numbers are those of Python's `random`, so that anyone can reproduce the points. Sobol's
 * sequence: in each dimension the bits of a point's number select direction numbers, which are
 * combined by XOR. They follow from a primitive polynomial over GF(2) and a few odd initial
 * numbers; these are those of Joe and Kuo (2008), the usual choice. Then all points are XORed with
 * the same random numbers from the seed: this preserves their uniformity, and point 0 is not a
 * corner.
 */
#include "experiment/sweep/sample.h"

#include "base/mem.h"
#include "base/rng.h"

#define SOBOL_BITS       32
#define SOBOL_DEGREE_MAX 6

const char *exp_sample_name(enum exp_sample_method method)
{
	static const char *const names[] = {
		[EXP_SAMPLE_RANDOM] = "random",
		[EXP_SAMPLE_LATIN_HYPERCUBE] = "latin_hypercube",
		[EXP_SAMPLE_SOBOL] = "sobol",
	};

	return names[method];
}

static void fill_random(struct pl_pyrandom *rng, size_t count, size_t dimensions, double *points)
{
	for (size_t i = 0; i < count * dimensions; i++)
		points[i] = pl_pyrandom_random(rng);
}

/* Dimension by dimension: the slices in a random order, and a random place in each. */
static void fill_latin(struct pl_pyrandom *rng, size_t count, size_t dimensions, double *points)
{
	auto_free size_t *slices = pl_alloc_array(count, sizeof(*slices));

	for (size_t d = 0; d < dimensions; d++) {
		for (size_t i = 0; i < count; i++)
			slices[i] = i;
		pl_pyrandom_shuffle(rng, slices, count, sizeof(*slices));
		for (size_t i = 0; i < count; i++)
			points[i * dimensions + d] = ((double)slices[i] + pl_pyrandom_random(rng)) /
						     (double)count;
	}
}

/* Rows for the dimensions after the first, whose direction numbers are the powers of two. */
static const struct sobol_row {
	unsigned degree;
	unsigned inner; /* the polynomial's coefficients except the first and the last, as bits */
	uint32_t first[SOBOL_DEGREE_MAX];
} sobol_rows[EXP_SAMPLE_DIMENSIONS_MAX - 1] = {
	{ 1, 0, { 1 } },
	{ 2, 1, { 1, 3 } },
	{ 3, 1, { 1, 3, 1 } },
	{ 3, 2, { 1, 1, 1 } },
	{ 4, 1, { 1, 1, 3, 3 } },
	{ 4, 4, { 1, 3, 5, 13 } },
	{ 5, 2, { 1, 1, 5, 5, 17 } },
	{ 5, 4, { 1, 1, 5, 5, 5 } },
	{ 5, 7, { 1, 1, 7, 11, 19 } },
	{ 5, 11, { 1, 1, 5, 1, 1 } },
	{ 5, 13, { 1, 1, 1, 3, 11 } },
	{ 5, 14, { 1, 3, 5, 5, 31 } },
	{ 6, 1, { 1, 3, 3, 9, 7, 49 } },
	{ 6, 13, { 1, 1, 1, 15, 21, 21 } },
	{ 6, 16, { 1, 3, 1, 13, 27, 49 } },
};

static void make_directions(size_t dimension, uint32_t directions[SOBOL_BITS])
{
	const struct sobol_row *row = dimension > 0 ? &sobol_rows[dimension - 1] : NULL;
	unsigned degree = row != NULL ? row->degree : SOBOL_BITS;

	for (unsigned i = 0; i < SOBOL_BITS; i++) {
		if (i < degree) {
			uint32_t first = row != NULL ? row->first[i] : 1;
			directions[i] = first << (SOBOL_BITS - 1 - i);
			continue;
		}
		directions[i] = directions[i - degree] ^ (directions[i - degree] >> degree);
		for (unsigned k = 1; k < degree; k++) {
			if ((row->inner >> (degree - 1 - k)) & 1)
				directions[i] ^= directions[i - k];
		}
	}
}

/* Point i differs from the one before it by the direction of the lowest bit of i - 1 that is 0. */
static void fill_sobol(struct pl_pyrandom *rng, size_t count, size_t dimensions, double *points)
{
	const double unit = 1.0 / 4294967296.0;

	for (size_t d = 0; d < dimensions; d++) {
		uint32_t directions[SOBOL_BITS];
		uint32_t at = (uint32_t)(pl_pyrandom_random(rng) * 4294967296.0);
		make_directions(d, directions);
		for (size_t i = 0; i < count; i++) {
			points[i * dimensions + d] = at * unit;
			at ^= directions[__builtin_ctzll(~(uint64_t)i)];
		}
	}
}

double *exp_sample_points(enum exp_sample_method method, size_t count, size_t dimensions,
			  uint64_t seed)
{
	static void (*const fills[])(struct pl_pyrandom *, size_t, size_t, double *) = {
		[EXP_SAMPLE_RANDOM] = fill_random,
		[EXP_SAMPLE_LATIN_HYPERCUBE] = fill_latin,
		[EXP_SAMPLE_SOBOL] = fill_sobol,
	};
	double *points = pl_alloc_array(count * dimensions, sizeof(*points));
	struct pl_pyrandom rng;

	pl_pyrandom_seed(&rng, seed);
	fills[method](&rng, count, dimensions, points);
	return points;
}
