/*
 * Points spread over the unit cube, for sweeps that look at some of all combinations. Each depends on
 * its method and seed alone; recipes: docs/reference/sweeps.md.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define EXP_SAMPLE_DIMENSIONS_MAX 16

enum exp_sample_method {
	EXP_SAMPLE_RANDOM,
	EXP_SAMPLE_LATIN_HYPERCUBE, /* of `count` slices of each dimension every one once */
	EXP_SAMPLE_SOBOL,           /* of each 2^k points one in every slice of 2^-k */
	EXP_SAMPLE_METHOD_COUNT,
};

/* "random", "latin_hypercube", "sobol". */
const char *exp_sample_name(enum exp_sample_method method);
/*
 * `count` points of `dimensions` numbers each, 0 <= number < 1, one point behind the other; the
 * caller's (free()). At most EXP_SAMPLE_DIMENSIONS_MAX, and 2^31 points.
 */
double *exp_sample_points(enum exp_sample_method method, size_t count, size_t dimensions,
			  uint64_t seed);
