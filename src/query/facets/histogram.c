/*
 * Edges are computed as k * m * 10^e with integers k and m, by one division or multiplication each, so the double is
 * the one nearest to the displayed decimal: 0.3, not 0.30000000000000004.
 */
#include "query/facets/histogram.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/stats.h"

#define LINEAR_BINS_MAX 24
#define RATIO_LOG       100
#define LOW_PART        0.1
#define SUM_LANES       16
#define EXACT_MAX       9e15 /* doubles are exact up to here */

struct spread {
	double least, most, least_positive;
	bool is_whole;
};

/* The numbers from the caller. */
struct given {
	const struct query_counted *numbers;
	size_t count;
	struct query_rising rising;
};

/* m * 10^e */
struct step {
	int mantissa;
	int exponent;
};

static bool is_whole(double number)
{
	double whole = (double)(long long)number;

	return whole >= number && whole <= number;
}

/* Returns the sum of the counts with from <= index < to. */
static size_t rising_sum(const struct query_rising *rising, size_t from, size_t to)
{
	uint32_t sums[SUM_LANES] = { 0 }, sum = 0;

	for (; to - from >= SUM_LANES; from += SUM_LANES) {
		for (size_t i = 0; i < SUM_LANES; i++)
			sums[i] += rising->counts[from + i];
	}
	for (; from < to; from++)
		sum += rising->counts[from];
	for (size_t i = 0; i < SUM_LANES; i++)
		sum += sums[i];
	return sum;
}

static bool is_whole_and_exact(double number)
{
	return fabs(number) < EXACT_MAX && is_whole(number);
}

static void add_rising(const struct query_rising *rising, struct spread *spread)
{
	size_t positive = pl_stats_count_below(rising->numbers, rising->count, 0);

	if (rising->count == 0)
		return;
	spread->least = fmin(spread->least, rising->numbers[0]);
	spread->most = fmax(spread->most, rising->numbers[rising->count - 1]);
	while (positive < rising->count &&
	       (rising->counts[positive] == 0 || rising->numbers[positive] <= 0))
		positive++;
	if (positive < rising->count)
		spread->least_positive = fmin(spread->least_positive, rising->numbers[positive]);
	for (size_t i = 0; spread->is_whole && !rising->are_whole && i < rising->count; i++)
		spread->is_whole = rising->counts[i] == 0 || is_whole_and_exact(rising->numbers[i]);
}

static struct spread spread_of(const struct given *given)
{
	const struct query_counted *numbers = given->numbers;
	struct spread spread = {
		.least = INFINITY, .most = -INFINITY, .least_positive = INFINITY, .is_whole = true
	};

	for (size_t i = 0; i < given->count; i++) {
		double number = numbers[i].number;
		if (number < spread.least)
			spread.least = number;
		if (number > spread.most)
			spread.most = number;
		if (number > 0 && number < spread.least_positive)
			spread.least_positive = number;
		spread.is_whole = spread.is_whole && is_whole_and_exact(number);
	}
	add_rising(&given->rising, &spread);
	return spread;
}

static bool is_logarithmic(const struct given *given, const struct spread *spread)
{
	const struct query_rising *rising = &given->rising;
	double low = spread->least + (spread->most - spread->least) * LOW_PART;
	size_t all = 0, below = 0;

	if (spread->least < 0 || spread->most / RATIO_LOG < spread->least_positive)
		return false;
	for (size_t i = 0; i < given->count; i++) {
		all += given->numbers[i].count;
		below += (given->numbers[i].number < low) * given->numbers[i].count;
	}
	all += rising_sum(rising, 0, rising->count);
	below += rising_sum(rising, 0, pl_stats_count_below(rising->numbers, rising->count, low));
	return below > all / 2;
}

/* Powers are exact up to 22; beyond, the edge is close enough. */
static double times_ten_to(double number, int exponent)
{
	if (exponent < -300) /* the power itself would underflow */
		return number / pow(10, -300 - exponent) * 1e-300;
	return exponent < 0 ? number / pow(10, -exponent) : number * pow(10, exponent);
}

static double edge_at(const struct step *step, double k)
{
	double edge = times_ten_to(k * step->mantissa, step->exponent);

	return fmin(fmax(edge, -DBL_MAX), DBL_MAX);
}

/* Returns the least readable step >= size. */
static struct step step_of(double size)
{
	static const int mantissas[] = { 1, 2, 5, 10 };
	int exponent = (int)floor(log10(size));

