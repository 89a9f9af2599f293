/*
 * Statistics of paired differences x, such as one logarithm of a ratio per configuration. Values
 * must be finite; inputs are not modified. Sources: Wilcoxon 1945; Dixon and Mood 1946 (sign test);
 * Efron and Tibshirani 1993, chapter 12 (studentized bootstrap).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "result/intervals.h"

/* Up to this many differences without zeros and ties, p comes from the exact distribution. */
#define RES_PAIRED_EXACT_MAX 50

struct res_signed_rank {
	double w;     /* the sum of the ranks of positive differences */
	double p;     /* two-sided; NaN if no difference is other than 0 */
	size_t count; /* differences other than 0; the others have no rank */
	bool exact;   /* p is exact; otherwise normal, corrected for ties */
};
/* Wilcoxon's signed rank test. */
struct res_signed_rank res_paired_rank(const double *x, size_t n);

/* The sign test: p, two-sided, of the numbers of differences below and above 0; NaN without any. */
double res_paired_sign(size_t below, size_t above);

/*
 * 95 % interval of the mean difference over all configurations like these n: studentized bootstrap
 * with 1,999 resamples, Student's t below five differences. False: fewer than two, or no spread.
 */
#define RES_PAIRED_RESAMPLES 1999
bool res_paired_interval(const double *x, size_t n, uint64_t seed, struct res_interval *ret);
