/*
 * One field over some rows, for those who choose: how many have nothing, which values there are and how
 * often (FACET of query.h).
 */
#pragma once

#include "store/needle.h"
#include "store/view.h"

/* Memory that one query's facets use one after the other. */
struct facet_scratch;
struct facet_scratch *facet_scratch_new(const struct store_view *view);
void facet_scratch_free(struct facet_scratch *scratch);
PL_AUTO_DEFINE(struct facet_scratch, facet_scratch_free);
#define auto_facets PL_AUTO(facet_scratch_free)

struct facet_options {
	size_t limit;                      /* of values, where they are many */
	const struct store_needle *needle; /* that values have to contain; NULL: none */
	bool only_varying;
	bool by_count; /* the most frequent ones first, however few there are */
	size_t offset; /* so many of these are passed over */
};

/* New reference; NULL: all rows have the same, and only_varying was asked. */
json_t *facet_of(struct facet_scratch *scratch, const struct store_column *column,
		 const uint64_t *rows, const struct facet_options *options);

/* The values of one field alone, all of them told the most frequent first, from `offset` on: {count, distinct,
 * matching, values, more} of query.h. New reference. */
json_t *facet_values(struct facet_scratch *scratch, const struct store_column *column,
		     const uint64_t *rows, const struct facet_options *options);

/* ---- values as JSON -------------------------------------------------------------------------- */

/* NULL: not recorded. */
json_t *store_cell_to_json(const struct store_column *column, size_t row);
