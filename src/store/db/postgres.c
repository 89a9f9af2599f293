/*
 * A database of a PostgreSQL server: the connection, its transactions, its locks.
 *
 * A writer holds a lock during its whole transaction, as with SQLite. So ids and counts of changes become visible in
 * the order in which they are assigned, and a reader that follows them never misses a late one
 * (docs/decisions/0009-two-databases.md).
 */
#include "store/db/postgres_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text.h"

#define SERVER_MIN      130000 /* the newest features used here are of version 13 */
#define BUSY_TEXT       "20s"  /* for a lock that is not ours */
#define CONNECT_SECONDS "10"
/* The minimum time between connection attempts to a missing server. */
#define PAUSE_NS (200 * PL_NS_PER_MS)

/* Two keys of an advisory lock: the purpose, and the schema. */
#define LOCK_JOBS "1346784334, hashtext(current_schema())"

/* ---- errors -------------------------------------------------------------------------------- */

/* By prefix of SQLSTATE; the first match counts. */
static const struct {
	const char *state;
	enum pl_err_code code;
} codes[] = {
	{ "40", PL_ERR_BUSY },                              /* serialization, deadlock */
	{ "55P03", PL_ERR_BUSY },                           /* timeout while waiting for a lock */
	{ "21", PL_ERR_INVALID }, { "22", PL_ERR_INVALID }, /* invalid for its type */
	{ "54", PL_ERR_INVALID },                           /* or too large */
	{ "08", PL_ERR_IO },                                /* the connection */
	{ "25006", PL_ERR_IO },                             /* read-only */
	{ "28", PL_ERR_IO },      { "3D", PL_ERR_IO },      /* no such user or database */
	{ "42501", PL_ERR_IO },                             /* not allowed */
	{ "42P01", PL_ERR_IO },                             /* no table, while a dump is loaded */
	{ "53100", PL_ERR_FULL }, { "53", PL_ERR_IO },      /* full disk, memory, connections */
	{ "57", PL_ERR_IO },                                /* shutting down */
	{ "58", PL_ERR_IO },      { "XX001", PL_ERR_IO },   { "XX002", PL_ERR_IO },
};

static enum pl_err_code code_of(const char *state)
{
	for (size_t i = 0; state != NULL && i < PL_ARRAY_SIZE(codes); i++) {
		if (pl_text_starts(state, codes[i].state))
			return codes[i].code;
	}
	return PL_ERR_INTERNAL;
}

/* Returns the first line. */
static char *line_of(const char *text)
{
	char *line = pl_strdup(text != NULL ? text : "");

	line[strcspn(line, "\n")] = '\0';
	return line;
}

static const char *first_of(const char *text, const char *other)
{
	if (text != NULL && text[0] != '\0')
		return text;
	return other != NULL && other[0] != '\0' ? other : "out of memory, or no reason given";
}

int store_pg_fail(struct pg_connection *connection, const PGresult *result, struct pl_err *err)
{
	const char *state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
	const char *says = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
	/* errors of libpq itself mean a broken connection; and for 57P0x, the server is about to close it */
	bool is_lost = state == NULL || pl_text_starts(state, "57P0");
	/* without memory libpq may leave the connection's message empty */
	if (says == NULL)
		says = first_of(PQerrorMessage(connection->pg), PQresultErrorMessage(result));
	auto_free char *line = line_of(says);

	connection->is_lost |= is_lost;
	if (is_lost)
		return pl_err_set(err, PL_ERR_IO, "'%s': the connection was lost: %s",
				  connection->name, line);
	return pl_err_set(err, code_of(state), "'%s': %s", connection->name, line);
}

bool store_pg_may_retry(const struct pg_connection *connection)
{
	return !connection->in_transaction && connection->is_lost;
}

/* Runs texts without parameters; *ret may be NULL. */
static int exec_text(struct pg_connection *connection, const char *text, PGresult **ret,
		     struct pl_err *err)
{
	if (store_pg_drain(connection, err) < 0)
		return -1;
	auto_result result = PQexec(connection->pg, text);
	ExecStatusType status = PQresultStatus(result);

	if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK)
		return store_pg_fail(connection, result, err);
	if (ret != NULL)
		*ret = pl_take(result);
	return 0;
}

/* ---- the connection ------------------------------------------------------------------------ */

static void ignore_notice(void *context, const PGresult *notice)
{
	(void)context;
	(void)notice;
}

