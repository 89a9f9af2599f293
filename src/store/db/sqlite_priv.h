/* Internals of a connection to an SQLite file. */
#pragma once

#include "store/db/driver_priv.h"
#include "store/db/dump.h"

struct sqlite3;

struct sqlite3 *store_sqlite_db(const struct store_sql *sql);
/* Sets the error of a failed call; always returns -1. */
int store_sqlite_fail(struct sqlite3 *db, struct pl_err *err);

/* As store_sql_dump(). */
int store_sqlite_dump(struct store_sql *sql, const char *path, const struct store_sql_watch *watch,
		      struct pl_err *err) PL_MUST_CHECK;
