/*
 * Numbers in bins whose edges a person reads at a glance.
 *
 * - Linear: steps of 1, 2 or 5 times a power of ten, edges at whole steps, some 10 to 25 bins. Whole
 *   numbers get whole steps, and a bin each where they lie close.
 * - Logarithmic (1, 2, 5, 10, 20, 50 …; powers of ten where that were too many) where nothing is below
 *   zero, the greatest is 100 times the least above zero or more, and over half lie in the lowest tenth
 *   of the range: a linear one would put these into one or two bins. Zero has a first bin of its own.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define QUERY_HISTOGRAM_BINS_MAX 32 /* a power of two */

struct query_counted {
	double number;
	size_t count;
};

/* Numbers that rise, and how often there is each: those at 0 are not there. */
struct query_rising {
	const double *numbers;
	const uint32_t *counts; /* their sum is a uint32_t, too */
	size_t count;
	bool are_whole; /* all of them surely are, and below 9e15; false: some may not */
};

/* Bin i holds edges[i] <= x < edges[i + 1]; the last one its end, too. Edges rise. */
struct query_histogram {
	size_t bins;
	double edges[QUERY_HISTOGRAM_BINS_MAX + 1];
	size_t counts[QUERY_HISTOGRAM_BINS_MAX];
};

/*
 * Finite numbers, each once, at least two of them, in any order and rising (NULL: all stand in the list); all of them
 * are in the bins. The first and the last rising one are there. Overwrites *ret.
 */
void query_histogram(const struct query_counted *numbers, size_t count,
		     const struct query_rising *rising, struct query_histogram *ret);
/* The first rising number that is not below this one; `count`: all are. */
size_t query_rising_find(const struct query_rising *rising, double number);
/* How many numbers there are from <= place < to, each as often as it is there. */
size_t query_rising_sum(const struct query_rising *rising, size_t from, size_t to);
