/*
 * Monotone piecewise cubic interpolation (Fritsch and Butland 1984): between two points the curve
 * stays within their values, so it is zero only where the points change sign.
 */
#pragma once

#include <stddef.h>

/*
 * Computes the slopes at points (x[i], y[i]); x is increasing, count >= 2. An interior slope is the
 * weighted harmonic mean of the adjacent secants, or 0 if their signs differ. The end slopes use
 * three points and are bounded.
 */
void pl_pchip_slopes(const double *x, const double *y, size_t count, double *ret_slopes);
/* Returns the first zero of the curve from the left, or NaN if it has none. */
double pl_pchip_first_root(const double *x, const double *y, size_t count);
