/*
 * 95 % intervals of one run's figures (docs/reference/metrics.md).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Fewer requests than this have no interval of their mean. */
#define RES_BATCH_REQUESTS_MIN 100

struct res_interval {
	double low;
	double high;
};

/*
 * Of the mean, by batch means: requests do not come independently of each other, batches of them
 * nearly do. x[0..ends[count - 1]) holds the samples of `count` requests in planned order, those of
 * request i before ends[i]. 20 batches of count/20 requests, the rest joins the last; mean of the
 * batches' means ± t(0.975, 19)·s/√20. False below RES_BATCH_REQUESTS_MIN requests.
 */
bool res_interval_of_mean(const double *x, const size_t *ends, size_t count,
			  struct res_interval *ret);
/*
 * Of a percentile (in percent), by order statistics: x_(l) and x_(u) of n sorted samples, l the
 * largest with P(B < l) <= 0.025 and u the smallest with P(B >= u) <= 0.025, B binomial(n,
 * percentile/100). False where there are none: too few samples.
 */
bool res_interval_of_percentile(const double *sorted, size_t n, double percentile,
				struct res_interval *ret);
