/*
 * The column snapshot of a database: a file of this host with all columns in memory as of one data version.
 * - It is a cache: without it, or if it does not fit, the rows are read from the database. It is PATH.columns next to an
 *   SQLite file, and FOLDER/columns in the directory of artifacts of a server's database. Its mode is 0600.
 * - A snapshot fits if the database has its token, with its data version. The token is stored after the data, so a
 *   database that has it contains that data, whatever was copied, restored or replaced in between.
 * - A thread with low priority writes it. No query and no write waits for it, except for one short transaction.
 */
#pragma once

#include "store/store.h"

struct mirror;
struct store_column_snapshot;

/* Call it after the directory of artifacts is known. `database_form`: of the tables. */
void store_column_snapshot_open(struct store *store, int64_t database_form);
/*
 * Reads it into a mirror without rows. Returns false, and has logged the reason, if there is none that fits; the mirror
 * is then unchanged. *ret_version: the data version of the rows.
 */
struct store_sql;
bool store_column_snapshot_load(struct store *store, struct store_sql *sql, struct mirror *mirror,
				int64_t *ret_version);
/*
 * After it was read, in the transaction that reads the later changes: fails with INVALID if other data replaced the
 * database meanwhile.
 */
int store_column_snapshot_check(struct store *store, struct store_sql *sql,
				struct pl_err *err) PL_MUST_CHECK;
/* Starts the thread, after the results are in memory. Without it, nothing is written. */
int store_column_snapshot_start(struct store *store, struct pl_err *err) PL_MUST_CHECK;
/* Writes the snapshot a last time if enough has changed, and ends the thread. */
void store_column_snapshot_stop(struct store *store);
void store_column_snapshot_free(struct store *store);

/* Writes it now. Returns -1 with BUSY if another process is writing it. */
int store_column_snapshot_save(struct store *store, struct pl_err *err) PL_MUST_CHECK;
