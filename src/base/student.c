/*
 * p is the incomplete beta function I_x(df/2, 1/2) at x = df / (df + t²), by its continued fraction
 * (Lentz's way) from the side on which that is short.
 */
#include "base/student.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/hash.h"

#define STEPS_MAX   10000
#define NEWTON_MAX  200
#define MANY        100.0 /* from here on the series below has more digits than lgamma() leaves */
#define NEARLY_ZERO 1e-300
#define KNOWN_COUNT 256

/* log Γ(a + 1/2) / Γ(a): of large ones the difference of two logarithms would lose digits. */
static double log_gamma_step(double a)
{
	int sign;

	if (a < MANY)
		return lgamma_r(a + 0.5, &sign) - lgamma_r(a, &sign);
	return 0.5 * log(a) - 1 / (8 * a) + 1 / (192 * a * a * a);
}

static double away_from_zero(double x)
{
	return fabs(x) < NEARLY_ZERO ? NEARLY_ZERO : x;
}

/* The continued fraction of I_x(a, b), without its leading factor. */
static double fraction(double a, double b, double x)
{
	double c = 1, d = 1 / away_from_zero(1 - (a + b) * x / (a + 1)), value = d;

	for (int m = 1; m < STEPS_MAX; m++) {
		double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
		d = 1 / away_from_zero(1 + even * d);
		c = away_from_zero(1 + even / c);
		value *= d * c;
		d = 1 / away_from_zero(1 + odd * d);
		c = away_from_zero(1 + odd / c);
		value *= d * c;
		if (fabs(d * c - 1) < DBL_EPSILON)
			break;
	}
	return value;
}

/* x^a (1 - x)^b / B(a, b), b = 1/2 */
static double front(double t, double df)
{
	static const double log_sqrt_pi = 0.57236494292470008707;
	double a = df / 2, square = t * t;

	return exp(log_gamma_step(a) - log_sqrt_pi - a * log1p(square / df) +
		   0.5 * log(square / (df + square)));
}

double pl_student_p(double t, double df)
{
	double square = t * t, a = df / 2;

	if (isnan(t) || !(df > 0))
		return NAN;
	if (isinf(df))
		return pl_normal_p(t);
	if (square <= 0 || isinf(square))
		return square <= 0 ? 1 : 0;
	double x = df / (df + square);
	if (x < (a + 1) / (a + 2.5))
		return front(t, df) * fraction(a, 0.5, x) / a;
	return 1 - front(t, df) * fraction(0.5, a, square / (df + square)) / 0.5;
}

/* p decreases more and more slowly from 0 on, so each Newton step stops short of the solution. */
static double solve_t(double p, double df)
{
	double t = 0;

	for (int i = 0; i < NEWTON_MAX; i++) {
		/* twice the density, which front() is t times of */
		double slope = t > 0 ? 2 * front(t, df) / t
				     : 2 * exp(log_gamma_step(df / 2)) / sqrt(M_PI * df);
		double step = (pl_student_p(t, df) - p) / slope;
		t += step;
		if (fabs(step) <= 4 * DBL_EPSILON * t)
			break;
	}
	return t;
}

/* Tables of intervals ask for few different pairs, thousands of times. */
double pl_student_t(double p, double df)
{
	static _Thread_local struct {
		double question[2]; /* zeros: free */
		double t;
	} known[KNOWN_COUNT];
	const double question[2] = { p, df };

	if (!(p > 0 && p <= 1 && df > 0))
		return NAN;
	size_t at = pl_hash_bytes(PL_HASH_NONE, question, sizeof(question)) % KNOWN_COUNT;
	if (memcmp(known[at].question, question, sizeof(question)) != 0) {
		known[at].t = solve_t(p, df);
		memcpy(known[at].question, question, sizeof(question));
	}
	return known[at].t;
}

double pl_normal_p(double z)
{
	return erfc(fabs(z) / M_SQRT2);
}
