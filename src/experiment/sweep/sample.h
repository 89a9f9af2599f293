/*
 * Points spread over the unit cube, for sweeps that run a sample of all combinations. They depend
 * only on method and seed; recipes: docs/reference/sweeps.md.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define EXP_SAMPLE_DIMENSIONS_MAX 16

enum exp_sample_method {
	EXP_SAMPLE_RANDOM,
	/* exactly one point in each of `count` slices of each dimension */
	EXP_SAMPLE_LATIN_HYPERCUBE,
	EXP_SAMPLE_SOBOL, /* of each 2^k points exactly one in every slice of 2^-k */
	EXP_SAMPLE_METHOD_COUNT,
};

/* "random", "latin_hypercube", "sobol". */
const char *exp_sample_name(enum exp_sample_method method);
/*
 * Returns `count` consecutive points of `dimensions` numbers each, 0 <= number < 1; the caller
 * frees them with free(). At most EXP_SAMPLE_DIMENSIONS_MAX dimensions and 2^31 points.
 */
double *exp_sample_points(enum exp_sample_method method, size_t count, size_t dimensions,
			  uint64_t seed);