/* Returns "postgres://USER@HOST:PORT/DATABASE", without secrets. */
static char *name_of(const PGconn *pg)
{
	const char *host = PQhost(pg), *user = PQuser(pg), *port = PQport(pg), *db = PQdb(pg);

	return pl_asprintf("postgres://%s%s%s%s%s/%s", user != NULL ? user : "",
			   user != NULL ? "@" : "", host != NULL ? host : "",
			   port != NULL && port[0] != '\0' ? ":" : "", port != NULL ? port : "",
			   db != NULL ? db : "");
}

static int try_claim_jobs(struct pg_connection *connection, bool *ret, struct pl_err *err)
{
	auto_result result = NULL;

	if (exec_text(connection, "SELECT pg_try_advisory_lock(" LOCK_JOBS ")", &result, err) < 0)
		return -1;
	*ret = PQgetvalue(result, 0, 0)[0] == 't';
	return 0;
}

static int claim_jobs(struct pg_connection *connection, struct pl_err *err)
{
	connection->owns_jobs = false;
	if (try_claim_jobs(connection, &connection->owns_jobs, err) < 0)
		return -1;
	if (connection->owns_jobs)
		return 0;
	return pl_err_set(err, PL_ERR_BUSY, "'%s' is in use by another process", connection->name);
}

static int settle(struct pg_connection *connection, struct pl_err *err)
{
	static const char settings[] =
		"SET lock_timeout TO '" BUSY_TEXT "';"
		"SET idle_in_transaction_session_timeout TO 0;"
		"SET statement_timeout TO 0;"
		/* the locks of a lost host are released after a minute instead of hours */
		"SET tcp_keepalives_idle TO 30;"
		"SET tcp_keepalives_interval TO 10;"
		"SET tcp_keepalives_count TO 3;"
		"SET tcp_user_timeout TO 60000;"
		"SET default_transaction_isolation TO 'read committed';"
		/* a statement of a thousand columns takes longer to compile than to run */
		"SET jit TO off;"
		/* commits are on disk when they return */
		"SELECT set_config('synchronous_commit', 'on', false)"
		" WHERE current_setting('synchronous_commit') = 'off'";

	const char *encoding = PQparameterStatus(connection->pg, "server_encoding");
	int version = PQserverVersion(connection->pg);
	if (version < SERVER_MIN)
		return pl_err_set(
			err, PL_ERR_INVALID, "'%s': found PostgreSQL %d.%d, expected %d or newer",
			connection->name, version / 10000, version % 10000, SERVER_MIN / 10000);
	if (!pl_text_equal(encoding, "UTF8"))
		return pl_err_set(err, PL_ERR_INVALID,
				  "'%s': encoding: found %s, expected UTF8; create it with "
				  "createdb -E UTF8 -T template0 NAME",
				  connection->name, encoding != NULL ? encoding : "no encoding");
	if (exec_text(connection, settings, NULL, err) < 0)
		return -1;
	if (connection->only_reads &&
	    exec_text(connection, "SET default_transaction_read_only TO on", NULL, err) < 0)
		return -1;
	/*
	 * the server may notice the end of this process's last connection late; if another process owns the jobs by
	 * now, the next call for jobs reports it
	 */
	if (connection->owns_jobs && claim_jobs(connection, err) < 0 && err->code != PL_ERR_BUSY)
		return -1;
	return 0;
}

static int connect_once(struct pg_connection *connection, struct pl_err *err)
{
	char program[64];
	const char *const keys[] = { "fallback_application_name", "connect_timeout", "dbname",
				     "client_encoding", NULL };
	/* the first two can be overridden by the address */
	const char *const values[] = { program, CONNECT_SECONDS, connection->address, "UTF8",
				       NULL };

	snprintf(program, sizeof(program), "profllm-dashboard, process %d", (int)getpid());
	PQfinish(connection->pg);
	connection->sent_count = 0;
	connection->pg = PQconnectdbParams(keys, values, 1);
	connection->generation++;
	connection->is_lost = false;
	PQsetNoticeReceiver(connection->pg, ignore_notice, NULL);
	free(connection->name);
	connection->name = name_of(connection->pg);
	if (PQstatus(connection->pg) != CONNECTION_OK) {
		auto_free char *line = line_of(PQerrorMessage(connection->pg));
		return pl_err_set(err, PL_ERR_IO, "could not open '%s': %s", connection->name,
				  line);
	}
	return settle(connection, err);
}

/* A failure closes it: the next use starts again. */
static int reconnect(struct pg_connection *connection, struct pl_err *err)
{
	if (connect_once(connection, err) == 0)
		return 0;
	PQfinish(connection->pg);
	connection->pg = NULL;
	connection->next_try_ns = pl_clock_now_ns() + PAUSE_NS;
	return -1;
}

