/*
 * Reads the stored documents again with the current reader, to rebuild their rows (reindex) or to verify them (check).
 */
#pragma once

#include "store/store.h"

/* Reports one line about a result; id 0: about none. */
typedef void store_reindex_report_fn(void *context, int64_t id, const char *text);

struct store_reindex {
	bool writes; /* rewrite rows that differ; else only report them */
	bool checks; /* also report whether run_id and content hash match the document */
	const json_t *
		filter; /* the results to read (query/filter.h), for a store opened with_columns; NULL: all */
	store_reindex_report_fn *report;
	void *context;
};
struct store_reindex_counts {
	int64_t results;
	int64_t differing; /* rows that did not match their document; with `writes` they were rewritten */
	int64_t broken;   /* documents that are missing or unreadable; their rows are unchanged */
	int64_t misnamed; /* run_id or hash differs from the document; never rewritten */
};
/*
 * Rows are written in groups, each complete. After a kill, the written rows remain, and another call continues with the
 * others. Returns -1 with INVALID for a faulty filter.
 */
int store_reindex(struct store *store, const struct store_reindex *options,
		  struct store_reindex_counts *ret, struct pl_err *err) PL_MUST_CHECK;

/*
 * Checks the database itself: that its integrity check passes, each result has one document and each document its
 * result, and the artifact files exist with the bytes that their names promise (is_quick: with the right sizes).
 */
struct store_reindex_faults {
	int64_t reported; /* number of faults reported */
	size_t unnamed;   /* files that belong to no artifact; not a fault */
};
int store_reindex_database(struct store *store, bool is_quick, store_reindex_report_fn *report,
			   void *context, struct store_reindex_faults *ret,
			   struct pl_err *err) PL_MUST_CHECK;
