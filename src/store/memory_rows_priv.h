/*
 * Rows of the database on their way into memory. Where they are many a thread reads ahead: to read a row of a
 * thousand columns takes as long as to put it in its place.
 */
#pragma once

#include "store/db/runs.h"

struct memory_row {
	struct mirror_row row;
	int64_t changed; /* the version of its last change */
	bool is_deleted; /* of the row nothing but its id is told */
};

struct memory_rows;

/*
 * Ends of the two statements. The first load reads the table in the order of its rows. Changes are read by their
 * index: a plain "ORDER BY id" makes SQLite scan the whole table for each write, because the rows come sorted then.
 */
#define MEMORY_ROWS_ALL     "WHERE changed > ?1 ORDER BY id"
#define MEMORY_ROWS_CHANGED "WHERE changed > ?1 ORDER BY +id"

/* Rows as they are read here; `rest`: "WHERE … ORDER BY …". The caller's (free()). */
char *store_memory_rows_text(const struct store_sql *sql, const struct store_columns *columns,
			     const char *rest);
/* The statement, with its parameters bound, is the rows' until they are freed. */
int store_memory_rows_new(struct store_stmt *statement, const struct store_columns *columns,
			  bool ahead, struct memory_rows **ret, struct pl_err *err) PL_MUST_CHECK;
void store_memory_rows_free(struct memory_rows *rows);
PL_AUTO_DEFINE(struct memory_rows, store_memory_rows_free);
#define auto_memory_rows PL_AUTO(store_memory_rows_free)

/* *ret: the next one, until the one behind it is asked for; NULL: there is none. */
int store_memory_rows_next(struct memory_rows *rows, const struct memory_row **ret,
			   struct pl_err *err) PL_MUST_CHECK;
