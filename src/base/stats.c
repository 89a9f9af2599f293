#include "base/stats.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/sort.h"

/*
 * From this size on, samples are radix-sorted: for millions of gaps qsort() takes longer than all
 * computations.
 */
#define SORT_BY_BITS_MIN 4096
#define DIGITS           8 /* of a byte each */

/*
 * numpy's pairwise sum: short runs left to right, runs of at most 128 in eight lanes, longer ones
 * halved at a multiple of eight. The start at -0 keeps the sign of a sum of negative zeros.
 */
static double pairwise(const double *x, size_t n)
{
	if (n < 8) {
		double sum = -0.0;
		for (size_t i = 0; i < n; i++)
			sum += x[i];
		return sum;
	}
	if (n > 128) {
		size_t half = n / 2;
		half -= half % 8;
		return pairwise(x, half) + pairwise(x + half, n - half);
	}
	double lane[8];
	size_t i;
	for (i = 0; i < 8; i++)
		lane[i] = x[i];
	for (; i < n - n % 8; i += 8) {
		for (size_t j = 0; j < 8; j++)
			lane[j] += x[i + j];
	}
	double sum = ((lane[0] + lane[1]) + (lane[2] + lane[3])) +
		     ((lane[4] + lane[5]) + (lane[6] + lane[7]));
	for (; i < n; i++)
		sum += x[i];
	return sum;
}

double pl_stats_sum(const double *x, size_t n)
{
	return n > 0 ? pairwise(x, n) : 0;
}

double pl_stats_mean(const double *x, size_t n)
{
	/* numpy's reduction begins with 0, which turns a sum of -0 into 0. */
	return n > 0 ? (0 + pairwise(x, n)) / (double)n : NAN;
}

/* pairwise() over (x - mean)², without an array for the squares. */
static double pairwise_squares(const double *x, size_t n, double mean)
{
	double squares[128];

	if (n > 128) {
		size_t half = n / 2;
		half -= half % 8;
		return pairwise_squares(x, half, mean) + pairwise_squares(x + half, n - half, mean);
	}
	for (size_t i = 0; i < n; i++) {
		double distance = x[i] - mean;
		squares[i] = distance * distance;
	}
	return pairwise(squares, n);
}

double pl_stats_std(const double *x, size_t n)
{
	if (n == 0)
		return NAN;
	return sqrt((0 + pairwise_squares(x, n, pl_stats_mean(x, n))) / (double)n);
}

/* Sorts NaN last, as numpy does. */
static int compare(const void *left, const void *right)
{
	double a = *(const double *)left;
	double b = *(const double *)right;

	if (isnan(a) || isnan(b))
		return isnan(a) - isnan(b);
	return (a > b) - (a < b);
}

static unsigned digit_of(uint64_t key, unsigned digit)
{
	return (unsigned)(key >> (8 * digit)) & 0xff;
}

/* Sorts by one digit after another, the lowest first; each pass is stable. */
static void sort_by_bits(double *x, size_t n)
{
	auto_free uint64_t *keys = pl_alloc_array(2 * n, sizeof(*keys));
	size_t counts[DIGITS][256] = { 0 };
	uint64_t *from = keys, *to = keys + n;

	for (size_t i = 0; i < n; i++) {
		from[i] = pl_sort_key(x[i]);
		for (unsigned digit = 0; digit < DIGITS; digit++)
			counts[digit][digit_of(from[i], digit)]++;
	}
	for (unsigned digit = 0; digit < DIGITS; digit++) {
		size_t at = 0;
		/* the same in all of them, as the first ones of times mostly are */
		if (counts[digit][digit_of(from[0], digit)] == n)
			continue;
		for (size_t value = 0; value < 256; value++) {
			size_t count = counts[digit][value];
			counts[digit][value] = at;
			at += count;
		}
		for (size_t i = 0; i < n; i++)
			to[counts[digit][digit_of(from[i], digit)]++] = from[i];
		uint64_t *other = from;
		from = to;
		to = other;
	}
	for (size_t i = 0; i < n; i++)
		x[i] = pl_sort_number(from[i]);
}

void pl_stats_sort(double *x, size_t n)
{
	if (n >= SORT_BY_BITS_MIN)
		sort_by_bits(x, n);
	else if (n > 1)
		qsort(x, n, sizeof(*x), compare);
}

size_t pl_stats_count_below(const double *x, size_t n, double limit)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (x[middle] < limit)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

size_t pl_stats_count_to(const double *x, size_t n, double limit)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (x[middle] <= limit)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

double pl_stats_median_sorted(const double *x, size_t n)
{
	if (n == 0)
		return NAN;
	return n % 2 == 1 ? x[n / 2] : (x[n / 2 - 1] + x[n / 2]) / 2;
}

struct pl_stats_position pl_stats_percentile_position(size_t n, double p)
{
	double share = p / 100;
	double at = (double)(n - 1) * share;
	size_t i = (size_t)at;

	if (i >= n - 1)
		return (struct pl_stats_position){ n - 1, 0 };
	return (struct pl_stats_position){ i, at - (double)i };
}

/* numpy's _lerp(): from the nearer end. */
double pl_stats_between(double below, double above, double share)
{
	double step = above - below;

	return share < 0.5 ? below + step * share : above - step * (1 - share);
}

double pl_stats_percentile_sorted(const double *x, size_t n, double p)
{
	if (n == 0 || !(p >= 0 && p <= 100))
		return NAN;
	struct pl_stats_position position = pl_stats_percentile_position(n, p);
	double below = x[position.below];
	return pl_stats_between(below, position.share > 0 ? x[position.below + 1] : below,
				position.share);
}
