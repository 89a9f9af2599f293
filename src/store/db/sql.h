/*
 * One connection to a database, of whichever kind: what all of its users say the same way, and statements
 * that are asked often, prepared once. Not for several threads at a time.
 *
 * Texts are written so that every kind takes them: parameters are ?1, ?2 … (the driver puts its own in
 * their place), RETURNING tells ids of new rows and which ones were changed, ON CONFLICT what is to be done
 * with those that are there. A parameter whose type nothing tells (?1 IS NULL) is CAST(?1 AS TEXT) or AS BIGINT.
 *
 * A connection that is lost (a server's) fails with IO within a transaction, whose rollback makes it fit for
 * use; outside of one it is made again, and only where that fails the statement does.
 */
#pragma once

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

/* Statements by name, in sql.c. */
enum store_statement {
	STORE_FIND_CONTENT,
	STORE_FIND_RUN_ID,
	STORE_FIND_RUN_ID_ALL,
	STORE_FIND_NEAR,
	STORE_GET_NEAR_KEY,
	STORE_LIST_WRONG_NEAR,
	STORE_SET_NEAR,
	STORE_SET_UPLOAD,
	STORE_LAST_REPEAT,
	STORE_NEXT_VERSION,
	STORE_SET_VERSION,
	STORE_GET_VERSION,
	STORE_COUNT,
	STORE_ADD_DOCUMENT,
	STORE_REPLACE_DOCUMENT,
	STORE_GET_ENTRY,
	STORE_GET_BYTES,
	STORE_GET_EDITS,
	STORE_PUT_EDITS,
	STORE_TOUCH,
	STORE_NOTE_CHANGE,
	STORE_LIST_CHANGES,
	STORE_LIST_DELETED,
	STORE_PRUNE,
	STORE_NOTE_PRUNED,
	STORE_GET_PRUNED,
	STORE_GET_CHANGED,
	STORE_LIST_IDS,
	STORE_ADD_PLACE,
	STORE_HAS_PLACE,
	STORE_ADD_JOB,
	STORE_ADD_PART,
	STORE_FIND_KEYED,
	STORE_ADD_FILE,
	STORE_RECEIVE,
	STORE_ASK_JOB,
	STORE_COUNT_OLD_ITEMS,
	STORE_CLOSE_JOB,
	STORE_CANCEL_ITEMS,
	STORE_CANCEL_PARTS,
	STORE_CANCEL_JOB,
	STORE_RETRY_ITEMS,
	STORE_RETRY_CANCELLED,
	STORE_RETRY_PARTS,
	STORE_RETRY_ALL_PARTS,
	STORE_CHOOSE_ITEMS,
	STORE_REOPEN_JOB,
	STORE_SETTLE_JOB,
	STORE_FORGET_JOBS,
	STORE_CLOSE_OLD_JOBS,
	STORE_FORGET_OLD_BYTES,
	STORE_FORGET_OLD_PARTS,
	STORE_NEXT_PART,
	STORE_WAITING_ITEMS,
	STORE_NEXT_AGAIN,
	STORE_PART_WAITS,
	STORE_ITEM_IS_AGAIN,
	STORE_RUN_JOB,
	STORE_CUT_PART,
	STORE_ADD_ITEMS,
	STORE_NOTE_FIRSTS,
	STORE_NOTE_ITEM,
	STORE_KEEP_BYTES,
	STORE_FORGET_BYTES,
	STORE_END_PART,
	STORE_LEAVE_PART,
	STORE_GET_JOB,
	STORE_LIST_JOBS,
	STORE_COUNT_JOBS,
	STORE_COUNT_ITEMS,
	STORE_COUNT_UNCUT,
	STORE_GET_ITEMS,
	STORE_GET_ITEMS_OF,
	STORE_LIST_RESULTS_OF,
	STORE_GET_RIVAL,
	STORE_GET_RIVAL_CONTENT,
	STORE_FIND_FILE,
	STORE_LIST_PRESETS,
	STORE_CLEAR_DEFAULT_PRESET,
	STORE_ADD_PRESET,
	STORE_REPLACE_PRESET,
	STORE_REMOVE_PRESET,
	STORE_COUNT_VIEWS,
	STORE_ADD_VIEW,
	STORE_GET_VIEW,
	STORE_GET_RUN_ID,
	STORE_GET_OF_RUN_ID,
	STORE_GET_DICTIONARIES,
	STORE_NEWEST_DICTIONARY,
	STORE_ADD_DICTIONARY,
	STORE_ADD_ARTIFACT,
	STORE_REMOVE_ARTIFACT,
	STORE_COUNT_ARTIFACTS,
	STORE_GET_ARTIFACTS,
	STORE_HAS_ARTIFACT,
	STORE_FORGET_ARTIFACTS,
	STORE_FORGET_UNCLAIMED,
	STORE_PUT_SWEEP,
	STORE_GET_SWEEP,
	STORE_LIST_SWEEPS,
	STORE_COUNT_OTHER_SWEEPS,
	STORE_REMOVE_SWEEP,
	STORE_STATEMENT_COUNT
};

