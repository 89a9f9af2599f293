/*
 * The text by which a page of sorted rows goes on behind its last row: that row's values by each key, and its
 * id. So no row is shown twice and none is passed over, whatever has come, changed or gone in between; but where that
 * row itself has gone meanwhile, for rows that are alike with it in the first bytes of very long texts.
 */
#pragma once

#include "base/json.h"
#include "query/rows_priv.h"

/* Of the filter and the sort of a request: a cursor is for one question only. */
uint64_t query_cursor_question(const json_t *filter, const json_t *sort);

/* Appends the text, with quotes. */
void query_cursor_write(const struct rows_key *keys, size_t key_count, uint64_t question,
			const struct mirror_view *view, size_t row, struct pl_buf *out);
/* ret_places: key_count + 1. False: it is no cursor of this question. */
bool query_cursor_read(const char *text, const struct rows_key *keys, size_t key_count,
		       uint64_t question, const struct mirror_view *view,
		       const struct rows_order *order, uint64_t *ret_places);
