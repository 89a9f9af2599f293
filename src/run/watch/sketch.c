#include "run/watch/sketch.h"

#include <math.h>

#include "base/stats.h"

#define LOWEST_MS 0.01
#define GROWTH    1.001
/* Standard normal quantile of 0.975. */
#define Z                1.959964
#define MEDIAN_MIN_COUNT 6

static double edge(size_t bucket)
{
	return LOWEST_MS * pow(GROWTH, (double)bucket);
}

void run_sketch_add(struct run_sketch *sketch, double ms)
{
	if (isnan(ms))
		return;
	double at = ms > LOWEST_MS ? log(ms / LOWEST_MS) / log(GROWTH) : 0;
	size_t bucket = at < RUN_SKETCH_BUCKETS - 1 ? (size_t)at : RUN_SKETCH_BUCKETS - 1;
	sketch->buckets[bucket]++;
	sketch->count++;
}

double run_sketch_at(const struct run_sketch *sketch, uint64_t rank)
{
	uint64_t below = 0;

	for (size_t i = 0; i < RUN_SKETCH_BUCKETS; i++) {
		below += sketch->buckets[i];
		/* the first bucket also has everything below the range */
		if (rank < below)
			return i == 0 ? 0 : edge(i) * sqrt(GROWTH);
	}
	return NAN;
}

double run_sketch_percentile(const struct run_sketch *sketch, double percent)
{
	if (sketch->count == 0)
		return NAN;
	struct pl_stats_position at = pl_stats_percentile_position(sketch->count, percent);
	double below = run_sketch_at(sketch, at.below);

	return at.share > 0 ? pl_stats_between(below, run_sketch_at(sketch, at.below + 1), at.share)
			    : below;
}

/* Ranks by the normal approximation of binomial(n, 1/2); it is exact enough from n = 6, where the range is whole. */
struct run_sketch_median run_sketch_median_of(const struct run_sketch *sketch)
{
	struct run_sketch_median ret = { .median = run_sketch_percentile(sketch, 50),
					 .low = NAN,
					 .high = NAN };
	double n = (double)sketch->count;

	if (sketch->count < MEDIAN_MIN_COUNT)
		return ret;
	double low = floor((n - Z * sqrt(n)) / 2);
	uint64_t lower = low > 0 ? (uint64_t)low - (low >= 1) : 0;
	uint64_t upper = sketch->count - 1 - lower;
	ret.low = run_sketch_at(sketch, lower);
	ret.high = run_sketch_at(sketch, upper);
	return ret;
}