	for (size_t i = 0; i < 3; i++) {
		if (times_ten_to(mantissas[i], exponent) >= size)
			return (struct step){ mantissas[i], exponent };
	}
	return (struct step){ 1, exponent + 1 };
}

/* ---- edges ---------------------------------------------------------------------------------- */

static size_t linear_edges(const struct spread *spread, double *edges)
{
	/* the difference of the greatest doubles overflows */
	double size = spread->most / LINEAR_BINS_MAX - spread->least / LINEAR_BINS_MAX;
	struct step step = { 1, 0 };
	size_t count = 0;

	if (!spread->is_whole || size > 1)
		step = step_of(fmax(size, DBL_MIN));
	double width = edge_at(&step, 1);
	double first = floor(spread->least / width);
	/* the bin of the greatest whole number is as wide as the others */
	double last = spread->is_whole ? floor(spread->most / width) + 1
				       : ceil(spread->most / width);
	for (double k = first; k <= last && count <= QUERY_HISTOGRAM_BINS_MAX; k++)
		edges[count++] = edge_at(&step, k);
	return count;
}

/* From the last mark <= the least positive number to the first >= the greatest. */
static size_t log_edges(const struct spread *spread, double *edges)
{
	static const int mantissas[] = { 1, 2, 5 };
	int first = (int)floor(log10(spread->least_positive));
	int decades = (int)ceil(log10(spread->most)) - first + 1;
	int each = decades * 3 < QUERY_HISTOGRAM_BINS_MAX ? 3 : 1; /* zero may need one, too */
	int stride = each == 3 ? 1 : (decades + LINEAR_BINS_MAX - 1) / LINEAR_BINS_MAX;
	size_t zero = spread->least <= 0, count = zero;

	edges[0] = 0;
	for (int i = 0; count <= QUERY_HISTOGRAM_BINS_MAX; i++) {
		double mark = fmin(times_ten_to(mantissas[i % each], first + i / each * stride),
				   DBL_MAX);
		/* the previous one was not needed */
		if (count == zero + 1 && mark <= spread->least_positive)
			count--;
		edges[count++] = mark;
		if (mark >= spread->most && count > zero + 1)
			break;
	}
	return count;
}

/* If doubles are too coarse for every step, there is one bin. */
static bool are_right(const struct spread *spread, const double *edges, size_t count)
{
	if (count < 2 || edges[0] > spread->least || edges[count - 1] < spread->most)
		return false;
	for (size_t i = 1; i < count; i++) {
		if (!(edges[i] > edges[i - 1]))
			return false;
	}
	return true;
}

/* Finds the bin bit by bit, without a branch that would be mispredicted half of the time. */
static void count_in_bins(const struct query_counted *numbers, size_t count,
			  struct query_histogram *histogram)
{
	double begins[QUERY_HISTOGRAM_BINS_MAX];

	for (size_t i = 0; i < QUERY_HISTOGRAM_BINS_MAX; i++)
		begins[i] = i < histogram->bins ? histogram->edges[i] : INFINITY;
	for (size_t i = 0; i < count; i++) {
		double number = numbers[i].number;
		size_t bin = 0;
#pragma GCC unroll 8
		for (size_t step = QUERY_HISTOGRAM_BINS_MAX / 2; step > 0; step /= 2)
			bin += begins[bin + step] <= number ? step : 0;
		histogram->counts[bin] += numbers[i].count;
	}
}

void query_histogram(const struct query_counted *numbers, size_t count,
		     const struct query_rising *rising, struct query_histogram *ret)
{
	const struct given given = { numbers, count,
				     rising != NULL ? *rising : (struct query_rising){ 0 } };
	struct spread spread = spread_of(&given);
	size_t edges;

	memset(ret, 0, sizeof(*ret));
	edges = is_logarithmic(&given, &spread) ? log_edges(&spread, ret->edges)
						: linear_edges(&spread, ret->edges);
	if (!are_right(&spread, ret->edges, edges)) {
		ret->edges[0] = spread.least;
		ret->edges[1] = spread.most;
		edges = 2;
	}
	ret->bins = edges - 1;
	count_in_bins(numbers, count, ret);
	/* Numbers below the first edge are in the first bin, those above the last in the last. */
	for (size_t bin = 0, from = 0, to; bin < ret->bins; bin++, from = to) {
		to = bin + 1 < ret->bins
			     ? pl_stats_count_below(given.rising.numbers, given.rising.count,
						    ret->edges[bin + 1])
			     : given.rising.count;
		ret->counts[bin] += rising_sum(&given.rising, from, to);
	}
}
