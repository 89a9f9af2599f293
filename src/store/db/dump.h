/*
 * A whole database as one file, and back: a copy of an SQLite file, or an archive that pg_dump writes and pg_restore
 * reads. Both programs are found through PATH, and get the password through their environment.
 */
#pragma once

#include "store/db/sql.h"

/* Progress: `done` of `total` parts; total 0: unknown. */
struct store_sql_watch {
	void (*progress)(void *context, int64_t done, int64_t total);
	void *context;
};

/*
 * Within a transaction that reads, after its first statement: writes the tables of the store, as this transaction sees
 * them, to the new file `path`, which only its owner can read. Others may write to the database meanwhile. The file is
 * not synced. INVALID: pg_dump is missing or older than the server. FULL, IO: as files.
 */
int store_sql_dump(struct store_sql *sql, const char *path, const struct store_sql_watch *watch,
		   struct pl_err *err) PL_MUST_CHECK;

/*
 * PostgreSQL only, outside a transaction: makes the tables from an archive, in one transaction of the server; with
 * `replaces`, after dropping the tables that the archive has. From here to the end of the connection no other process
 * writes.
 */
int store_sql_load(struct store_sql *sql, const char *path, bool replaces,
		   struct pl_err *err) PL_MUST_CHECK;

/*
 * SQLite only. retire: empties the log of a file that is about to be replaced, and removes it. BUSY: a process has the
 * file open. check_file: runs the integrity check on a file that no one writes. *ret is one line (free()), or NULL if
 * it passes.
 */
int store_sqlite_retire(const char *path, struct pl_err *err) PL_MUST_CHECK;
int store_sqlite_check_file(const char *path, char **ret, struct pl_err *err) PL_MUST_CHECK;
