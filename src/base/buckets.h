/*
 * A histogram of a Prometheus page: for each upper bound the number of observations up to it, and the sum and number of
 * all. Observations are not negative. The mean is exact; everything else is known up to the width of a bucket.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define PL_BUCKETS_MAX 64

struct pl_buckets {
	size_t size;
	double bounds[PL_BUCKETS_MAX]; /* ascending, without the infinite one */
	double totals[PL_BUCKETS_MAX]; /* observations of at most the bound */
	double count;
	double sum;
};

struct pl_range {
	double low;
	double high; /* INFINITY: no limit */
};

/* Adds `total` observations of at most `bound`, of one of several series; drops bounds above PL_BUCKETS_MAX. */
void pl_buckets_add(struct pl_buckets *buckets, double bound, double total);
/*
 * Returns the observations between two pages. False: a value fell, as after a restart, the bounds differ, or a value is
 * not that of a histogram. A page without the histogram (all zero) had no observations.
 */
bool pl_buckets_between(const struct pl_buckets *before, const struct pl_buckets *after,
			struct pl_buckets *ret);
/* Returns limits of the smallest observation that at least the share q does not exceed; NaN: there is none. */
struct pl_range pl_buckets_quantile(const struct pl_buckets *buckets, double q);
/* Returns limits of the sum of any n of the observations; exact if n is their number. NaN: there are fewer. */
struct pl_range pl_buckets_subset(const struct pl_buckets *buckets, double n);