int store_pg_ensure(struct pg_connection *connection, struct pl_err *err)
{
	if (connection->pg != NULL && !connection->is_lost)
		return 0;
	if (connection->in_transaction)
		return store_pg_fail(connection, NULL, err);
	if (pl_clock_now_ns() < connection->next_try_ns)
		return pl_err_set(err, PL_ERR_IO, "'%s': not connected", connection->name);
	return reconnect(connection, err);
}

static void pg_close(struct store_sql *sql)
{
	struct pg_connection *connection = pg_of(sql);

	PQfinish(connection->pg);
	free(connection->address);
	free(connection->name);
	free(connection);
}

static int pg_open(struct store_sql *sql, const char *name, bool create, struct pl_err *err)
{
	struct pg_connection *connection;

	(void)create; /* the administrator of the server creates databases */
	/* Errors of libpq about an address contain its password. */
	char *says = NULL;
	PQconninfoOption *options = PQconninfoParse(name, &says);
	PQfreemem(says);
	if (options == NULL)
		return pl_err_set(err, PL_ERR_INVALID,
				  "invalid database URL: expected "
				  "postgres://[USER[:PASSWORD]@][HOST][:PORT][/"
				  "DATABASE][?NAME=VALUE&…], with special characters as %%XX");
	PQconninfoFree(options);
	connection = pl_alloc(sizeof(*connection));
	connection->address = pl_strdup(name);
	connection->patience_ms = STORE_SQL_PATIENCE_MS;
	sql->connection = connection;
	if (reconnect(connection, err) == 0)
		return 0;
	pg_close(sql);
	return -1;
}

static int pg_use(struct store_sql *sql, enum store_sql_access access, struct pl_err *err)
{
	struct pg_connection *connection = pg_of(sql);

	connection->only_reads = access == STORE_SQL_READ;
	return connection->only_reads
		       ? exec_text(connection, "SET default_transaction_read_only TO on", NULL, err)
		       : 0;
}

static const char *pg_name(const struct store_sql *sql)
{
	return pg_of(sql)->name;
}

static int pg_claim_jobs(struct store_sql *sql, struct pl_err *err)
{
	struct pg_connection *connection = pg_of(sql);

	if (store_pg_ensure(connection, err) < 0)
		return -1;
	return connection->owns_jobs ? 0 : claim_jobs(connection, err);
}

/* The lock belongs to the session, like the transaction: if it is lost, the transaction cannot be committed. */
static unsigned pg_jobs_hold(const struct store_sql *sql)
{
	const struct pg_connection *connection = pg_of(sql);

	return connection->owns_jobs ? connection->generation : 0;
}

/* The server has no log to empty. */
static int pg_nothing(struct store_sql *sql, struct pl_err *err)
{
	(void)sql;
	(void)err;
	return 0;
}

/* The server maintains its own pages. */
static int pg_check(struct store_sql *sql, char **ret, struct pl_err *err)
{
	(void)ret;
	return store_pg_ensure(pg_of(sql), err);
}

/* ---- transactions -------------------------------------------------------------------------- */

static int pg_run(struct store_sql *sql, const char *text, struct pl_err *err)
{
	struct pg_connection *connection = pg_of(sql);

	if (store_pg_ensure(connection, err) < 0)
		return -1;
	if (exec_text(connection, text, NULL, err) == 0)
		return 0;
	if (!store_pg_may_retry(connection))
		return -1;
	return reconnect(connection, err) < 0 ? -1 : exec_text(connection, text, NULL, err);
}

static void pg_rollback(struct store_sql *sql)
{
	struct pg_connection *connection = pg_of(sql);

	(void)!store_pg_drain(connection, PL_ERR_IGNORED);
	if (PQtransactionStatus(connection->pg) != PQTRANS_IDLE && !connection->is_lost)
		pg_try(connection, "ROLLBACK");
	connection->in_transaction = false;
}

static void pg_set_patience(struct store_sql *sql, int ms)
{
	pg_of(sql)->patience_ms = ms;
}

static int pg_begin(struct store_sql *sql, enum store_sql_access access, struct pl_err *err)
{
	static const char read[] = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";
	char write[160];

	snprintf(write, sizeof(write),
		 "BEGIN; SET LOCAL lock_timeout TO %d; SELECT pg_advisory_xact_lock(" LOCK_WRITES
		 ")",
		 pg_of(sql)->patience_ms);
	/* the transaction has not started yet, so a lost connection is made again */
	if (pg_run(sql, access == STORE_SQL_READ ? read : write, err) < 0) {
		pg_rollback(sql);
		return -1;
	}
	pg_of(sql)->in_transaction = true;
	return 0;
}