struct store_sql_driver;
struct store_stmt;

struct store_sql {
	const struct store_sql_driver *driver; /* NULL: was never opened */
	void *connection;
	struct store_stmt *kept[STORE_STATEMENT_COUNT];
};

/*
 * `name` is the address of a PostgreSQL database, postgres://… or postgresql://…, or else the path of an SQLite
 * file; any path is one: no name means memory. `create` makes a file where there is none.
 */
bool store_sql_is_address(const char *name);
int store_sql_open(struct store_sql *sql, const char *name, bool create,
		   struct pl_err *err) PL_MUST_CHECK;
/* Of what was never opened, too. */
void store_sql_close(struct store_sql *sql);
/* For messages: what it was opened by, without a password. Borrowed until the next transaction. */
const char *store_sql_name(const struct store_sql *sql);

enum store_sql_access { STORE_SQL_READ, STORE_SQL_WRITE };
/* What a connection is for; right behind its opening. One that reads cannot write. */
int store_sql_use(struct store_sql *sql, enum store_sql_access access,
		  struct pl_err *err) PL_MUST_CHECK;
/*
 * The number of the form that the tables have; 0: nothing is there yet. INVALID where another program's tables are.
 * Set within a transaction.
 */
int store_sql_get_form(struct store_sql *sql, int64_t *ret, struct pl_err *err) PL_MUST_CHECK;
int store_sql_set_form(struct store_sql *sql, int64_t form, struct pl_err *err) PL_MUST_CHECK;
/* It is ours: it is used in our way from now on, by everybody. */
int store_sql_own(struct store_sql *sql, struct pl_err *err) PL_MUST_CHECK;

/* How long a transaction that writes waits for another one; 1 at least. */
#define STORE_SQL_PATIENCE_MS 20000 /* where nothing was said */
void store_sql_set_patience(struct store_sql *sql, int ms);
/*
 * A transaction. One that writes is begun alone: another one, of whatever process, waits, and fails with
 * BUSY after that. One that reads sees the database as it is at its first statement, and waits for nobody.
 * Where a commit fails nothing of it is kept, and the transaction is over. Rolling back what is over does nothing.
 */
int store_sql_begin(struct store_sql *sql, enum store_sql_access access,
		    struct pl_err *err) PL_MUST_CHECK;
int store_sql_commit(struct store_sql *sql, struct pl_err *err) PL_MUST_CHECK;
void store_sql_rollback(struct store_sql *sql);

/* Statements whose rows nobody wants. */
int store_sql_run(struct store_sql *sql, const char *text, struct pl_err *err) PL_MUST_CHECK;
/*
 * The same of statements that make tables. Types are SQLite's, of which every driver makes its own: TEXT,
 * BLOB, INTEGER (64 bits), REAL (double), INTEGER PRIMARY KEY AUTOINCREMENT, TEXT JSON (a JSON text whose blanks and
 * order of keys are nobody's); and WITHOUT ROWID.
 */
int store_sql_make(struct store_sql *sql, const char *text, struct pl_err *err) PL_MUST_CHECK;
int store_sql_prepare(struct store_sql *sql, const char *text, struct store_stmt **ret,
		      struct pl_err *err) PL_MUST_CHECK;
/* For rows without end, only within a transaction: they come by and by, and other statements may be run between them. */
int store_sql_prepare_cursor(struct store_sql *sql, const char *text, struct store_stmt **ret,
			     struct pl_err *err) PL_MUST_CHECK;
/* The text of a statement for this kind of database. Static. */
const char *store_sql_statement_text(const struct store_sql *sql, enum store_statement which);
/* One of those by name, with nothing bound. It is the connection's. */
int store_sql_kept(struct store_sql *sql, enum store_statement which, struct store_stmt **ret,
		   struct pl_err *err) PL_MUST_CHECK;

