#include "result/change/rank.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/sort.h"
#include "base/stats.h"
#include "base/student.h"

#define Z_95 1.959963984540054
#define TAIL 0.025

/* Up to here, all differences are sorted; above, single ones are found by counting. */
#define DIRECT_PAIRS 10000

#define RELATED_MAX 0.9
#define P_LEAST     1e-250
#define DF_NORMAL   1e12 /* Student's t is normal then */

static double *sorted_copy(const double *x, size_t n)
{
	double *copy = pl_alloc_array(n, sizeof(copy[0]));

	memcpy(copy, x, n * sizeof(copy[0]));
	pl_stats_sort(copy, n);
	return copy;
}

/*
 * Returns the number of ways to get each U from 0 to m·k without ties: the coefficients of the
 * Gaussian binomial, the product over i = 1..m of (1 - x^(k+i)) / (1 - x^i). All of them are whole
 * and below 2^53 for up to RES_RANK_EXACT_PAIRS pairs.
 */
static double *count_ways(size_t m, size_t k)
{
	size_t pairs = m * k;
	double *ways = pl_alloc_array(pairs + 1, sizeof(ways[0]));

	ways[0] = 1;
	for (size_t i = 1; i <= m; i++) {
		for (size_t u = pairs + 1; u-- > k + i;)
			ways[u] -= ways[u - k - i];
		for (size_t u = i; u <= pairs; u++)
			ways[u] += ways[u - i];
	}
	return ways;
}

/* Returns P(U <= u) for each u. */
static double *cumulate(size_t m, size_t k)
{
	double *ways = count_ways(m < k ? m : k, m < k ? k : m), sum = 0;

	for (size_t u = 0; u <= m * k; u++)
		ways[u] = sum += ways[u];
	for (size_t u = 0; u <= m * k; u++)
		ways[u] /= sum;
	return ways;
}

/* Returns the sum of t^3 - t over the groups of t equal values among both samples, sorted. */
static double count_ties(const double *a, size_t m, const double *b, size_t k)
{
	double sum = 0;

	for (size_t i = 0, j = 0; i < m || j < k;) {
		double value = j == k || (i < m && a[i] <= b[j]) ? a[i] : b[j];
		size_t from = i + j;

		while (i < m && a[i] == value)
			i++;
		while (j < k && b[j] == value)
			j++;
		double t = (double)(i + j - from);
		sum += t * t * t - t;
	}
	return sum;
}

struct res_rank_test res_rank_compare(const double *before, size_t m, const double *after, size_t k)
{
	struct res_rank_test test = { .u = NAN, .p = NAN, .delta = NAN };
	double pairs = (double)m * (double)k, n = (double)(m + k);

	if (m == 0 || k == 0)
		return test;
	auto_free double *a = sorted_copy(before, m);
	auto_free double *b = sorted_copy(after, k);
	double u = 0;
	for (size_t j = 0, below = 0, to = 0; j < k; j++) {
		while (below < m && a[below] < b[j])
			below++;
		while (to < m && a[to] <= b[j])
			to++;
		u += (double)below + (double)(to - below) / 2;
	}
	double ties = count_ties(a, m, b, k), further = fmax(u, pairs - u);
	test.u = u;
	test.delta = 2 * u / pairs - 1;
	test.exact = ties == 0 && m * k <= RES_RANK_EXACT_PAIRS;
	if (test.exact) {
		auto_free double *share = cumulate(m, k);
		/* U and mk - U have the same distribution */
		test.p = fmin(1, 2 * share[(size_t)(pairs - further)]);
		return test;
	}
	double variance = pairs / 12 * ((n + 1) - ties / (n * (n - 1)));
	double z = variance > 0 ? (further - pairs / 2 - 0.5) / sqrt(variance) : 0;
	test.p = z > 0 ? pl_normal_p(z) : 1;
	return test;
}

double res_rank_correct(double p, double r)
{
	if (!(r > 0) || !(p > P_LEAST) || !(p < 1))
		return p;
	r = fmin(r, RELATED_MAX);
	return pl_normal_p(pl_student_t(p, DF_NORMAL) * sqrt((1 - r) / (1 + r)));
}

