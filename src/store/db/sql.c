#include "store/db/sql.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "store/db/driver_priv.h"
#include "store/db/dump.h"

/* ---- the connection ------------------------------------------------------------------------ */

int store_sql_open_with(struct store_sql *sql, const struct store_sql_driver *driver,
			const char *name, bool create, struct pl_err *err)
{
	*sql = (struct store_sql){ .driver = driver };
	if (sql->driver->open(sql, name, create, err) < 0) {
		*sql = (struct store_sql){ 0 };
		return -1;
	}
	sql->cached = pl_alloc_array(STORE_STATEMENT_COUNT, sizeof(*sql->cached));
	return 0;
}

void store_sql_close(struct store_sql *sql)
{
	if (sql->driver == NULL)
		return;
	for (size_t i = 0; i < STORE_STATEMENT_COUNT; i++)
		store_sql_drop(sql->cached[i]);
	free(sql->cached);
	sql->driver->close(sql);
	*sql = (struct store_sql){ 0 };
}

const char *store_sql_name(const struct store_sql *sql)
{
	return sql->driver->name(sql);
}

int store_sql_use(struct store_sql *sql, enum store_sql_access access, struct pl_err *err)
{
	return sql->driver->use(sql, access, err);
}

int store_sql_get_form(struct store_sql *sql, int64_t *ret, struct pl_err *err)
{
	return sql->driver->get_form(sql, ret, err);
}

int store_sql_set_form(struct store_sql *sql, int64_t form, struct pl_err *err)
{
	return sql->driver->set_form(sql, form, err);
}

int store_sql_claim(struct store_sql *sql, struct pl_err *err)
{
	return sql->driver->claim(sql, err);
}

void store_sql_set_patience(struct store_sql *sql, int ms)
{
	sql->driver->set_patience(sql, ms);
}

int store_sql_begin(struct store_sql *sql, enum store_sql_access access, struct pl_err *err)
{
	return sql->driver->begin(sql, access, err);
}

int store_sql_commit(struct store_sql *sql, struct pl_err *err)
{
	return sql->driver->commit(sql, err);
}

void store_sql_rollback(struct store_sql *sql)
{
	sql->driver->rollback(sql);
}

int store_sql_empty_log(struct store_sql *sql, struct pl_err *err)
{
	return sql->driver->empty_log(sql, err);
}

int store_sql_check(struct store_sql *sql, char **ret, struct pl_err *err)
{
	*ret = NULL;
	return sql->driver->check(sql, ret, err);
}

int store_sql_dump(struct store_sql *sql, const char *path, const struct store_sql_watch *watch,
		   struct pl_err *err)
{
	return sql->driver->dump(sql, path, watch, err);
}

int store_sql_load(struct store_sql *sql, const char *path, bool replaces, struct pl_err *err)
{
	return sql->driver->load(sql, path, replaces, err);
}

int store_sql_claim_jobs(struct store_sql *sql, struct pl_err *err)
{
	return sql->driver->claim_jobs(sql, err);
}

unsigned store_sql_jobs_hold(const struct store_sql *sql)
{
	return sql->driver->jobs_hold(sql);
}

/* ---- statements ---------------------------------------------------------------------------- */

int store_sql_run(struct store_sql *sql, const char *text, struct pl_err *err)
{
	return sql->driver->run(sql, text, err);
}

int store_sql_make(struct store_sql *sql, const char *text, struct pl_err *err)
{
	return sql->driver->make(sql, text, err);
}

static int prepare(struct store_sql *sql, const char *text, bool is_cursor, struct store_stmt **ret,
		   struct pl_err *err)
{
	if (sql->driver->prepare(sql, text, is_cursor, ret, err) < 0)
		return -1;
	(*ret)->sql = sql;
	return 0;
}

int store_sql_prepare(struct store_sql *sql, const char *text, struct store_stmt **ret,
		      struct pl_err *err)
{
	return prepare(sql, text, false, ret, err);
}

int store_sql_prepare_cursor(struct store_sql *sql, const char *text, struct store_stmt **ret,
			     struct pl_err *err)
{
	return prepare(sql, text, true, ret, err);
}

const char *store_sql_statement_text(const struct store_sql *sql,
				     const struct store_statement *which)
{
	return sql->driver->has_postgres_texts && which->postgres != NULL ? which->postgres
									  : which->text;
}

