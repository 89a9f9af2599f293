/*
 * 95 % confidence intervals. Mean and rate: Student's t with the variance over windows (batch
 * means, of which adjacent ones may be correlated). Percentile: the number of m independent samples
 * below the true value is binomial (m, q), whatever the distribution; the interval is between the
 * two ranks that cut off 2.5 % on each side.
 */
#include "result/intervals.h"

#include <math.h>

#include "base/stats.h"
#include "base/student.h"

#define SURE 0.05
#define TAIL 0.025
#define Z_95 1.959963984540054
/* Standard deviations (and counts) below the mean that hold nothing to speak of: 10^-40. */
#define FAR_DEVIATIONS 14
#define FAR_COUNTS     100
/* Rounding must not change a whole number of samples. */
#define NEARLY 1e-9

struct res_windows res_windows_of(int64_t from_ns, int64_t to_ns, double taken_ns, size_t requests)
{
	double length = (double)(to_ns - from_ns), fit = length * (double)requests / (2 * taken_ns);
	struct res_windows ret = { from_ns, to_ns - from_ns, RES_WINDOWS_MAX };

	if (fit < RES_WINDOWS_MAX)
		ret.count = (unsigned)fmax(RES_WINDOWS_MIN, floor(fit));
	return ret;
}

unsigned char res_windows_at(const struct res_windows *windows, int64_t t_ns)
{
	double at = (double)(t_ns - windows->from_ns) / (double)windows->length_ns * windows->count;

	/* NaN: no time went by */
	if (!(at >= 1))
		return 0;
	return (unsigned char)fmin(floor(at), windows->count - 1);
}

/* ---- variance ------------------------------------------------------------------------------ */

/* The quantity to sum: the samples, or whether each is at most `most`. */
struct quantity {
	bool is_share;
	double most;
	double mean;
};

static double over_windows(const double *sums, unsigned count)
{
	double squares = 0, neighbors = 0;

	for (unsigned i = 0; i < count; i++) {
		squares += sums[i] * sums[i];
		neighbors += i > 0 ? sums[i - 1] * sums[i] : 0;
	}
	return (squares + 2 * fmax(0, neighbors)) * count / (count - 1);
}

/* Returns the summed deviation of a few samples from the mean. */
static double distance_of(const struct quantity *quantity, const double *x, size_t n)
{
	double sum = 0;
	size_t below = 0;

	if (quantity->is_share) {
		for (size_t i = 0; i < n; i++)
			below += x[i] <= quantity->most;
		return (double)below - quantity->mean * (double)n;
	}
	for (size_t i = 0; i < n; i++)
		sum += x[i] - quantity->mean;
	return sum;
}

/*
 * Returns the variance of the sum over all samples. The samples of one request mostly fall into one
 * window.
 */
static double variance(const struct res_series *series, const struct quantity *quantity)
{
	double sums[RES_WINDOWS_MAX] = { 0 }, over_requests = 0;

	for (size_t i = 0, at = 0; i < series->end_count; i++) {
		double sum = 0;
		while (at < series->ends[i]) {
			size_t from = at;
			unsigned char window = series->windows[from];
			while (at < series->ends[i] && series->windows[at] == window)
				at++;
			double distance = distance_of(quantity, series->x + from, at - from);
			sum += distance;
			sums[window] += distance;
		}
		over_requests += sum * sum;
	}
	return fmax(over_requests, over_windows(sums, series->window_count));
}

bool res_interval_of_mean(const struct res_series *series, double mean, struct res_interval *ret)
{
	struct quantity quantity = { .mean = mean };

	if (series->end_count < RES_MEAN_REQUESTS_MIN)
		return false;
	double half = pl_student_t(SURE, series->window_count - 1) *
		      sqrt(variance(series, &quantity)) / (double)series->count;
	*ret = (struct res_interval){ mean - half, mean + half };
	return true;
}

/*
 * Extrapolates the windows to the whole duration. They end with the last sent request, so that the
 * draining of a load does not count as variation; the variation of its end is added.
 */
bool res_interval_of_rate(const struct res_flow *flow, double rate, struct res_interval *ret)
{
	double distances[RES_WINDOWS_MAX];
	double mean = pl_stats_mean(flow->counts, flow->window_count);

	if (flow->window_count < RES_WINDOWS_MIN)
		return false;
	for (unsigned i = 0; i < flow->window_count; i++)
		distances[i] = flow->counts[i] - mean;
	double end = rate * flow->end_s;
	double v = over_windows(distances, flow->window_count) * flow->duration_s /
			   flow->windows_s +
		   end * end;
	double half = pl_student_t(SURE, flow->window_count - 1) * sqrt(v) / flow->duration_s;
	*ret = (struct res_interval){ rate - half, rate + half };
	return true;
}

/* ---- order statistics ---------------------------------------------------------------------- */

/* How many independent samples tell as much of that percentile. */
static size_t effective_count(const struct res_series *series, const double *sorted,
			      double percentile)
{
	double most = pl_stats_percentile_sorted(sorted, series->count, percentile);
	double n = (double)series->count;
	double share = (double)pl_stats_count_to(sorted, series->count, most) / n;
	struct quantity quantity = { .is_share = true, .most = most, .mean = share };

	/* all samples at least are equal there */
	if (!(share < 1))
		return series->count;
	double factor = variance(series, &quantity) / (n * share * (1 - share));
	double t = pl_student_t(SURE, series->window_count - 1) / Z_95;
	return factor <= 1 + NEARLY ? series->count : (size_t)(n / (factor * t * t) + NEARLY);
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

/* Ranks from 1 among n independent samples; false: too few of them. */
static bool ranks_of(size_t n, double q, size_t *ret_low, size_t *ret_high)
{
	double count = (double)n;
	double far = FAR_DEVIATIONS * sqrt(count * q * (1 - q)) + FAR_COUNTS;
	double k = floor(fmax(0, count * q - far));
	size_t low = 0, high = 0;

	if (n == 0)
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
	*ret_low = low;
	*ret_high = high;
	return low > 0 && high > 0 && high <= n;
}

/*
 * Each of the m independent samples stands for n/m of those that there are: of the l-th the first of them, of the
 * u-th the last.
 */
bool res_interval_of_percentile(const struct res_series *series, const double *sorted,
				double percentile, struct res_interval *ret)
{
	double q = percentile / 100, n = (double)series->count;
	size_t low, high;

	if (series->count == 0 || !(q > 0 && q < 1) ||
	    (series->count > series->end_count && series->end_count < RES_GAP_REQUESTS_MIN))
		return false;
	size_t m = effective_count(series, sorted, percentile);
	if (!ranks_of(m, q, &low, &high))
		return false;
	double each = n / (double)m;
	*ret = (struct res_interval){ sorted[(size_t)((double)(low - 1) * each + NEARLY)],
				      sorted[(size_t)ceil((double)high * each - NEARLY) - 1] };
	return true;
}
