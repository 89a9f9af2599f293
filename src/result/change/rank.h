/*
 * Rank statistics of two samples, `before` and `after`. They assume no distribution, so a few
 * extreme values do not decide. Values must be finite; inputs are not modified. Sources: Mann and
 * Whitney 1947; Hodges and Lehmann 1963; Cliff 1993; Benjamini and Hochberg 1995.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "result/intervals.h"

/* Up to this many pairs without ties, p comes from the exact distribution of U. */
#define RES_RANK_EXACT_PAIRS 400

struct res_rank_test {
	double u;     /* pairs with after > before, plus half of the equal ones; 0..m·k */
	double p;     /* two-sided; NaN if a sample is empty */
	double delta; /* Cliff's delta, 2u/(mk) - 1: -1 (all after below before) to 1 */
	bool exact;   /* p is exact; otherwise normal, corrected for ties and continuity */
};
/* Mann-Whitney's U test. */
struct res_rank_test res_rank_compare(const double *before, size_t m, const double *after,
				      size_t k);

/*
 * Returns p of the same difference between values whose neighbors have the correlation r: z shrinks
 * by sqrt((1-r)/(1+r)), because means of such values (a first-order autoregression) vary that much
 * more. r at most 0 changes nothing; r counts as 0.9 at most.
 */
double res_rank_correct(double p, double r);

struct res_rank_shift {
	double shift; /* Hodges-Lehmann: median of after - before over all m·k pairs */
	struct res_interval interval; /* 95 %; NaN if the samples are too small for one */
};
/* m and k must be above 0. Exact for any number of pairs; memory and time grow with m + k. */
struct res_rank_shift res_rank_shift(const double *before, size_t m, const double *after, size_t k);

/* Median; NaN if n is 0. */
double res_rank_median(const double *x, size_t n);
/* 1.4826 times the median distance from the median: the standard deviation of normal values. */
#define RES_RANK_NORMAL 1.4826
double res_rank_spread(const double *x, size_t n);

/*
 * Benjamini-Hochberg: sets q[i] to the least false discovery rate at which hypothesis i of `count`
 * is rejected. p within 0..1.
 */
void res_rank_discoveries(const double *p, size_t count, double *q);