static int pg_commit(struct store_sql *sql, struct pl_err *err)
{
	struct pg_connection *connection = pg_of(sql);
	auto_result result = NULL;

	if (store_pg_ensure(connection, err) < 0 ||
	    exec_text(connection, "COMMIT", &result, err) < 0) {
		pg_rollback(sql);
		return -1;
	}
	connection->in_transaction = false;
	/* after a failure within the transaction */
	if (pl_text_equal(PQcmdStatus(result), "ROLLBACK"))
		return pl_err_set(
			err, PL_ERR_INTERNAL,
			"'%s': the transaction was rolled back because a statement failed",
			connection->name);
	return 0;
}

/* ---- tables -------------------------------------------------------------------------------- */

static int pg_make(struct store_sql *sql, const char *text, struct pl_err *err)
{
	/* in this order */
	static const char *const words[][2] = {
		{ "INTEGER PRIMARY KEY AUTOINCREMENT",
		  "BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY" },
		{ "INTEGER", "BIGINT" },
		{ "TEXT JSON", "JSONB" },
		{ "BLOB", "BYTEA" },
		{ "REAL", "DOUBLE PRECISION" },
		{ " WITHOUT ROWID", "" },
	};
	auto_free char *made = pl_strdup(text);

	for (size_t i = 0; i < PL_ARRAY_SIZE(words); i++) {
		char *next = pl_text_replace(made, words[i][0], words[i][1]);
		free(made);
		made = next;
	}
	return pg_run(sql, made, err);
}

static int pg_number(struct pg_connection *connection, const char *text, int64_t *ret,
		     struct pl_err *err)
{
	auto_result result = NULL;

	if (exec_text(connection, text, &result, err) < 0)
		return -1;
	*ret = PQntuples(result) > 0 ? strtoll(PQgetvalue(result, 0, 0), NULL, 10) : 0;
	return 0;
}

static int pg_get_form(struct store_sql *sql, int64_t *ret, struct pl_err *err)
{
	static const char is_there[] = "SELECT (to_regclass('store_form') IS NOT NULL)::int";
	static const char others[] =
		"SELECT count(*) FROM pg_class WHERE relname IN "
		"('benchmark_runs', 'jobs', 'presets', 'views', 'store_state')"
		" AND relnamespace = quote_ident(current_schema())::regnamespace";
	static const char not_ours[] =
		"SELECT count(*) FROM store_form WHERE application <> 'profllm'";
	struct pg_connection *connection = pg_of(sql);
	int64_t made = 0, found = 0;

	if (store_pg_ensure(connection, err) < 0 ||
	    pg_number(connection, is_there, &made, err) < 0 ||
	    pg_number(connection, made ? not_ours : others, &found, err) < 0)
		return -1;
	if (found > 0)
		return pl_err_set(err, PL_ERR_INVALID,
				  "'%s' has tables of another program; use another schema with "
				  "?options=-csearch_path%%3DNAME",
				  connection->name);
	*ret = 0;
	return made ? pg_number(connection, "SELECT form FROM store_form", ret, err) : 0;
}

static int pg_set_form(struct store_sql *sql, int64_t form, struct pl_err *err)
{
	auto_free char *text = pl_asprintf(
		"CREATE TABLE IF NOT EXISTS store_form"
		" (application TEXT NOT NULL, form BIGINT NOT NULL);"
		"DELETE FROM store_form; INSERT INTO store_form VALUES ('profllm', %lld)",
		(long long)form);

	return pg_run(sql, text, err);
}

const struct store_sql_driver store_postgres_driver = {
	.runs = &store_pg_runs_driver,
	.has_postgres_texts = true,
	.open = pg_open,
	.close = pg_close,
	.name = pg_name,
	.use = pg_use,
	.claim = pg_nothing,
	.set_patience = pg_set_patience,
	.begin = pg_begin,
	.commit = pg_commit,
	.rollback = pg_rollback,
	.run = pg_run,
	.make = pg_make,
	.get_form = pg_get_form,
	.set_form = pg_set_form,
	.empty_log = pg_nothing,
	.check = pg_check,
	.dump = store_pg_dump,
	.load = store_pg_load,
	.claim_jobs = pg_claim_jobs,
	.jobs_hold = pg_jobs_hold,
	.prepare = store_pg_prepare,
	.ask = store_pg_ask,
	.step = store_pg_step,
	.reset = store_pg_reset,
	.drop = store_pg_drop,
	.bind = store_pg_bind,
	.clear = store_pg_clear_params,
	.value = store_pg_value,
	.text = store_pg_text,
};
