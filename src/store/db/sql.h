/*
 * One connection to a database of any kind: the operations that all kinds share, and frequent statements, prepared
 * once. Not for concurrent use by several threads.
 *
 * Texts are valid for every kind: parameters are ?1, ?2 … (the driver replaces them by its own), RETURNING returns the
 * ids of new or changed rows, and ON CONFLICT handles existing rows. A parameter whose type cannot be derived (?1 IS
 * NULL) is CAST(?1 AS TEXT) or AS BIGINT.
 *
 * If a connection to a server is lost within a transaction, statements fail with IO until the rollback. Outside a
 * transaction, it reconnects, and a statement fails only if that fails.
 */
#pragma once

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * A frequent statement. Each is defined in the file of the function that uses it:
 *
 *	static STORE_STATEMENT(sql_count, "SELECT count(*) FROM benchmark_runs WHERE deleted = 0");
 *
 * The linker puts all of them into one section. So a connection has one slot for each, and the test of the query plans
 * sees a new one without a list to add it to.
 */
struct store_statement {
	const char *name; /* for messages */
	const char *text;
	const char *postgres; /* NULL: the same as `text` */
};

#define STORE_STATEMENT(name_, ...)                                                  \
	const struct store_statement name_                                           \
		__attribute__((section("store_statements"), aligned(sizeof(void *)), \
			       used)) = { .name = #name_, .text = __VA_ARGS__ }

extern const struct store_statement __start_store_statements[] __attribute__((weak));
extern const struct store_statement __stop_store_statements[] __attribute__((weak));
#define STORE_STATEMENT_COUNT ((size_t)(__stop_store_statements - __start_store_statements))

struct store_sql_driver;
struct store_stmt;

struct store_sql {
	const struct store_sql_driver *driver; /* NULL: was never opened */
	void *connection;
	struct store_stmt **cached; /* STORE_STATEMENT_COUNT entries; NULL: not prepared yet */
};

/*
 * `name` is the address of a PostgreSQL database, postgres://… or postgresql://…, or else the path of an SQLite file.
 * Any path is a file: no name means an in-memory database. `create` creates a missing file.
 */
bool store_sql_is_address(const char *name);
int store_sql_open(struct store_sql *sql, const char *name, bool create,
		   struct pl_err *err) PL_MUST_CHECK;
/* Does nothing if it was never opened. */
void store_sql_close(struct store_sql *sql);
/* Returns the name it was opened with, without a password, for messages. Borrowed until the next transaction. */
const char *store_sql_name(const struct store_sql *sql);

enum store_sql_access { STORE_SQL_READ, STORE_SQL_WRITE };
/* Sets the purpose of a connection, directly after opening it. A connection for reading cannot write. */
int store_sql_use(struct store_sql *sql, enum store_sql_access access,
		  struct pl_err *err) PL_MUST_CHECK;
/*
 * The version of the table layout; 0: the database is empty. INVALID: the tables belong to another program. Set it
 * within a transaction.
 */
int store_sql_get_form(struct store_sql *sql, int64_t *ret, struct pl_err *err) PL_MUST_CHECK;
int store_sql_set_form(struct store_sql *sql, int64_t form, struct pl_err *err) PL_MUST_CHECK;
/* Configures the database for our use, for all processes. Call it only if the database is ours. */
int store_sql_claim(struct store_sql *sql, struct pl_err *err) PL_MUST_CHECK;

/* How long a transaction that writes waits for another one, in ms, at least 1. */
#define STORE_SQL_PATIENCE_MS 20000 /* default */
void store_sql_set_patience(struct store_sql *sql, int ms);
/*
 * A transaction. One that writes is exclusive: another one, of any process, waits, and fails with BUSY after the
 * patience. One that reads sees the database as of its first statement and waits for no one. If a commit fails, nothing
 * is written and the transaction has ended. A rollback after the end does nothing.
 */
int store_sql_begin(struct store_sql *sql, enum store_sql_access access,
		    struct pl_err *err) PL_MUST_CHECK;
int store_sql_commit(struct store_sql *sql, struct pl_err *err) PL_MUST_CHECK;
void store_sql_rollback(struct store_sql *sql);

/* Runs statements without reading their rows. */
int store_sql_run(struct store_sql *sql, const char *text, struct pl_err *err) PL_MUST_CHECK;
/*
 * The same for statements that create tables. Types are those of SQLite, which every driver translates: TEXT, BLOB,
 * INTEGER (64 bits), REAL (double), INTEGER PRIMARY KEY AUTOINCREMENT, TEXT JSON (a JSON text whose blanks and key
 * order do not matter); and WITHOUT ROWID.
 */
int store_sql_make(struct store_sql *sql, const char *text, struct pl_err *err) PL_MUST_CHECK;
int store_sql_prepare(struct store_sql *sql, const char *text, struct store_stmt **ret,
		      struct pl_err *err) PL_MUST_CHECK;
/* For large results, within a transaction: rows are fetched in portions, and other statements may run in between. */
int store_sql_prepare_cursor(struct store_sql *sql, const char *text, struct store_stmt **ret,
			     struct pl_err *err) PL_MUST_CHECK;
/* Returns the text of a statement for this kind of database. Static. */
const char *store_sql_statement_text(const struct store_sql *sql,
				     const struct store_statement *which);
/* Returns the statement, prepared on first use, with nothing bound. The connection owns it. */
int store_sql_cached(struct store_sql *sql, const struct store_statement *which,
		     struct store_stmt **ret, struct pl_err *err) PL_MUST_CHECK;

/*
 * Moves the write-ahead log into the file and empties it, because the log still contains overwritten pages. Outside a
 * transaction. Returns -1 with BUSY while another connection reads from the log.
 */
int store_sql_empty_log(struct store_sql *sql, struct pl_err *err) PL_MUST_CHECK;
/* Runs the database's integrity check. *ret is one line (free()), or NULL if it passes. Servers are not checked. */
int store_sql_check(struct store_sql *sql, char **ret, struct pl_err *err) PL_MUST_CHECK;
/*
 * Makes this connection the owner of the jobs of this database, until the connection ends. Only one connection of one
 * process can own them. BUSY: there is another owner, or a killed one whose end the server has not noticed; retry
 * later. Does nothing if this connection already owns them. A lost connection may have lost the ownership.
 */
int store_sql_claim_jobs(struct store_sql *sql, struct pl_err *err) PL_MUST_CHECK;
/*
 * Returns 0 if this connection does not own the jobs. Within a transaction, any other number remains valid until its
 * end. A different number than before means that the connection was lost in between, so another process may have owned
 * the jobs.
 */
unsigned store_sql_jobs_hold(const struct store_sql *sql);

/* Steps to the next row, if there is one. After the last row, the statement is reset. */
int store_sql_step(struct store_stmt *statement, bool *ret_row, struct pl_err *err) PL_MUST_CHECK;
/* The same, but returns 1 if there is a row and 0 after the last one. */
int store_sql_next(struct store_stmt *statement, struct pl_err *err) PL_MUST_CHECK;
/* Runs the statement to its end and discards its rows. */
int store_sql_finish(struct store_stmt *statement, struct pl_err *err) PL_MUST_CHECK;
/*
 * Within a transaction, pipelines a statement.
 * store_sql_ask(): the statement, with its bound parameters, may be sent at once, and the first step returns its rows.
 * Several of these share one round trip to a server.
 * store_sql_finish_later(): as store_sql_finish(), but a failure is reported by the next statement or the commit.
 */
int store_sql_ask(struct store_stmt *statement, struct pl_err *err) PL_MUST_CHECK;
int store_sql_finish_later(struct store_stmt *statement, struct pl_err *err) PL_MUST_CHECK;
/*
 * Runs a statement that returns at most one row of one number, such as RETURNING id or a count. *ret is 0 for no row
 * and for NULL.
 */
int store_sql_number(struct store_stmt *statement, int64_t *ret, struct pl_err *err) PL_MUST_CHECK;

/* ---- parameters, from 1 ---------------------------------------------------------------------- */

/* A parameter that is not bound is null. Texts and bytes are borrowed until the statement is reset; NULL is null. */
void store_sql_bind_text(struct store_stmt *statement, int at, const char *text);
void store_sql_bind_bytes(struct store_stmt *statement, int at, const void *data, size_t len);
void store_sql_bind_i64(struct store_stmt *statement, int at, int64_t number);
void store_sql_bind_f64(struct store_stmt *statement, int at, double number);
void store_sql_bind_null(struct store_stmt *statement, int at);
/* Unbinds all parameters, so that nothing of the caller is read again. */
void store_sql_clear(struct store_stmt *statement);

/* ---- columns of the row, from 0 --------------------------------------------------------------- */

/* Borrowed until the next step; NULL if the value is null. */
const char *store_sql_text(struct store_stmt *statement, int at);
const void *store_sql_bytes(struct store_stmt *statement, int at, size_t *ret_len);
/* 0 if the value is null. */
int64_t store_sql_i64(struct store_stmt *statement, int at);
bool store_sql_is_null(struct store_stmt *statement, int at);

/* ---- release ---------------------------------------------------------------------------------- */

/* Accepts NULL. */
void store_sql_drop(struct store_stmt *statement);
void store_sql_reset(struct store_stmt *statement);

/* A statement that is dropped at the end of its scope. */
static inline void store_sql_drop_owned(struct store_stmt **owner)
{
	store_sql_drop(*owner);
}
#define auto_statement __attribute__((cleanup(store_sql_drop_owned), unused)) struct store_stmt *

/* A kept statement that is reset at the end of its scope, so that an early return leaves no read open. */
static inline void store_sql_reset_borrowed(struct store_stmt **borrower)
{
	store_sql_reset(*borrower);
}
#define auto_borrowed __attribute__((cleanup(store_sql_reset_borrowed), unused)) struct store_stmt *
