/* The driver interface of store/db/sql.h, with the same names. One table per kind of database. */
#pragma once

#include "store/db/sql.h"

enum store_sql_type {
	STORE_SQL_NULL,
	STORE_SQL_INTEGER,
	STORE_SQL_REAL,
	STORE_SQL_TEXT,
	STORE_SQL_BYTES,
};

/* A parameter, or the value of a column. */
struct store_sql_value {
	enum store_sql_type type;
	bool is_brief; /* of a parameter: its data is valid only during the call that binds it */
	int64_t integer;
	double real;
	const void *data; /* of texts and bytes; texts in columns are NUL-terminated */
	size_t len;
};

/* The first member of a driver's statement. */
struct store_stmt {
	struct store_sql *sql;
};

struct store_runs_driver;
struct store_sql_watch;

struct store_sql_driver {
	const struct store_runs_driver *runs;
	bool has_postgres_texts; /* uses the texts that PostgreSQL needs */
	int (*open)(struct store_sql *sql, const char *name, bool create, struct pl_err *err);
	void (*close)(struct store_sql *sql);
	const char *(*name)(const struct store_sql *sql);
	int (*use)(struct store_sql *sql, enum store_sql_access access, struct pl_err *err);
	int (*claim)(struct store_sql *sql, struct pl_err *err);
	void (*set_patience)(struct store_sql *sql, int ms);
	int (*begin)(struct store_sql *sql, enum store_sql_access access, struct pl_err *err);
	int (*commit)(struct store_sql *sql, struct pl_err *err);
	void (*rollback)(struct store_sql *sql);
	int (*run)(struct store_sql *sql, const char *text, struct pl_err *err);
	int (*make)(struct store_sql *sql, const char *text, struct pl_err *err);
	int (*get_form)(struct store_sql *sql, int64_t *ret, struct pl_err *err);
	int (*set_form)(struct store_sql *sql, int64_t form, struct pl_err *err);
	int (*empty_log)(struct store_sql *sql, struct pl_err *err);
	int (*check)(struct store_sql *sql, char **ret, struct pl_err *err);
	int (*claim_jobs)(struct store_sql *sql, struct pl_err *err);
	unsigned (*jobs_hold)(const struct store_sql *sql);
	/* store/db/dump.h */
	int (*dump)(struct store_sql *sql, const char *path, const struct store_sql_watch *watch,
		    struct pl_err *err);
	/* NULL: a file, which is copied instead */
	int (*load)(struct store_sql *sql, const char *path, bool replaces, struct pl_err *err);

	int (*prepare)(struct store_sql *sql, const char *text, bool is_cursor,
		       struct store_stmt **ret, struct pl_err *err);
	/* NULL: without round trips to save */
	int (*ask)(struct store_stmt *statement, bool is_wanted, struct pl_err *err);
	int (*step)(struct store_stmt *statement, bool *ret_row, struct pl_err *err);
	void (*reset)(struct store_stmt *statement);
	void (*drop)(struct store_stmt *statement);
	void (*bind)(struct store_stmt *statement, int at, const struct store_sql_value *value);
	void (*clear)(struct store_stmt *statement);
	void (*value)(struct store_stmt *statement, int at, struct store_sql_value *ret);
	const char *(*text)(struct store_stmt *statement, int at);
};

extern const struct store_sql_driver store_sqlite_driver;
extern const struct store_sql_driver store_postgres_driver;

/* Opens a connection of this driver; store_sql_open() chooses the driver by the name. */
int store_sql_open_with(struct store_sql *sql, const struct store_sql_driver *driver,
			const char *name, bool create, struct pl_err *err) PL_MUST_CHECK;

/* Tests a column of an SQLite row, faster than reading its value. */
bool store_sqlite_is_null(struct store_stmt *statement, int at);

static inline void store_sql_value(struct store_stmt *statement, int at,
				   struct store_sql_value *ret)
{
	statement->sql->driver->value(statement, at, ret);
}