/* Returns how many differences the 95 % interval leaves out at each end; 0: it has no bounds. */
static size_t count_beyond(const double *a, size_t m, const double *b, size_t k)
{
	double pairs = (double)m * (double)k;

	if (m * k <= RES_RANK_EXACT_PAIRS && count_ties(a, m, b, k) == 0) {
		auto_free double *share = cumulate(m, k);
		size_t u = 0;

		while (share[u] <= TAIL)
			u++;
		return u;
	}
	double beyond = floor(pairs / 2 - Z_95 * sqrt(pairs * (double)(m + k + 1) / 12));
	return beyond > 0 ? (size_t)beyond : 0;
}

/* Returns how many differences are at most `limit`. Both samples are sorted. */
static size_t count_to(const double *a, size_t m, const double *b, size_t k, double limit)
{
	size_t count = 0;

	for (size_t i = 0, to = 0; i < m; i++) {
		while (to < k && b[to] - a[i] <= limit)
			to++;
		count += to;
	}
	return count;
}

/* Differences of two sorted samples. */
struct differences {
	const double *a, *b;
	size_t m, k;
	double *sorted; /* NULL: too many */
};

/* Returns the difference with the rank from 1: the least number that so many differences do not exceed. */
static double difference_at(const struct differences *of, size_t rank)
{
	if (of->sorted != NULL)
		return of->sorted[rank - 1];
	uint64_t low = pl_sort_key(of->b[0] - of->a[of->m - 1]);
	uint64_t high = pl_sort_key(of->b[of->k - 1] - of->a[0]);
	while (low < high) {
		uint64_t middle = low + (high - low) / 2;
		if (count_to(of->a, of->m, of->b, of->k, pl_sort_number(middle)) >= rank)
			high = middle;
		else
			low = middle + 1;
	}
	return pl_sort_number(high) + 0.0; /* -0 is 0 */
}

static double *sort_differences(const double *a, size_t m, const double *b, size_t k)
{
	double *differences = pl_alloc_array(m * k, sizeof(*differences));

	for (size_t i = 0; i < m; i++) {
		for (size_t j = 0; j < k; j++)
			differences[i * k + j] = b[j] - a[i];
	}
	pl_stats_sort(differences, m * k);
	return differences;
}

struct res_rank_shift res_rank_shift(const double *before, size_t m, const double *after, size_t k)
{
	struct res_rank_shift found = { .interval = { NAN, NAN } };
	auto_free double *a = sorted_copy(before, m);
	auto_free double *b = sorted_copy(after, k);
	size_t pairs = m * k;
	auto_free double *sorted = pairs <= DIRECT_PAIRS ? sort_differences(a, m, b, k) : NULL;
	const struct differences all = { a, b, m, k, sorted };
	size_t beyond = count_beyond(a, m, b, k);

	found.shift = difference_at(&all, pairs / 2 + 1);
	if (pairs % 2 == 0)
		found.shift = (difference_at(&all, pairs / 2) + found.shift) / 2;
	if (beyond > 0)
		found.interval = (struct res_interval){ difference_at(&all, beyond),
							difference_at(&all, pairs + 1 - beyond) };
	return found;
}

double res_rank_median(const double *x, size_t n)
{
	if (n == 0)
		return NAN;
	auto_free double *copy = sorted_copy(x, n);
	return pl_stats_median_sorted(copy, n);
}

double res_rank_spread(const double *x, size_t n)
{
	if (n == 0)
		return NAN;
	auto_free double *copy = sorted_copy(x, n);
	double median = pl_stats_median_sorted(copy, n);
	for (size_t i = 0; i < n; i++)
		copy[i] = fabs(copy[i] - median);
	pl_stats_sort(copy, n);
	return RES_RANK_NORMAL * pl_stats_median_sorted(copy, n);
}

struct ranked {
	double p;
	size_t at;
};

static int compare_p(const void *a, const void *b)
{
	const struct ranked *one = a, *other = b;

	if (one->p != other->p)
		return one->p < other->p ? -1 : 1;
	return one->at < other->at ? -1 : 1;
}

void res_rank_discoveries(const double *p, size_t count, double *q)
{
	auto_free struct ranked *ranked = pl_alloc_array(count, sizeof(ranked[0]));
	double least = 1;

	for (size_t i = 0; i < count; i++)
		ranked[i] = (struct ranked){ p[i], i };
	qsort(ranked, count, sizeof(ranked[0]), compare_p);
	for (size_t i = count; i-- > 0;) {
		least = fmin(least, ranked[i].p * (double)count / (double)(i + 1));
		q[ranked[i].at] = least;
	}
}
