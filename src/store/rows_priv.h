/*
 * The rows of an answer: sorted, a page of them, as JSON.
 */
#pragma once

#include "store/view.h"

struct rows_key {
	const struct store_column *column;
	bool descends;
};

/*
 * The page's rows of those in the bitmap (of which there are `count`), sorted: at most `limit` from
 * `offset` on. ret_rows has room for `limit`; returns how many.
 */
size_t rows_of_page(const struct store_view *view, const uint64_t *rows, size_t count,
		    const struct rows_key *keys, size_t key_count, size_t offset, size_t limit,
		    size_t *ret_rows);

/* {id, run_id, simulated, verdict, cells}. `columns` NULL: every column field. New reference. */
json_t *row_to_json(const struct store_view *view, size_t row,
		    const struct store_column *const *columns, size_t column_count);
