/*
 * What one column has in some rows, one row behind the other: for what is made of rows, and not of how many rows
 * have a value.
 */
#pragma once

#include "mirror/view.h"

struct cell {
	unsigned char class; /* enum mirror_class */
	uint32_t code; /* the same for the same value, whoever set it, where it is no number */
	double number; /* of NUMBER; never -0 */
};

/* Of all rows of the bitmap, in their order: ret_cells has room for them. */
void query_cells_read(const struct mirror_view *view, const struct mirror_column *column,
		      const uint64_t *rows, struct cell *ret_cells);
