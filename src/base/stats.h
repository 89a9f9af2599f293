/*
 * Statistics with numpy's exact rounding (pairwise sums, linear percentiles), so that metrics equal
 * vLLM's to the last digit. Formulas: docs/reference/metrics.md. Without data: NaN.
 */
#pragma once

#include <stddef.h>

/* numpy's pairwise sum of n doubles; 0 if n is 0. */
double pl_stats_sum(const double *x, size_t n);
double pl_stats_mean(const double *x, size_t n);
/* Population standard deviation (divides by n). */
double pl_stats_std(const double *x, size_t n);
void pl_stats_sort(double *x, size_t n);
/* Return the number of samples less than `limit`, or at most `limit`. x must be in ascending order. */
size_t pl_stats_count_below(const double *x, size_t n, double limit);
size_t pl_stats_count_to(const double *x, size_t n, double limit);
/* x must be in ascending order. */
double pl_stats_median_sorted(const double *x, size_t n);
/*
 * p in percent, 0..100; numpy's "linear" method: h = (n-1)·(p/100). x must be in ascending order.
 */
double pl_stats_percentile_sorted(const double *x, size_t n, double p);

/*
 * Position of a percentile among n > 0 samples, p within 0..100: `share` of the way from sample
 * `below` (from 0) to the next one; 0: exactly at it. pl_stats_between() interpolates between two
 * values by that share; it is exact at both ends and monotonic.
 */
struct pl_stats_position {
	size_t below;
	double share;
};
struct pl_stats_position pl_stats_percentile_position(size_t n, double p);
double pl_stats_between(double below, double above, double share);
