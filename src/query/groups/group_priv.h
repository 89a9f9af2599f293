/*
 * Rows in groups: those that have the same value in each of some fields are one. Null and not recorded are values
 * here, each of its own.
 */
#pragma once

#include "mirror/view.h"

struct groups {
	size_t row_count;
	uint32_t *
		of_row; /* by the row's place in the bitmap; `count`: in none of those that were kept */
	size_t *row;  /* of each group one that is in it */
	size_t *rows; /* how many are */
	size_t count;
	size_t more; /* groups that were left out */
};

/*
 * Of the rows in a bitmap, in the order of the first field's values, of the same in that of the second's, and so on
 * (query/order.h; null and not recorded last): the first `limit` of them. No field: one group of all, of no row too.
 */
void query_groups_of(const struct mirror_view *view, const struct mirror_column *const *columns,
		     size_t column_count, const uint64_t *rows, size_t limit, struct groups *ret);
void query_groups_done(struct groups *groups);
#define auto_groups __attribute__((cleanup(query_groups_done), unused)) struct groups
