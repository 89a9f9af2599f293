/*
 * Statistics with numpy's exact rounding (sums are pairwise, percentiles linear), so that figures
 * equal vLLM's to the last digit. Formulas: docs/reference/metrics.md. No data: NaN.
 */
#ifndef BASE_STATS_H
#define BASE_STATS_H

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

#endif
