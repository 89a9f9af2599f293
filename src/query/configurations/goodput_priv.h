/*
 * Bounds of the goodput of one run from its stored percentiles.
 *
 * numpy's percentile p of n samples lies between two samples, so it bounds how many samples keep a limit. How many
 * requests break several limits at once is not stored: the bounds assume all, or none.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define GOODPUT_PERCENTILES_MAX 16

/* The percentiles of one latency that is limited. */
struct goodput_latency {
	double limit;
	double percents[GOODPUT_PERCENTILES_MAX];
	double values[GOODPUT_PERCENTILES_MAX]; /* NaN: not recorded */
	size_t count;
	/* Not every completed request has a sample; those without one keep the limit. */
	bool is_partial;
};

/* Shares of the completed requests that keep all limits. */
struct goodput_bounds {
	double low;
	double high;
};

struct goodput_bounds query_goodput_bounds(const struct goodput_latency *latencies, size_t count,
					   double completed);
