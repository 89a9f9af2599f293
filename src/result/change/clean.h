/*
 * The values of a series before they are analyzed: gaps removed, on a scale on which changes are
 * additive, outliers flagged. Outliers are not removed: a real change looks like one at first.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum res_change_scale {
	RES_SCALE_LOG,   /* ln x of values above 0; a shift is the logarithm of a ratio */
	RES_SCALE_LOGIT, /* ln(x/(1-x)) of shares; a shift is the logarithm of an odds ratio */
	RES_SCALE_LINEAR, /* x, for metrics that may be negative; a shift has the unit of the metric */
};
/* Returns NaN if the scale does not contain the value. */
double res_scale_apply(enum res_change_scale scale, double x);
double res_scale_revert(enum res_change_scale scale, double y);

#define RES_CLEAN_WINDOW      15  /* values around the one that is judged, fewer at the ends */
#define RES_CLEAN_OUTLIER     3.5 /* robust standard deviations from the running median */
#define RES_CLEAN_RELATED_MIN 20  /* values for which correlation is computed */
/* Independent values have this correlation, because each is part of the medians of its neighbors. */
#define RES_CLEAN_UNRELATED (-1.0 / RES_CLEAN_WINDOW)

/* Sets median[i] to the median of the values up to 7 places from i. */
void res_clean_medians(const double *y, size_t n, double *median);
/*
 * Sets flags[i] to whether |y[i] - median| > 3.5 · 1.4826 · MAD, both of the values up to 7 places
 * from i. Returns the number of flags.
 */
size_t res_clean_outliers(const double *y, size_t n, bool *flags);
/* Returns the lag-1 autocorrelation of n values; 0 if all are equal. */
double res_clean_neighbors(const double *x, size_t n);
/*
 * Returns the lag-1 autocorrelation of the distances from the running median; 0 for fewer than
 * RES_CLEAN_RELATED_MIN values and if all distances are equal.
 */
double res_clean_correlation(const double *y, size_t n);
