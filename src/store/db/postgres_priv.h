/*
 * A connection to PostgreSQL from inside. It may go away at any time: outside of a transaction the next
 * statement connects again and is asked once more; within one everything fails until it is rolled back.
 */
#pragma once

#include "store/db/driver_priv.h"

#include <libpq-fe.h>

struct pg_statement;

/* On the way at a time; none is long, so that neither side has to wait for the other to read. */
#define PG_ASKED_MAX 64

struct pg_connection {
	PGconn *pg;
	char *address; /* with the password: never shown */
	char *name;    /* without */
	/* Counts connections: what was prepared in an earlier one is unknown to this one. */
	unsigned generation;
	unsigned statements; /* names given so far */
	bool is_lost;        /* to be made again */
	bool in_transaction;
	bool only_reads;
	bool owns_jobs;
	int patience_ms;     /* of a write that waits for another process's */
	int64_t next_try_ns; /* after a connection that failed; 0: at once */
	/* whose answers are still to come, in their order; NULL: nobody wants it. While there are some nothing else
	 * can be said to the server. */
	struct pg_statement *asked[PG_ASKED_MAX];
	size_t asked_count;
};

static inline struct pg_connection *pg_of(const struct store_sql *sql)
{
	return sql->connection;
}

/* The connection is there, made again if need be. */
int store_pg_ensure(struct pg_connection *connection, struct pl_err *err) PL_MUST_CHECK;
/* Of one that has failed with this result or NULL; always -1. */
int store_pg_fail(struct pg_connection *connection, const PGresult *result, struct pl_err *err);
/* It is gone, and what was asked was asked outside of a transaction: it may be asked again. */
bool store_pg_may_retry(const struct pg_connection *connection);

static inline void pg_clear(PGresult **owner)
{
	PQclear(*owner);
}
#define auto_result __attribute__((cleanup(pg_clear), unused)) PGresult *

/* Texts without parameters; *ret may be NULL. */
int store_pg_exec(struct pg_connection *connection, const char *text, PGresult **ret,
		  struct pl_err *err) PL_MUST_CHECK;

/* All answers are read, the first fault is told: before anything is said that is not sent below. */
int store_pg_drain(struct pg_connection *connection, struct pl_err *err) PL_MUST_CHECK;

/* What does no harm where it fails. A lost connection is not used: libpq may wait for a response that never comes. */
static inline void pg_try(struct pg_connection *connection, const char *text)
{
	(void)!store_pg_drain(connection, PL_ERR_IGNORED);
	if (!connection->is_lost)
		PQclear(PQexec(connection->pg, text));
}

/* ---- statements; see postgres_statement.c ------------------------------------------------------ */

struct pg_param {
	const char *data; /* NULL: null */
	int len;
	char fixed[8]; /* a number's bytes */
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
	unsigned generation; /* of the connection that knows it */
	int param_count;
	Oid *types;
	struct pg_param *params;
	PGresult *rows;
	int at;             /* in rows */
	struct pg_odd *odd; /* what rows of results keep from one to the next */
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

/* Of a statement that the server knows, with what is bound. */
bool store_pg_send_prepared(const struct pg_statement *statement);
/* Takes the rows. */
void store_pg_take_rows(struct pg_statement *statement, PGresult *rows);

/* ---- statements on the way; see postgres_statement.c -------------------------------------------- */

/* Within a transaction, of one that the server knows. */
int store_pg_send(struct pg_statement *statement, bool is_wanted, struct pl_err *err) PL_MUST_CHECK;
bool store_pg_is_asked(const struct pg_statement *statement);
/* Its answer is not wanted any more. */
void store_pg_forget(const struct pg_statement *statement);

/* ---- rows of results; see postgres_runs.c ------------------------------------------------------- */

extern const struct store_runs_driver store_pg_runs_driver;
void store_pg_odd_free(struct pg_odd *odd);
