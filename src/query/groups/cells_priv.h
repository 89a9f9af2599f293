/* Reads the values of one column in some rows, row by row, for computations per row instead of per value. */
#pragma once

#include "mirror/view.h"

struct cell {
	unsigned char class; /* enum mirror_class */
	uint32_t code;       /* equal for equal values, explicit or not, unless it is a number */
	double number;       /* of NUMBER; never -0 */
};

/* Reads all rows of the bitmap in order: ret_cells has room for them. */
void query_cells_read(const struct mirror_view *view, const struct mirror_column *column,
		      const uint64_t *rows, struct cell *ret_cells);
