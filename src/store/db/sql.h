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

/*
 * A statement that is asked often. Each is defined in the file of the function that uses it:
 *
 *	static STORE_STATEMENT(sql_count, "SELECT count(*) FROM benchmark_runs WHERE deleted = 0");
 *
 * The linker puts all of them into one section. So a connection has one slot for each, and the test of the
 * query plans sees a new one without a list to add it to.
 */
struct store_statement {
	const char *name; /* for messages */
	const char *text;
	const char *postgres; /* NULL: `text`, too */
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
	struct store_stmt **kept; /* STORE_STATEMENT_COUNT; NULL where it was not prepared yet */
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
const char *store_sql_statement_text(const struct store_sql *sql,
				     const struct store_statement *which);
/* The statement, prepared on first use, with nothing bound. It belongs to the connection. */
int store_sql_kept(struct store_sql *sql, const struct store_statement *which,
		   struct store_stmt **ret, struct pl_err *err) PL_MUST_CHECK;

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
