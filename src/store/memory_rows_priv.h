/*
 * Rows of the database on their way into memory. A second thread prefetches rows if there are many, because reading a
 * row of a thousand columns takes as long as inserting it.
 */
#pragma once

#include "store/db/runs.h"

struct memory_row {
	struct mirror_row row;
	int64_t changed; /* data version of its last change */
	bool is_deleted; /* true: only the id of the row is set */
};

struct memory_rows;

/*
 * Ends of the two statements. The first load reads the table in row order. Changes are read by their index: a plain
 * "ORDER BY id" would make SQLite scan the whole table for each write, because that returns the rows sorted.
 */
#define MEMORY_ROWS_ALL     "WHERE changed > ?1 ORDER BY id"
#define MEMORY_ROWS_CHANGED "WHERE changed > ?1 ORDER BY +id"

/* Returns a SELECT of the rows; `rest` is "WHERE … ORDER BY …". The caller frees it. */
char *store_memory_rows_text(const struct store_sql *sql, const struct store_columns *columns,
			     const char *rest);
/* Takes over the statement, with its parameters bound, until the rows are freed. `ahead`: prefetch in a thread. */
int store_memory_rows_new(struct store_stmt *statement, const struct store_columns *columns,
			  bool ahead, struct memory_rows **ret, struct pl_err *err) PL_MUST_CHECK;
void store_memory_rows_free(struct memory_rows *rows);
PL_AUTO_DEFINE(struct memory_rows, store_memory_rows_free);
#define auto_memory_rows PL_AUTO(store_memory_rows_free)

/* *ret: the next row, valid until the following call; NULL: no more rows. */
int store_memory_rows_next(struct memory_rows *rows, const struct memory_row **ret,
			   struct pl_err *err) PL_MUST_CHECK;
