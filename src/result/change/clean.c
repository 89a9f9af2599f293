#include "result/change/clean.h"

#include <math.h>

#include "base/mem.h"
#include "base/stats.h"
#include "result/change/rank.h"

#define HALF (RES_CLEAN_WINDOW / 2)

double res_scale_apply(enum res_change_scale scale, double x)
{
	if (!isfinite(x))
		return NAN;
	switch (scale) {
	case RES_SCALE_LOG:
		return x > 0 ? log(x) : NAN;
	case RES_SCALE_LOGIT:
		return x > 0 && x < 1 ? log(x / (1 - x)) : NAN;
	case RES_SCALE_LINEAR:
		break;
	}
	return x;
}

double res_scale_revert(enum res_change_scale scale, double y)
{
	switch (scale) {
	case RES_SCALE_LOG:
		return exp(y);
	case RES_SCALE_LOGIT:
		return 1 / (1 + exp(-y));
	case RES_SCALE_LINEAR:
		break;
	}
	return y;
}

/* The values around one. */
struct window {
	const double *y;
	size_t count;
};

static struct window window_around(const double *y, size_t n, size_t at)
{
	size_t from = at < HALF ? 0 : at - HALF, to = at + HALF + 1 < n ? at + HALF + 1 : n;

	return (struct window){ y + from, to - from };
}

void res_clean_medians(const double *y, size_t n, double *median)
{
	for (size_t i = 0; i < n; i++) {
		struct window window = window_around(y, n, i);

		median[i] = res_rank_median(window.y, window.count);
	}
}

size_t res_clean_outliers(const double *y, size_t n, bool *flags)
{
	size_t count = 0;

	for (size_t i = 0; i < n; i++) {
		struct window window = window_around(y, n, i);
		double median = res_rank_median(window.y, window.count);
		double spread = res_rank_spread(window.y, window.count);

		flags[i] = fabs(y[i] - median) > RES_CLEAN_OUTLIER * spread;
		count += flags[i];
	}
	return count;
}

double res_clean_neighbors(const double *x, size_t n)
{
	double mean = pl_stats_mean(x, n), squares = 0, products = 0;

	for (size_t i = 0; i < n; i++) {
		squares += (x[i] - mean) * (x[i] - mean);
		products += i > 0 ? (x[i] - mean) * (x[i - 1] - mean) : 0;
	}
	return squares > 0 ? products / squares : 0;
}

double res_clean_correlation(const double *y, size_t n)
{
	if (n < RES_CLEAN_RELATED_MIN)
		return 0;
	auto_free double *distance = pl_alloc_array(n, sizeof(distance[0]));
	res_clean_medians(y, n, distance);
	for (size_t i = 0; i < n; i++)
		distance[i] = y[i] - distance[i];
	return res_clean_neighbors(distance, n);
}