/*
 * What stands in the log goes into the file, and the log is empty then: pages that were written over stand
 * in it until somebody does this. Outside of a transaction. -1, with BUSY: somebody reads from it now.
 */
int store_sql_empty_log(struct store_sql *sql, struct pl_err *err) PL_MUST_CHECK;
/* What the database finds wrong with itself: one line (free()), or NULL. Of a server nothing is asked. */
int store_sql_check(struct store_sql *sql, char **ret, struct pl_err *err) PL_MUST_CHECK;
/*
 * Who works on the jobs of this database: one connection of one process at a time, up to its end. BUSY where there is
 * another one, or one that was killed and whose server has not seen that yet: who wants them asks again. Where it is
 * so already nothing happens; a connection that was lost may have lost it.
 */
int store_sql_own_jobs(struct store_sql *sql, struct pl_err *err) PL_MUST_CHECK;
/*
 * 0: this connection does not. Within a transaction any other number stays true up to its end. Another one than before: the
 * connection was lost in between, and for that while another process may have had them.
 */
unsigned store_sql_jobs_hold(const struct store_sql *sql);

/* To the next row, if there is one; behind the last the statement is ready to be used again. */
int store_sql_step(struct store_stmt *statement, bool *ret_row, struct pl_err *err) PL_MUST_CHECK;
/* All of it, where nobody wants its rows. */
int store_sql_finish(struct store_stmt *statement, struct pl_err *err) PL_MUST_CHECK;
/*
 * Within a transaction, what need not be waited for. ask: the statement, with all that is bound, may go to the database
 * at once, and its rows come with the first step; several that are asked so cost one way to a server. later: as
 * finish, and where it fails the next statement does, or the commit.
 */
int store_sql_ask(struct store_stmt *statement, struct pl_err *err) PL_MUST_CHECK;
int store_sql_finish_later(struct store_stmt *statement, struct pl_err *err) PL_MUST_CHECK;
/*
 * All of it, where it gives one row of one number, or none: *ret is 0 then, as it is of NULL. For RETURNING id, and
 * counts.
 */
int store_sql_number(struct store_stmt *statement, int64_t *ret, struct pl_err *err) PL_MUST_CHECK;

/* ---- parameters, from 1 ---------------------------------------------------------------------- */

/* What was not bound is null. Texts and bytes are borrowed until the statement is reset; NULL is null. */
void store_sql_bind_text(struct store_stmt *statement, int at, const char *text);
void store_sql_bind_bytes(struct store_stmt *statement, int at, const void *data, size_t len);
void store_sql_bind_i64(struct store_stmt *statement, int at, int64_t number);
void store_sql_bind_f64(struct store_stmt *statement, int at, double number);
void store_sql_bind_null(struct store_stmt *statement, int at);
/* Forgets them all: nothing of the caller's is to be looked at again. */
void store_sql_clear(struct store_stmt *statement);

/* ---- columns of the row, from 0 --------------------------------------------------------------- */

/* Borrowed until the next step; NULL where it is null. */
const char *store_sql_text(struct store_stmt *statement, int at);
const void *store_sql_bytes(struct store_stmt *statement, int at, size_t *ret_len);
/* 0 where it is null. */
int64_t store_sql_i64(struct store_stmt *statement, int at);
double store_sql_f64(struct store_stmt *statement, int at);
bool store_sql_is_null(struct store_stmt *statement, int at);

/* ---- the end of a use ------------------------------------------------------------------------- */

/* Of none, too. */
void store_sql_drop(struct store_stmt *statement);
void store_sql_reset(struct store_stmt *statement);

/* A statement that is used up to the end of its scope only. */
static inline void store_sql_drop_owned(struct store_stmt **owner)
{
	store_sql_drop(*owner);
}
#define auto_statement __attribute__((cleanup(store_sql_drop_owned), unused)) struct store_stmt *

/* One of the kept ones in use: it lends its reset to the end of the scope, so that no read is left
 * open by an early return. */
static inline void store_sql_reset_borrowed(struct store_stmt **borrower)
{
	store_sql_reset(*borrower);
}
#define auto_borrowed __attribute__((cleanup(store_sql_reset_borrowed), unused)) struct store_stmt *
