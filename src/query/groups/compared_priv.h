/*
 * The values of a field in some rows, for comparisons of sides and for charts (result/compare/compare.h), and the rows
 * that are excluded from both unless requested.
 */
#pragma once

#include "query/facets/tally_priv.h"
#include "result/compare/compare.h"

/* Lists the `most` most frequent values, SIZE_MAX: all; *ret is { 0 }. Uses the tally. */
void query_compared_values(struct tally *tally, const struct mirror_column *column,
			   const struct facet_rows *rows, size_t most,
			   struct res_compare_values *ret);

/* Returns all simulated rows. */
void query_compared_simulated(const struct mirror_view *view, uint64_t *ret_rows);
