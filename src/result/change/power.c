/*
 * A step of d standard deviations between m and k values needs m·k/(m+k) = A/d² + B. A test of two
 * fixed samples has no B; the search for the best cut and blocks of correlated neighbors add it.
 * Both numbers fit the medians of 100 simulated series each for m = 20, 45, 100 and d = 1 to 5;
 * tests/unit/result/change/rates.c checks them.
 */
#include "result/change/change_priv.h"

#include <math.h>

#define A 15.5
#define B 4.2

double res_change_points_needed(enum res_change_scale scale, double spread, size_t before,
				double effect, const struct res_change_options *options)
{
	double shift = scale == RES_SCALE_LINEAR ? fabs(effect) : fabs(log1p(effect));
	double m = (double)before, least = (double)options->side_min;
	double later = (double)(options->persist - 1);

	if (!(shift > 0) || !(spread >= 0) || before < options->side_min)
		return NAN;
	if (shift < options->noise * spread)
		return NAN;
	double pairs = A * pow(spread / shift, 2) + B;
	if (pairs >= m)
		return NAN;
	return fmax(least, ceil(pairs * m / (m - pairs))) + later;
}
