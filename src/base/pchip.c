#include "base/pchip.h"

#include <math.h>
#include <stdbool.h>

#include "base/mem.h"

/* Halvings until a double's bits are used up. */
#define HALVINGS 200

static bool is_zero(double value)
{
	return fpclassify(value) == FP_ZERO;
}

static bool same_sign(double a, double b)
{
	return (a > 0 && b > 0) || (a < 0 && b < 0);
}

/*
 * Slope at an end: h0 and d0 are the width and secant of the end piece, h1 and d1 of the next one.
 */
static double end_slope(double h0, double h1, double d0, double d1)
{
	double slope = ((2 * h0 + h1) * d0 - h0 * d1) / (h0 + h1);

	if (!same_sign(slope, d0))
		return 0;
	if (!same_sign(d0, d1) && fabs(slope) > 3 * fabs(d0))
		return 3 * d0;
	return slope;
}

void pl_pchip_slopes(const double *x, const double *y, size_t count, double *ret_slopes)
{
	size_t last = count - 1;
	auto_free double *widths = pl_alloc_array(count, sizeof(*widths));
	auto_free double *secants = pl_alloc_array(count, sizeof(*secants));

	for (size_t i = 0; i < last; i++) {
		widths[i] = x[i + 1] - x[i];
		secants[i] = (y[i + 1] - y[i]) / widths[i];
	}
	if (count == 2) {
		ret_slopes[0] = ret_slopes[1] = secants[0];
		return;
	}
	for (size_t i = 1; i < last; i++) {
		double w1 = 2 * widths[i] + widths[i - 1], w2 = widths[i] + 2 * widths[i - 1];
		ret_slopes[i] = same_sign(secants[i - 1], secants[i])
					? (w1 + w2) / (w1 / secants[i - 1] + w2 / secants[i])
					: 0;
	}
	ret_slopes[0] = end_slope(widths[0], widths[1], secants[0], secants[1]);
	ret_slopes[last] = end_slope(widths[last - 1], widths[last - 2], secants[last - 1],
				     secants[last - 2]);
}

/* Its ends have different signs, and it rises or falls all the way. */
static double piece_root(double width, const double y[2], const double slopes[2])
{
	double lo = 0, hi = 1;

	for (int i = 0; i < HALVINGS && lo < hi; i++) {
		double middle = lo + (hi - lo) / 2;
		/* One piece at the share t of its width. */
		double u = 1 - middle;
		double value = y[0] * (1 + 2 * middle) * u * u +
			       width * slopes[0] * middle * u * u +
			       y[1] * (3 - 2 * middle) * middle * middle -
			       width * slopes[1] * middle * middle * u;
		if (is_zero(value))
			return middle;
		if (same_sign(value, y[0]))
			lo = middle;
		else
			hi = middle;
	}
	return hi;
}

double pl_pchip_first_root(const double *x, const double *y, size_t count)
{
	auto_free double *slopes = pl_alloc_array(count, sizeof(*slopes));

	if (count < 2)
		return count == 1 && is_zero(y[0]) ? x[0] : NAN;
	pl_pchip_slopes(x, y, count, slopes);
	for (size_t i = 0; i < count; i++) {
		if (is_zero(y[i]))
			return x[i];
		if (i + 1 < count && !is_zero(y[i + 1]) && !same_sign(y[i], y[i + 1])) {
			double width = x[i + 1] - x[i];
			return x[i] + width * piece_root(width, y + i, slopes + i);
		}
	}
	return NAN;
}
