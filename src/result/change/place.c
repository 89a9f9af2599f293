/*
 * Where a change may be: all places at which a step fits the values almost as well as at the best
 * one. Twice the difference of log-likelihoods of two normal levels is (S(τ) - S(best)) / σ², S the
 * sum of squares around the means of both sides. It exceeds -2·ln(1 - sqrt(0.95)) = 7.35 for the
 * true place with a probability of 5 % (Yao 1987). Values are limited to 3.5 σ from the median of
 * their side, so outliers do not decide; σ² grows by (1+r)/(1-r) for correlated values.
 */
#include "result/change/change_priv.h"

#include <math.h>

#include "result/change/rank.h"

#define UNLIKELY 7.352

static double clip(double x, double center, double distance)
{
	return fmin(fmax(x, center - distance), center + distance);
}

/* Sets sums[i] and squares[i] to those of the first i limited values from `from`. */
static void sum_values(const struct res_change_part *part, size_t from, size_t at, size_t end,
		       double sigma, double *sums, double *squares)
{
	const double *y = part->y;
	double before = res_rank_median(y + from, at - from);
	double after = res_rank_median(y + at, end - at);

	for (size_t i = from; i < end; i++) {
		/* relative to one of the levels, so that squares lose no digits */
		double center = i < at ? before : after;
		double x = clip(y[i], center, RES_CLEAN_OUTLIER * sigma) - before;

		sums[i - from + 1] = sums[i - from] + x;
		squares[i - from + 1] = squares[i - from] + x * x;
	}
}

static double rest_of(const double *sums, const double *squares, size_t at, size_t n)
{
	double left = sums[at], right = sums[n] - sums[at];

	return squares[n] - left * left / (double)at - right * right / (double)(n - at);
}

static void place(const struct res_change_part *part, size_t from, size_t end,
		  struct res_change *change)
{
	size_t n = end - from, at = change->index - from;
	struct res_change_rest rest = res_change_rest_of(part->y, from, change->index, end);
	double sigma = rest.noise;
	auto_free double *sums = pl_alloc_array(n + 1, sizeof(sums[0]));
	auto_free double *squares = pl_alloc_array(n + 1, sizeof(squares[0]));

	change->low = change->high = change->index;
	if (!(sigma > 0))
		return;
	sum_values(part, from, change->index, end, sigma, sums, squares);
	double related = fmin(fmax(rest.correlation, 0), 0.9);
	double limit = UNLIKELY * sigma * sigma * (1 + related) / (1 - related);
	double best = rest_of(sums, squares, at, n);
	for (size_t i = 1; i < n; i++) {
		if (rest_of(sums, squares, i, n) - best > limit)
			continue;
		change->low = from + i < change->low ? from + i : change->low;
		change->high = from + i > change->high ? from + i : change->high;
	}
}

void res_change_place(const struct res_change_part *part, struct res_change_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		size_t from = i > 0 ? list->items[i - 1].index : part->from;
		size_t end = i + 1 < list->count ? list->items[i + 1].index : part->end;

		place(part, from, end, &list->items[i]);
	}
}
