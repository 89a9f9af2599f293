#include "result/match/paired.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/rng.h"
#include "base/stats.h"
#include "base/student.h"

#define BOOT_MIN 5 /* resamples of fewer differences are often a single one */
#define TAIL     0.025
#define SURE     0.05
#define ROUNDING 1e-12

/* ---- Wilcoxon ------------------------------------------------------------------------------ */

struct ranked {
	double size;
	bool is_positive;
};

static int compare_ranked(const void *a, const void *b)
{
	const struct ranked *one = a, *other = b;

	return (one->size > other->size) - (one->size < other->size);
}

/*
 * Returns P(W <= w) for n ranks: the number of sets of the ranks 1..n with a sum of at most w, of
 * all 2^n. Counts are below 2^53 for up to RES_PAIRED_EXACT_MAX ranks.
 */
static double exact_below(size_t n, size_t w)
{
	size_t most = n * (n + 1) / 2;
	auto_free double *sets = pl_alloc_array(most + 1, sizeof(sets[0]));
	double sum = 0;

	sets[0] = 1;
	for (size_t rank = 1; rank <= n; rank++) {
		for (size_t at = most + 1; at-- > rank;)
			sets[at] += sets[at - rank];
	}
	for (size_t at = 0; at <= w; at++)
		sum += sets[at];
	return ldexp(sum, -(int)n);
}

/* Gives equal sizes their mean rank. Returns the sum of t^3 - t over groups of t equal sizes. */
static double sum_ranks(const struct ranked *ranked, size_t n, double *ret_w)
{
	double ties = 0;

	for (size_t from = 0, to; from < n; from = to) {
		size_t positive = 0;
		for (to = from; to < n && ranked[to].size == ranked[from].size; to++)
			positive += ranked[to].is_positive;
		double t = (double)(to - from);
		*ret_w += (double)positive * (double)(from + to + 1) / 2;
		ties += t * t * t - t;
	}
	return ties;
}

struct res_signed_rank res_paired_rank(const double *x, size_t n)
{
	auto_free struct ranked *ranked = pl_alloc_array(n, sizeof(ranked[0]));
	struct res_signed_rank test = { .p = NAN };

	for (size_t i = 0; i < n; i++) {
		if (x[i] != 0)
			ranked[test.count++] = (struct ranked){ fabs(x[i]), x[i] > 0 };
	}
	if (test.count == 0)
		return test;
	qsort(ranked, test.count, sizeof(ranked[0]), compare_ranked);
	double ties = sum_ranks(ranked, test.count, &test.w), count = (double)test.count;
	double most = count * (count + 1) / 2, nearer = fmin(test.w, most - test.w);
	test.exact = ties == 0 && test.count == n && n <= RES_PAIRED_EXACT_MAX;
	if (test.exact) {
		test.p = fmin(1, 2 * exact_below(n, (size_t)nearer));
		return test;
	}
	double variance = count * (count + 1) * (2 * count + 1) / 24 - ties / 48;
	test.p = variance > 0 ? pl_normal_p((most / 2 - nearer) / sqrt(variance)) : 1;
	return test;
}

/* ---- signs --------------------------------------------------------------------------------- */

double res_paired_sign(size_t below, size_t above)
{
	double n = (double)(below + above), fewer = (double)(below < above ? below : above);
	double sum = 0;

	if (below + above == 0)
		return NAN;
	for (double k = 0; k <= fewer; k++)
		sum += exp(lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1) - n * log(2));
	return fmin(1, 2 * sum);
}

/* ---- interval ------------------------------------------------------------------------------ */

static double error_of(const double *x, size_t n)
{
	return pl_stats_std(x, n) / sqrt((double)(n - 1));
}

/* Returns the sum of squared distances; in four parts, which do not wait for each other. */
static double squares_about(const double *x, size_t n, double mean)
{
	double sums[4] = { 0 };
	size_t i = 0;

	for (; i + 4 <= n; i += 4) {
		for (size_t k = 0; k < 4; k++)
			sums[k] += (x[i + k] - mean) * (x[i + k] - mean);
	}
	for (; i < n; i++)
		sums[0] += (x[i] - mean) * (x[i] - mean);
	return sums[0] + sums[1] + (sums[2] + sums[3]);
}

/* Returns the distance of a resample's mean from the real one, in units of its own error. */
static double draw(struct pl_pcg64 *rng, const double *x, size_t n, double mean, double *drawn)
{
	for (size_t i = 0; i < n; i++)
		drawn[i] = x[(uint64_t)pl_pcg64_next32(rng) * n >> 32];
	double own = pl_stats_mean(drawn, n), distance = own - mean;
	double error = sqrt(squares_about(drawn, n, own) / (double)n / (double)(n - 1));
	if (error > ROUNDING)
		return distance / error;
	return distance > ROUNDING ? INFINITY : distance < -ROUNDING ? -INFINITY : 0;
}

bool res_paired_interval(const double *x, size_t n, uint64_t seed, struct res_interval *ret)
{
	if (n < 2 || !(error_of(x, n) > ROUNDING))
		return false;
	double mean = pl_stats_mean(x, n), error = error_of(x, n);
	double half = pl_student_t(SURE, (double)(n - 1)) * error;
	*ret = (struct res_interval){ mean - half, mean + half };
	if (n < BOOT_MIN)
		return true;

	auto_free double *drawn = pl_alloc_array(n, sizeof(drawn[0]));
	auto_free double *distances = pl_alloc_array(RES_PAIRED_RESAMPLES, sizeof(distances[0]));
	size_t cut = (size_t)((RES_PAIRED_RESAMPLES + 1) * TAIL) - 1;
	struct pl_pcg64 rng;
	pl_pcg64_seed(&rng, seed);
	for (size_t i = 0; i < RES_PAIRED_RESAMPLES; i++)
		distances[i] = draw(&rng, x, n, mean, drawn);
	pl_stats_sort(distances, RES_PAIRED_RESAMPLES);
	double low = distances[cut], high = distances[RES_PAIRED_RESAMPLES - 1 - cut];
	if (isfinite(low) && isfinite(high))
		*ret = (struct res_interval){ mean - high * error, mean - low * error };
	return true;
}
