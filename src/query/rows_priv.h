/* The rows of a response: sorting and paging. */
#pragma once

#include "base/buf.h"
#include "mirror/view.h"

struct rows_key {
	const struct mirror_column *column;
	bool descends;
};

/*
 * Sort keys as numbers: each row has a position per key, followed by its id. The first position that differs decides
 * the order of two rows.
 */
struct rows_order;
struct rows_order *query_rows_order_new(const struct mirror_view *view, const struct rows_key *keys,
					size_t key_count);
void query_rows_order_free(struct rows_order *order);
PL_AUTO_DEFINE(struct rows_order, query_rows_order_free);
#define auto_rows_order PL_AUTO(query_rows_order_free)

/* Returns the positions by each key, followed by that of the id: room for key_count + 1. */
void query_rows_positions(const struct rows_order *order, size_t row, uint64_t *ret_positions);
/* Returns the position of a value by a key, for a row that may no longer exist. */
uint64_t query_rows_position_of(const struct rows_order *order, size_t key,
				const struct mirror_value *value);
static inline uint64_t rows_position_of_id(int64_t id)
{
	return ~(uint64_t)id; /* newest first */
}

struct rows_page {
	const uint64_t *after; /* positions: only rows after these; NULL: all */
	size_t offset;
	size_t limit;
	size_t *rows; /* output, with room for `limit` */
	size_t count; /* output: number of rows */
	size_t left;  /* output: number of rows after these */
};
/* Selects a page from the rows in the bitmap. */
void query_rows_of_page(const struct rows_order *order, const uint64_t *rows,
			struct rows_page *page);

/* Writes rows as JSON: {id, run_id, simulated, verdict, cells}. Parts that are equal for all rows are made once. */
struct rows_writer;
/* `columns` NULL: every column field. Borrowed. */
struct rows_writer *query_rows_writer_new(const struct mirror_view *view,
					  const struct mirror_column *const *columns, size_t count);
void query_rows_writer_free(struct rows_writer *writer);
PL_AUTO_DEFINE(struct rows_writer, query_rows_writer_free);
#define auto_rows_writer PL_AUTO(query_rows_writer_free)
void query_rows_write(const struct rows_writer *writer, size_t row, struct pl_buf *out);
