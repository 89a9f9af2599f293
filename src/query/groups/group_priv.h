/* Groups of rows with the same value in each of some fields. Null and not recorded are two separate values here. */
#pragma once

#include "mirror/view.h"

struct groups {
	size_t row_count;
	uint32_t *
		of_row; /* by index of the row in the bitmap; `count`: not in one of the kept groups */
	size_t *row;    /* one row of each group */
	size_t *rows; /* number of rows in each group */
	size_t count;
	size_t more; /* omitted groups */
};

/*
 * Groups the rows in a bitmap, sorted by the first field's values, then by the second's, and so on (query/order.h; null
 * and not recorded last), and keeps the first `limit` groups. Without fields: one group of all rows, even if there are
 * none.
 */
void query_groups_of(const struct mirror_view *view, const struct mirror_column *const *columns,
		     size_t column_count, const uint64_t *rows, size_t limit, struct groups *ret);
void query_groups_done(struct groups *groups);
