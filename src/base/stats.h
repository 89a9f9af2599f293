/*
 * Statistics with numpy's exact rounding (sums are pairwise, percentiles linear), so that figures
 * equal vLLM's to the last digit. Formulas: docs/reference/metrics.md. No data: NaN.
 */
#pragma once

#include <stddef.h>

/* numpy's pairwise sum of n doubles; of none, 0. */
double pl_stats_sum(const double *x, size_t n);
double pl_stats_mean(const double *x, size_t n);
/* Population standard deviation (divides by n). */
double pl_stats_std(const double *x, size_t n);
void pl_stats_sort(double *x, size_t n);
/* x sorted ascending. */
double pl_stats_median_sorted(const double *x, size_t n);
/* p in percent, 0..100; numpy's "linear": h = (n-1)·(p/100). x sorted ascending. */
double pl_stats_percentile_sorted(const double *x, size_t n, double p);

/*
 * Where that percentile lies among n > 0 samples, p within 0..100: `share` of the way from the one
 * at `below` (from 0) to the next; 0 where it is that one. pl_stats_between() goes so far from one
 * value to another: exact at both ends and monotonic.
 */
struct pl_stats_place {
	size_t below;
	double share;
};
struct pl_stats_place pl_stats_percentile_place(size_t n, double p);
double pl_stats_between(double below, double above, double share);
