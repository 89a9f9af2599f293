/*
 * Internals of a connection to PostgreSQL. It may be lost at any time. Outside a transaction, the next statement
 * reconnects and is sent once more. Within one, everything fails until the rollback.
 */
#pragma once

#include "store/db/driver_priv.h"

#include <libpq-fe.h>

/* The advisory lock of a transaction that writes, for each schema. */
#define LOCK_WRITES "1346784333, hashtext(current_schema())"

struct pg_statement;

/* Statements in flight. Each is small, so neither side has to wait for the other to read. */
#define PG_SENT_MAX 64

struct pg_connection {
	PGconn *pg;
	char *address; /* includes the password: never show it */
	char *name;    /* without the password */
	/* Counts connections: statements that an earlier one prepared are unknown to this one. */
	unsigned generation;
	unsigned statements; /* names assigned so far */
	bool is_lost;        /* must reconnect */
	bool in_transaction;
	bool only_reads;
	bool owns_jobs;
	int patience_ms;     /* of a write that waits for another process */
	int64_t next_try_ns; /* after a failed connection attempt; 0: at once */
	/*
	 * Statements with outstanding results, in order; NULL: the result is not needed. While there are any, nothing
	 * else can be sent to the server.
	 */
	struct pg_statement *pending[PG_SENT_MAX];
	size_t sent_count;
};

static inline struct pg_connection *pg_of(const struct store_sql *sql)
{
	return sql->connection;
}

/* Reconnects if the connection is lost. */
int store_pg_ensure(struct pg_connection *connection, struct pl_err *err) PL_MUST_CHECK;
/* Sets the error of a failed statement with this result or NULL; always returns -1. */
int store_pg_fail(struct pg_connection *connection, const PGresult *result, struct pl_err *err);
/* Returns whether the connection was lost outside a transaction, so that the statement may be sent again. */
bool store_pg_may_retry(const struct pg_connection *connection);

static inline void pg_clear(PGresult **owner)
{
	PQclear(*owner);
}
#define auto_result __attribute__((cleanup(pg_clear), unused)) PGresult *

/* Reads all outstanding results and returns the first error. Call it before anything that is not sent below. */
int store_pg_drain(struct pg_connection *connection, struct pl_err *err) PL_MUST_CHECK;

/*
 * Runs a statement whose failure does no harm. Skips a lost connection: libpq may wait for a response that never comes.
 */
static inline void pg_try(struct pg_connection *connection, const char *text)
{
	(void)!store_pg_drain(connection, PL_ERR_IGNORED);
	if (!connection->is_lost)
		PQclear(PQexec(connection->pg, text));
}

/* As store_sql_dump() and store_sql_load(). */
struct store_sql_watch;
int store_pg_dump(struct store_sql *sql, const char *path, const struct store_sql_watch *watch,
		  struct pl_err *err) PL_MUST_CHECK;
int store_pg_load(struct store_sql *sql, const char *path, bool replaces,
		  struct pl_err *err) PL_MUST_CHECK;

/* ---- statements; see postgres_statement.c ------------------------------------------------------ */

struct pg_param {
	const char *data; /* NULL: null */
	int len;
	char fixed[8]; /* the bytes of a number */
	char *owned;   /* a copy; free() */
};

struct pg_odd; /* see postgres_runs.c */

struct pg_statement {
	struct store_stmt base;
	char *text;
	char name[24];
	bool is_cursor;
	bool is_open; /* as a cursor */
	bool has_rows;
	unsigned generation; /* of the connection that prepared it */
	int param_count;
	Oid *types;
	struct pg_param *params;
	PGresult *rows;
	int at;             /* current row in `rows` */
	struct pg_odd *odd; /* state of rows of results, kept between rows */
};

int store_pg_prepare(struct store_sql *sql, const char *text, bool is_cursor,
		     struct store_stmt **ret, struct pl_err *err);
int store_pg_ask(struct store_stmt *statement, bool is_wanted, struct pl_err *err);
int store_pg_step(struct store_stmt *statement, bool *ret_row, struct pl_err *err);
void store_pg_reset(struct store_stmt *statement);
void store_pg_drop(struct store_stmt *statement);
void store_pg_bind(struct store_stmt *statement, int at, const struct store_sql_value *value);
void store_pg_clear_params(struct store_stmt *statement);
void store_pg_value(struct store_stmt *statement, int at, struct store_sql_value *ret);
const char *store_pg_text(struct store_stmt *statement, int at);

/* ---- rows of results; see postgres_runs.c ------------------------------------------------------- */

extern const struct store_runs_driver store_pg_runs_driver;
void store_pg_odd_free(struct pg_odd *odd);
