/*
 * Intervals of 95 %, for two cases that differ in what may be assumed.
 *
 * Of a mean: samples of one request depend on each other, and so do neighbours under one load.
 * Means of 20 batches of whole requests in order are nearly independent; Student's t over them
 * (batch means). Of a percentile: order statistics. How many of n samples lie below the true one is
 * binomial (n, q), whatever the distribution; the two ranks that cut off 2.5 % on either side are
 * the interval.
 */
#include "result/intervals.h"

#include <math.h>

#include "base/stats.h"

#define BATCHES 20
/* Student's t, 19 degrees of freedom, 97.5 % */
#define T_19 2.093024054408263
#define TAIL 0.025
/* Standard deviations (and counts) below the mean that hold nothing to speak of: 10^-40. */
#define FAR_DEVIATIONS 14
#define FAR_COUNTS     100

bool res_interval_of_mean(const double *x, const size_t *ends, size_t count,
			  struct res_interval *ret)
{
	double means[BATCHES];
	double sum = 0;

	if (count < RES_BATCH_REQUESTS_MIN)
		return false;
	for (size_t b = 0; b < BATCHES; b++) {
		/* the last batch has what does not divide */
		size_t from = b * (count / BATCHES);
		size_t to = b + 1 < BATCHES ? from + count / BATCHES : count;
		size_t begin = from > 0 ? ends[from - 1] : 0;
		means[b] = pl_stats_mean(x + begin, ends[to - 1] - begin);
	}
	double middle = pl_stats_mean(means, BATCHES);
	for (size_t b = 0; b < BATCHES; b++)
		sum += (means[b] - middle) * (means[b] - middle);
	double half = T_19 * sqrt(sum / (BATCHES - 1) / BATCHES);
	*ret = (struct res_interval){ middle - half, middle + half };
	return true;
}

/* lgamma() tells the sign by a global: two runs of one process would both write it. */
static double log_gamma(double x)
{
	int sign;

	return lgamma_r(x, &sign);
}

static double log_pmf(double n, double q, double k)
{
	return log_gamma(n + 1) - log_gamma(k + 1) - log_gamma(n - k + 1) + k * log(q) +
	       (n - k) * log1p(-q);
}

bool res_interval_of_percentile(const double *sorted, size_t n, double percentile,
				struct res_interval *ret)
{
	double q = percentile / 100, count = (double)n;
	double far = FAR_DEVIATIONS * sqrt(count * q * (1 - q)) + FAR_COUNTS;
	double k = floor(fmax(0, count * q - far));
	size_t low = 0, high = 0;

	if (n == 0 || !(q > 0 && q < 1))
		return false;
	double pmf = exp(log_pmf(count, q, k)), below = 0;
	for (; k <= count && high == 0; k++) {
		below += pmf;
		if (low == 0 && below > TAIL) {
			if (k < 1)
				return false;
			low = (size_t)k;
		}
		if (below >= 1 - TAIL)
			high = (size_t)k + 1;
		/* P(k + 1) of P(k), so that one logarithm of the gamma function does for all */
		pmf *= (count - k) / (k + 1) * (q / (1 - q));
	}
	if (low == 0 || high == 0 || high > n)
		return false;
	*ret = (struct res_interval){ sorted[low - 1], sorted[high - 1] };
	return true;
}
