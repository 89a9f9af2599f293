/*
 * A small random forest (Breiman 2001) and the permutation importance of its inputs: half of what
 * the squared error for rows that a tree has not seen grows by when the values of one input are
 * shuffled, as a share of the variance. If inputs are independent and the forest is exact, it is the
 * share that the input explains. It ranks inputs, and does not separate those that vary together.
 *
 * 60 trees of at most 10 levels; at most 2,000 rows, evenly spaced. The same rows in the same order
 * give the same numbers.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct impact_forest_input {
	const uint32_t *codes; /* by row */
	uint32_t level_count;
	bool is_ordered; /* otherwise values are split by their means */
};

struct impact_forest_question {
	const struct impact_forest_input *inputs;
	size_t input_count;
	const double *y; /* by row */
	size_t row_count;
	bool (*goes_on)(void *data); /* NULL: always */
	void *data;
};

/* Stores an importance per input, at least 0. Returns the explained share of the variance; NaN: none, or no time. */
double res_impact_forest_importances(const struct impact_forest_question *question, double *ret);
