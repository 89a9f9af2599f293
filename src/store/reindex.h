/*
 * Kept documents, read again with the reader of today: rows that are to be what it says (remap), and whether they
 * are (check).
 */
#pragma once

#include "store/store.h"

/* One line of what is found at a result; 0: of none. */
typedef void store_reindex_tell_fn(void *context, int64_t id, const char *text);

struct store_reindex {
	bool writes; /* rows that differ are written anew; else they are told alone */
	bool checks; /* whether run_id and the content's hash are the document's, too, is told */
	const json_t *
		filter; /* which results (query/filter.h; the store is open with_columns then); NULL: all */
	store_reindex_tell_fn *tell;
	void *context;
};
struct store_reindex_counts {
	int64_t results;
	int64_t differing; /* rows that are not what their document says; with `writes`: and now are */
	int64_t broken;    /* documents that are not there or cannot be read: their rows stay */
	int64_t misnamed; /* another run_id or hash than the document's: that is never written */
};
/*
 * Rows are written some at a time, each whole; a kill leaves those that were written, and to call it again goes on
 * with the others. -1, INVALID: the filter, of which err says one line.
 */
int store_reindex(struct store *store, const struct store_reindex *asked,
		  struct store_reindex_counts *ret, struct pl_err *err) PL_MUST_CHECK;

/*
 * The database beside its rows: that it is whole, as far as it says so itself, that each result has one document and
 * each document its result, and that files of artifacts are there, with the bytes that their names say; is_quick: with
 * as many of them.
 */
struct store_reindex_faults {
	int64_t told;   /* faults */
	size_t unnamed; /* files of no artifact: none */
};
int store_reindex_database(struct store *store, bool is_quick, store_reindex_tell_fn *tell,
			   void *context, struct store_reindex_faults *ret,
			   struct pl_err *err) PL_MUST_CHECK;
