/*
 * Monotone interpolation by pieces of cubics (Fritsch and Butland 1984): between two points the curve
 * stays between them, so that it is zero only where the points change their sign.
 */
#pragma once

#include <stddef.h>

/*
 * Slopes at points (x[i], y[i]), x rising, count >= 2: inside the weighted harmonic mean of the secants
 * beside it, 0 where these differ in sign; at the ends by three points, bounded.
 */
void pl_pchip_slopes(const double *x, const double *y, size_t count, double *ret_slopes);
/* Where the curve through the points is first zero, from the left; NaN: nowhere between them. */
double pl_pchip_first_root(const double *x, const double *y, size_t count);
