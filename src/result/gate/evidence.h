/*
 * Evidence about a mean difference that may be checked after every run, as often as one likes.
 *
 * A test of "the mean is at most c" uses the likelihood ratio of Student's t: of t with a
 * noncentrality over the central one, averaged over the effects 1/4, 1/2, 1, 2 and 4 standard
 * deviations. The average is a nonnegative martingale if the mean is c, and smaller on average if it
 * is less. So by Ville's inequality it ever reaches 1/alpha with a probability of at most alpha,
 * whatever the standard deviation: the number of looks does not matter.
 *
 *	LR(d) = exp(-L²/2) · I(L·r) / I(0), I(a) = integral of y^v · exp(-y²/2 + a·y) over y > 0
 *	v degrees of freedom, L = d·sqrt(n), r = t / sqrt(t² + v)
 *
 * n is the number of differences, or m·k/(m+k) for two groups of m and k. Differences must be
 * independent and normal, at least approximately; pairs measured in turn satisfy this better than
 * groups do.
 *
 * Sources: Ville 1939; Rushton 1950 (sequential t test); Lai 1976, "On confidence sequences";
 * Wang and Ramdas 2023, "Anytime-valid t-tests and confidence sequences for Gaussian means with
 * unknown variance".
 */
#pragma once

#include <stddef.h>

#include "result/intervals.h"

/* The mean of a sample and its uncertainty. */
struct res_evidence {
	double mean;        /* NaN: no value */
	double sum_squares; /* of the distances from the mean, or from both means */
	double weight;      /* n above */
	double freedom;     /* v above; at most 0: nothing can be said */
};

struct res_evidence res_evidence_of_pairs(const double *x, size_t n);
/* The difference of the means, b less a. */
struct res_evidence res_evidence_of_groups(const double *a, size_t m, const double *b, size_t k);

/* Return the logarithm of the evidence that the mean is above, or below, c. -inf: none. */
double res_evidence_above(const struct res_evidence *evidence, double c);
double res_evidence_below(const struct res_evidence *evidence, double c);

/*
 * Returns the values of the mean against which the evidence never reached its limit: below `low`
 * with probability alpha at most over all looks, above `high` with probability beta at most. A bound
 * is infinite while there is none.
 */
struct res_interval res_evidence_interval(const struct res_evidence *evidence, double alpha,
					  double beta);
