#include "base/histogram.h"

#include <math.h>

static void range_of(const double *x, size_t n, double *ret_low, double *ret_high)
{
	double low = n > 0 ? x[0] : 0, high = n > 0 ? x[0] : 1;

	for (size_t i = 1; i < n; i++) {
		low = fmin(low, x[i]);
		high = fmax(high, x[i]);
	}
	/* As in numpy, because bins of width zero would contain nothing. */
	if (low == high) {
		low -= 0.5;
		high += 0.5;
	}
	*ret_low = low;
	*ret_high = high;
}

void pl_histogram(const double *x, size_t n, size_t bins, size_t *counts, double *edges)
{
	double low, high;

	range_of(x, n, &low, &high);
	double step = (high - low) / (double)bins;
	for (size_t i = 0; i < bins; i++) {
		/*
		 * In numpy's order of operations (linspace): tests compare the edges to the last
		 * digit.
		 */
		edges[i] = (double)i * step + low;
		counts[i] = 0;
	}
	edges[bins] = high;
	for (size_t i = 0; i < n; i++) {
		size_t at = (size_t)((x[i] - low) / (high - low) * (double)bins);
		/* The largest value lies on the last edge, which belongs to the last bin. */
		if (at >= bins)
			at = bins - 1;
		/* the division may have rounded across an edge */
		if (at > 0 && x[i] < edges[at])
			at--;
		else if (at + 1 < bins && x[i] >= edges[at + 1])
			at++;
		counts[at]++;
	}
}
