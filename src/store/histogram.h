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

#include <stddef.h>

#define STORE_HISTOGRAM_BINS_MAX 32 /* a power of two */

struct store_counted {
	double number;
	size_t count;
};

/* Bin i holds edges[i] <= x < edges[i + 1]; the last one its end, too. Edges rise. */
struct store_histogram {
	size_t bins;
	double edges[STORE_HISTOGRAM_BINS_MAX + 1];
	size_t counts[STORE_HISTOGRAM_BINS_MAX];
};

/* Finite numbers, each once, at least two of them; all of them are in the bins. Overwrites *ret. */
void store_histogram(const struct store_counted *numbers, size_t count,
		     struct store_histogram *ret);