int store_sql_cached(struct store_sql *sql, const struct store_statement *which,
		     struct store_stmt **ret, struct pl_err *err)
{
	struct store_stmt **cached = &sql->cached[which - __start_store_statements];

	if (*cached == NULL &&
	    store_sql_prepare(sql, store_sql_statement_text(sql, which), cached, err) < 0)
		return -1;
	store_sql_reset(*cached);
	store_sql_clear(*cached);
	*ret = *cached;
	return 0;
}

int store_sql_step(struct store_stmt *statement, bool *ret_row, struct pl_err *err)
{
	return statement->sql->driver->step(statement, ret_row, err);
}

int store_sql_next(struct store_stmt *statement, struct pl_err *err)
{
	bool is_row = false;

	return store_sql_step(statement, &is_row, err) < 0 ? -1 : is_row;
}

int store_sql_finish(struct store_stmt *statement, struct pl_err *err)
{
	int result;

	do
		result = store_sql_next(statement, err);
	while (result > 0);
	return result;
}

int store_sql_ask(struct store_stmt *statement, struct pl_err *err)
{
	const struct store_sql_driver *driver = statement->sql->driver;

	return driver->ask != NULL ? driver->ask(statement, true, err) : 0;
}

int store_sql_finish_later(struct store_stmt *statement, struct pl_err *err)
{
	const struct store_sql_driver *driver = statement->sql->driver;

	return driver->ask != NULL ? driver->ask(statement, false, err)
				   : store_sql_finish(statement, err);
}

int store_sql_number(struct store_stmt *statement, int64_t *ret, struct pl_err *err)
{
	int64_t number = 0;
	bool is_row = false;

	if (store_sql_step(statement, &is_row, err) < 0)
		return -1;
	if (is_row)
		number = store_sql_i64(statement, 0);
	if (is_row && store_sql_finish(statement, err) < 0)
		return -1;
	*ret = number;
	return 0;
}

void store_sql_reset(struct store_stmt *statement)
{
	if (statement != NULL)
		statement->sql->driver->reset(statement);
}

void store_sql_drop(struct store_stmt *statement)
{
	if (statement != NULL)
		statement->sql->driver->drop(statement);
}

/* ---- parameters ---------------------------------------------------------------------------- */

static void bind(struct store_stmt *statement, int at, const struct store_sql_value *value)
{
	statement->sql->driver->bind(statement, at, value);
}

void store_sql_bind_text(struct store_stmt *statement, int at, const char *text)
{
	if (text != NULL)
		bind(statement, at,
		     &(struct store_sql_value){
			     .type = STORE_SQL_TEXT, .data = text, .len = strlen(text) });
	else
		store_sql_bind_null(statement, at);
}

void store_sql_bind_bytes(struct store_stmt *statement, int at, const void *data, size_t len)
{
	bind(statement, at,
	     &(struct store_sql_value){ .type = data != NULL ? STORE_SQL_BYTES : STORE_SQL_NULL,
					.data = data,
					.len = len });
}

void store_sql_bind_i64(struct store_stmt *statement, int at, int64_t number)
{
	bind(statement, at,
	     &(struct store_sql_value){ .type = STORE_SQL_INTEGER, .integer = number });
}

void store_sql_bind_f64(struct store_stmt *statement, int at, double number)
{
	bind(statement, at, &(struct store_sql_value){ .type = STORE_SQL_REAL, .real = number });
}

void store_sql_bind_null(struct store_stmt *statement, int at)
{
	bind(statement, at, &(struct store_sql_value){ .type = STORE_SQL_NULL });
}

void store_sql_clear(struct store_stmt *statement)
{
	statement->sql->driver->clear(statement);
}

/* ---- columns ------------------------------------------------------------------------------- */

const char *store_sql_text(struct store_stmt *statement, int at)
{
	return statement->sql->driver->text(statement, at);
}

const void *store_sql_bytes(struct store_stmt *statement, int at, size_t *ret_len)
{
	struct store_sql_value value;

	store_sql_value(statement, at, &value);
	*ret_len = value.len;
	return value.data;
}

int64_t store_sql_i64(struct store_stmt *statement, int at)
{
	struct store_sql_value value;

	store_sql_value(statement, at, &value);
	return value.type == STORE_SQL_REAL ? (int64_t)value.real : value.integer;
}

bool store_sql_is_null(struct store_stmt *statement, int at)
{
	struct store_sql_value value;

	store_sql_value(statement, at, &value);
	return value.type == STORE_SQL_NULL;
}
