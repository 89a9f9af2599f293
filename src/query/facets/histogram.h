/*
 * Numbers in bins with readable edges.
 * - Linear: steps of 1, 2 or 5 times a power of ten, edges at multiples of the step, about 10 to 25 bins. Whole numbers
 *   get whole steps, and one bin each if they are close together.
 * - Logarithmic (1, 2, 5, 10, 20, 50 …; powers of ten if these would be too many) if no number is negative, the
 *   greatest is at least 100 times the least positive one, and over half are in the lowest tenth of the range, where a
 *   linear histogram would have one or two bins. Zero has a separate first bin.
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

/* Ascending numbers with their counts. Numbers with a count of 0 are ignored. */
struct query_rising {
	const double *numbers;
	const uint32_t *counts; /* their sum fits a uint32_t, too */
	size_t count;
	bool are_whole; /* all numbers are known to be whole and below 9e15 */
};

/* Bin i holds edges[i] <= x < edges[i + 1]; the last one includes its end. Edges are ascending. */
struct query_histogram {
	size_t bins;
	double edges[QUERY_HISTOGRAM_BINS_MAX + 1];
	size_t counts[QUERY_HISTOGRAM_BINS_MAX];
};

/*
 * Distinct finite numbers, at least two: a list in any order and an ascending one (NULL: only the list). The bins cover
 * all of them. The first and the last ascending number have counts above 0. Overwrites *ret.
 */
void query_histogram(const struct query_counted *numbers, size_t count,
		     const struct query_rising *rising, struct query_histogram *ret);
