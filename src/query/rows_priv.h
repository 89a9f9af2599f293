/*
 * The rows of an answer: sorted, a page of them.
 */
#pragma once

#include "base/buf.h"
#include "mirror/view.h"

struct rows_key {
	const struct mirror_column *column;
	bool descends;
};

/*
 * Keys as numbers: each row has a place by each key, and last its id; of two rows the one whose places
 * are less, the first that differ, stands in front.
 */
struct rows_order;
struct rows_order *query_rows_order_new(const struct mirror_view *view, const struct rows_key *keys,
					size_t key_count);
void query_rows_order_free(struct rows_order *order);
PL_AUTO_DEFINE(struct rows_order, query_rows_order_free);
#define auto_rows_order PL_AUTO(query_rows_order_free)

/* Key by key, and then the id: room for key_count + 1. */
void query_rows_places(const struct rows_order *order, size_t row, uint64_t *ret_places);
/* Of a row that may be no more: it had this value there, this id. */
uint64_t query_rows_place_of(const struct rows_order *order, size_t key,
			     const struct mirror_value *value);
static inline uint64_t rows_place_of_id(int64_t id)
{
	return ~(uint64_t)id; /* the newest first */
}

struct rows_page {
	const uint64_t *after; /* places: only rows behind these; NULL: all */
	size_t offset;
	size_t limit;
	size_t *rows; /* out: room for `limit` */
	size_t count; /* out: of them */
	size_t left;  /* out: behind them */
};
/* Of the rows in the bitmap. */
void query_rows_of_page(const struct rows_order *order, const uint64_t *rows,
			struct rows_page *page);

/*
 * Rows as JSON: {id, run_id, simulated, verdict, cells}. What is the same for every row is made once.
 */
struct rows_writer;
/* `columns` NULL: every column field. Borrowed. */
struct rows_writer *query_rows_writer_new(const struct mirror_view *view,
					  const struct mirror_column *const *columns, size_t count);
void query_rows_writer_free(struct rows_writer *writer);
PL_AUTO_DEFINE(struct rows_writer, query_rows_writer_free);
#define auto_rows_writer PL_AUTO(query_rows_writer_free)
void query_rows_write(const struct rows_writer *writer, size_t row, struct pl_buf *out);
