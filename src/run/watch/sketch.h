/*
 * A sample of times in memory of fixed size, for quantiles while a run lasts: counts of values in buckets whose edges
 * grow by 0.1 %, so a quantile is within 0.05 % of the exact one. Zero-initialized. Not thread-safe.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define RUN_SKETCH_BUCKETS 20740 /* 10 us to 10^4 s */

struct run_sketch {
	uint64_t count;
	uint32_t buckets[RUN_SKETCH_BUCKETS];
};

/* Adds a value in ms; one outside the range counts at its end. NaN: ignored. */
void run_sketch_add(struct run_sketch *sketch, double ms);
/* Returns the value with this rank, from 0; NAN if there is none. */
double run_sketch_at(const struct run_sketch *sketch, uint64_t rank);
/* Returns a percentile; NAN without values. */
double run_sketch_percentile(const struct run_sketch *sketch, double percent);

/* The median with its 95 % interval by order statistics of independent values; NAN: unknown. */
struct run_sketch_median {
	double median;
	double low;
	double high;
};
/* Below six values, no interval holds the median with 95 %. */
struct run_sketch_median run_sketch_median_of(const struct run_sketch *sketch);
