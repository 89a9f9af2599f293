/*
 * One field over some rows, for those who choose: how many have nothing, which values there are and how
 * often (FACET of query.h).
 */
#pragma once

#include "base/buf.h"
#include "query/needle.h"
#include "mirror/view.h"

/* Rows of all segments, made ready to be counted by again and again. Borrows the bitmap. */
struct facet_rows;
struct facet_rows *query_facet_rows_new(const struct mirror_view *view, const uint64_t *rows);
void query_facet_rows_free(struct facet_rows *rows);
PL_AUTO_DEFINE(struct facet_rows, query_facet_rows_free);
#define auto_facet_rows PL_AUTO(query_facet_rows_free)
size_t query_facet_rows_count(const struct facet_rows *rows);

/* Memory that one query's facets use one after the other. */
struct facet_scratch;
struct facet_scratch *query_facet_scratch_new(void);
void query_facet_scratch_free(struct facet_scratch *scratch);
PL_AUTO_DEFINE(struct facet_scratch, query_facet_scratch_free);
#define auto_facets PL_AUTO(query_facet_scratch_free)

struct facet_options {
	size_t offset;                     /* of values that are listed by how frequent they are */
	size_t limit;                      /* of values, where they are many */
	const struct query_needle *needle; /* that values have to contain; NULL: none */
	bool only_varying;
	bool counts_alone; /* of numbers of which there are many different ones */
	bool with_control; /* what a control of the field needs, too (OPTION of query.h) */
};

/*
 * Appends "ID": {…}, behind a comma where there is something in front. False, with nothing written: all
 * rows have the same, and only_varying was asked.
 */
bool query_facet_of(struct facet_scratch *scratch, const struct mirror_column *column,
		    const struct facet_rows *rows, const struct facet_options *options,
		    struct pl_buf *out);
/* Appends the members of a VALUES of query.h: all values, the most frequent first. */
void query_facet_values(struct facet_scratch *scratch, const struct mirror_column *column,
			const struct facet_rows *rows, const struct facet_options *options,
			struct pl_buf *out);
