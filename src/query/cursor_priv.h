/*
 * A cursor: the values of a page's last row by each key, and its id. The next page starts after them, so no row is
 * repeated or skipped when results are added, changed or removed in between. The exception is a removed last row with
 * very long texts, among rows whose texts have the same first bytes.
 */
#pragma once

#include "base/json.h"
#include "query/rows_priv.h"

/* Returns a hash of the filter and the sort of a request, and of the epoch: a cursor is only valid for one query of them. */
uint64_t query_cursor_question(const json_t *filter, const json_t *sort, int64_t epoch);

/* Appends the text, with quotes. */
void query_cursor_write(const struct rows_key *keys, size_t key_count, uint64_t question,
			const struct mirror_view *view, size_t row, struct pl_buf *out);
/* ret_positions: key_count + 1. Returns false if it is not a cursor of this query. */
bool query_cursor_read(const char *text, const struct rows_key *keys, size_t key_count,
		       uint64_t question, const struct mirror_view *view,
		       const struct rows_order *order, uint64_t *ret_positions);
