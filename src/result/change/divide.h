/*
 * E-divisive (Matteson and James 2014) with a moving right end, and its permutation test. For a
 * cut at τ of the first κ values, with m = τ and k = κ - τ values on its sides,
 *
 *     Q(τ, κ) = m·k/(m+k) · (2·mean|a - b| - mean|a - a'| - mean|b - b'|)
 *
 * over all pairs across, left and right of the cut. The best cut is the maximum over τ and κ, both
 * sides having at least `side_min` values: a later change cannot hide an earlier one. All of it
 * takes n² steps, because the sums of a longer prefix follow from those of the shorter one.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct res_cut {
	size_t at;  /* τ: the first value after the cut */
	size_t end; /* κ */
	double q;
};
/* Finds the best cut, of equal ones the first; false: fewer than 2·side_min values. side_min >= 2. */
bool res_cut_find(const double *y, size_t n, size_t side_min, struct res_cut *ret);

struct res_permutation {
	double p;
	size_t drawn;   /* permutations */
	size_t reached; /* those whose best cut is at least as good */
};
/*
 * Tests whether values in random order have as good a best cut as `q`.
 * - Up to 8 values: all n! orders, p = reached / drawn.
 * - Otherwise `count` random orders, p = (1 + reached) / (count + 1), the smallest possible p being
 *   1 / (count + 1). It stops when p > alpha is certain; then p = reached / drawn (Besag and
 *   Clifford 1991).
 * - block 1 permutes values. A larger block rotates them by a random number and permutes blocks of
 *   that many neighbors, which keeps their correlation.
 * - The same seed gives the same orders. Random orders are computed in single precision, and count
 *   as reaching q from q·(1 - 1e-4); all n! orders in double precision, from q·(1 - 1e-9).
 */
struct res_permutation res_cut_test(const double *y, size_t n, size_t side_min, double q,
				    double alpha, size_t count, size_t block, uint64_t seed);
