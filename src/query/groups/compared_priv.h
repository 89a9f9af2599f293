/*
 * What rows have at a field, for the code that compares (result/compare/compare.h), by a comparison of sides and by a chart; and
 * which rows have no place beside others, unless they are asked for.
 */
#pragma once

#include "result/compare/compare.h"
#include "query/facets/tally_priv.h"

/* The `most` most frequent values are listed, SIZE_MAX: all; *ret is { 0 }. The tally is used for it. */
void query_compared_values(struct tally *tally, const struct mirror_column *column,
			   const struct facet_rows *rows, size_t most,
			   struct res_compare_values *ret);

/* Rows that are simulated, of all. */
void query_compared_simulated(const struct mirror_view *view, uint64_t *ret_rows);
