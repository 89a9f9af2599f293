/*
 * Exact Pareto frontiers in two or three dimensions, hypervolume and knee
 * (docs/reference/frontier.md).
 *
 * - A point is `dimensions` consecutive numbers. `higher` gives the better direction of each.
 * - A point dominates another if it is at least as good in every dimension and better in at least
 *   one. Equal points do not dominate each other: all of them are on the frontier.
 * - A point with a NaN is incomplete: it is not on the frontier and dominates nothing. Infinite
 *   numbers are ordered as numbers.
 * - Results do not depend on the order of the points.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define RES_FRONTIER_DIMENSIONS_MIN 2
#define RES_FRONTIER_DIMENSIONS_MAX 3

struct res_frontier_space {
	unsigned dimensions;
	bool higher[RES_FRONTIER_DIMENSIONS_MAX]; /* a higher number is better */
};

enum res_frontier_state {
	RES_FRONTIER_INCOMPLETE,
	RES_FRONTIER_DOMINATED,
	RES_FRONTIER_ON,
};

/* Sets ret_states[count] and returns the number of points on the frontier. O(n log n). */
size_t res_frontier_find(const struct res_frontier_space *space, const double *points, size_t count,
			 enum res_frontier_state *ret_states);

/* Returns whether `a` dominates `b`; false if one is incomplete. */
bool res_frontier_dominates(const struct res_frontier_space *space, const double *a,
			    const double *b);

/*
 * Returns the volume that the points dominate inside of the box that ends at `reference`. Points
 * that are not better than the reference in every dimension add nothing. NaN: the reference is not
 * finite, or a point that adds to the volume is infinite.
 */
double res_frontier_hypervolume(const struct res_frontier_space *space, const double *points,
				size_t count, const double *reference);

/*
 * Returns the index of the frontier's knee: each dimension is scaled to 0 (worst on the frontier)
 * to 1 (best); the knee has the greatest sum, so it is the furthest from the line or plane through
 * the ends of the frontier. SIZE_MAX: fewer than three distinct points, an infinite number, or no
 * point above that line or plane. A tie goes to the better one in the first dimension,
 * then in the second, then the lower index.
 */
size_t res_frontier_knee(const struct res_frontier_space *space, const double *points, size_t count,
			 const enum res_frontier_state *states);
