/*
 * One field over some rows, for choosing values: how many rows have none, and the values with their counts (FACET of
 * query.h).
 */
#pragma once

#include "base/buf.h"
#include "mirror/view.h"
#include "query/needle.h"

/* Rows of all segments, prepared for repeated counting. Borrows the bitmap. */
struct facet_rows;
struct facet_rows *query_facet_rows_new(const struct mirror_view *view, const uint64_t *rows);
void query_facet_rows_free(struct facet_rows *rows);
PL_AUTO_DEFINE(struct facet_rows, query_facet_rows_free);
#define auto_facet_rows PL_AUTO(query_facet_rows_free)
size_t query_facet_rows_count(const struct facet_rows *rows);

/* Memory that the facets of one query reuse. */
struct facet_scratch;
struct facet_scratch *query_facet_scratch_new(void);
void query_facet_scratch_free(struct facet_scratch *scratch);
PL_AUTO_DEFINE(struct facet_scratch, query_facet_scratch_free);
#define auto_facets PL_AUTO(query_facet_scratch_free)

struct facet_options {
	size_t offset;                     /* in the values, sorted by frequency */
	size_t limit;                      /* of listed values, if there are many */
	const struct query_needle *needle; /* text that values must contain; NULL: none */
	bool only_varying;
	bool counts_only;  /* for fields with many distinct numbers: only counts */
	bool with_control; /* include what a form control of the field needs (OPTION of query.h) */
};

/*
 * Appends "ID": {…}, after a comma if it is not the first. Returns false and writes nothing if all rows have the same
 * value and only_varying is set.
 */
bool query_facet_of(struct facet_scratch *scratch, const struct mirror_column *column,
		    const struct facet_rows *rows, const struct facet_options *options,
		    struct pl_buf *out);
/* Appends the members of a VALUES of query.h: all values, the most frequent first. */
void query_facet_values(struct facet_scratch *scratch, const struct mirror_column *column,
			const struct facet_rows *rows, const struct facet_options *options,
			struct pl_buf *out);
