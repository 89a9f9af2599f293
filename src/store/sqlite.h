/*
 * One connection to an SQLite file: what all of its users say the same way, and statements that are
 * asked often, prepared once. Not for several threads at a time.
 */
#pragma once

#include "base/err.h"

#include <sqlite3.h>
#include <stdbool.h>

/* Statements by name, in sqlite.c. */
enum store_statement {
	STORE_BEGIN,
	STORE_COMMIT,
	STORE_ROLLBACK,
	STORE_FIND_CONTENT,
	STORE_FIND_RUN_ID,
	STORE_NEXT_VERSION,
	STORE_GET_VERSION,
	STORE_COUNT,
	STORE_ADD_DOCUMENT,
	STORE_GET_ENTRY,
	STORE_GET_BYTES,
	STORE_ADD_PLACE,
	STORE_HAS_PLACE,
	STORE_ADD_JOB,
	STORE_REQUEUE_JOBS,
	STORE_FORGET_JOBS,
	STORE_NEXT_JOB,
	STORE_RUN_JOB,
	STORE_COUNT_ITEMS,
	STORE_EXPECT_ITEMS,
	STORE_ADD_ITEM,
	STORE_FINISH_JOB,
	STORE_GET_JOB,
	STORE_COUNT_STATES,
	STORE_GET_ITEMS,
	STORE_LIST_PRESETS,
	STORE_CLEAR_DEFAULT_PRESET,
	STORE_ADD_PRESET,
	STORE_REPLACE_PRESET,
	STORE_REMOVE_PRESET,
	STORE_COUNT_VIEWS,
	STORE_ADD_VIEW,
	STORE_GET_VIEW,
	STORE_STATEMENT_COUNT
};

struct store_sql {
	sqlite3 *db;
	sqlite3_stmt *kept[STORE_STATEMENT_COUNT];
};

/* Any path is a file's: no name means memory or an address. */
int store_sql_open(struct store_sql *sql, const char *path, bool create,
		   struct pl_err *err) PL_MUST_CHECK;
/* Of what was never opened, too. */
void store_sql_close(struct store_sql *sql);

/* Of one that failed; always -1. */
int store_sql_error(sqlite3 *db, struct pl_err *err);
/* Statements whose rows nobody wants. */
int store_sql_run(struct store_sql *sql, const char *text, struct pl_err *err) PL_MUST_CHECK;
int store_sql_prepare(struct store_sql *sql, const char *text, sqlite3_stmt **ret,
		      struct pl_err *err) PL_MUST_CHECK;
/* One of those by name, with nothing bound. It is the connection's. */
int store_sql_kept(struct store_sql *sql, enum store_statement which, sqlite3_stmt **ret,
		   struct pl_err *err) PL_MUST_CHECK;

/*
 * What stands in the log goes into the file, and the log is empty then: pages that were written over stand
 * in it until somebody does this. Outside of a transaction. -1, with BUSY: somebody reads from it now.
 */
int store_sql_empty_log(struct store_sql *sql, struct pl_err *err) PL_MUST_CHECK;

/* To the next row, if there is one; behind the last the statement is ready to be used again. */
int store_sql_step(sqlite3_stmt *statement, bool *ret_row, struct pl_err *err) PL_MUST_CHECK;
/* All of it, where it gives no row. */
int store_sql_finish(sqlite3_stmt *statement, struct pl_err *err) PL_MUST_CHECK;

/* Borrow the bytes until the statement is reset; NULL is null. */
void store_sql_bind_text(sqlite3_stmt *statement, int at, const char *text);
void store_sql_bind_bytes(sqlite3_stmt *statement, int at, const void *data, size_t len);
/* Borrowed until the next step; NULL where it is null. */
const char *store_sql_text(sqlite3_stmt *statement, int at);

/* A statement that is used up to the end of its scope only. */
static inline void store_sql_finalize(sqlite3_stmt **owner)
{
	sqlite3_finalize(*owner);
}
#define auto_statement __attribute__((cleanup(store_sql_finalize), unused)) sqlite3_stmt *

/* One of the kept ones in use: it lends its reset to the end of the scope, so that no read is left
 * open by an early return. */
static inline void store_sql_reset(sqlite3_stmt **borrower)
{
	if (*borrower != NULL)
		sqlite3_reset(*borrower);
}
#define auto_borrowed __attribute__((cleanup(store_sql_reset), unused)) sqlite3_stmt *
