/*
 * Bins of equal width, as in numpy.histogram: edges[0] is the minimum, edges[bins] the maximum.
 * Each bin includes its lower edge; the last bin also includes its upper edge. If all values are
 * equal, the bins span half below to half above.
 */
#pragma once

#include <stddef.h>

/*
 * Fills counts[0..bins) and edges[0..bins]. x must be finite. Without values the edges span 0 to 1.
 */
void pl_histogram(const double *x, size_t n, size_t bins, size_t *counts, double *edges);
