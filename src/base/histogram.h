/*
 * Bins of equal width, as numpy.histogram makes them: edges[0] is the least value, edges[bins] the
 * largest, each bin holds what is at or above its lower edge, the last one its upper edge too.
 * Values that are all equal get bins from half below to half above.
 */
#pragma once

#include <stddef.h>

/* Fills counts[0..bins) and edges[0..bins]. x is finite; of none, the edges go from 0 to 1. */
void pl_histogram(const double *x, size_t n, size_t bins, size_t *counts, double *edges);
