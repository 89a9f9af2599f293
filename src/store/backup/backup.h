/*
 * Backups of a store: a directory of snapshots, each of one moment, which share the files of artifacts.
 *
 *	TARGET/backup.json                     marks the directory; its layout
 *	TARGET/lock                            exclusive: a snapshot is made or removed; shared: one is read
 *	TARGET/artifacts/ab/ab12...            as in store/artifacts/files.h, each stored once for all snapshots
 *	TARGET/snapshots/NAME/manifest.json    what the snapshot has, with its own SHA-256; written last
 *	TARGET/snapshots/NAME/artifacts.list   "SHA256 BYTES", one line per file
 *	TARGET/snapshots/NAME/database.sqlite  or database.dump, an archive of pg_dump
 *	TARGET/snapshots/.NAME                 being made or removed; the next backup removes it
 *
 * A name is the time of the snapshot, 20260102T030405Z, so names sort by age. A snapshot is complete before it gets its
 * name, so a kill or a full disk leaves the earlier ones as they were. Only the owner can read the files: the database
 * may contain the bytes of uploads that wait.
 *
 * Not part of a snapshot: token files, keys of TLS, options of the service, and the cache of prepared files.
 */
#pragma once

#include "base/json.h"

#include <stdbool.h>
#include <stdint.h>

#define STORE_BACKUP_NAME_BYTES 32 /* with the NUL */

/* Progress in bytes or pages of one stage ("database", "artifacts"); total 0: unknown. */
typedef void store_backup_progress_fn(void *context, const char *stage, int64_t done,
				      int64_t total);
/* One line about a problem that does not end the work. */
typedef void store_backup_report_fn(void *context, const char *text);

struct store_backup_watch {
	store_backup_progress_fn *progress;
	store_backup_report_fn *report;
	void *context;
};

struct store_backup {
	const char *db;   /* as in struct store_options */
	const char *data; /* NULL: the default directory */
	const char *target;
	int64_t keep; /* snapshots to keep, with the new one; 0: all */
	struct store_backup_watch watch;
};

struct store_backup_result {
	json_t *manifest; /* of the new snapshot */
	int64_t copied_files;
	int64_t copied_bytes;
	int64_t missing; /* artifacts whose files are missing or damaged; reported */
	int64_t removed; /* earlier snapshots */
};
void store_backup_result_done(struct store_backup_result *result);
#define auto_backup_result \
	__attribute__((cleanup(store_backup_result_done), unused)) struct store_backup_result

/*
 * Makes a snapshot while others use the database, which is neither changed nor migrated. The files of artifacts are
 * held (store_files_hold()) from before the moment of the snapshot to the end, so that it has every file that its
 * database names. BUSY: another process makes a backup to the same directory. Overwrites *ret.
 */
int store_backup_make(const struct store_backup *options, struct store_backup_result *ret,
		      struct pl_err *err) PL_MUST_CHECK;

/* *ret: the manifests of all snapshots, the oldest first, as a new reference. An unreadable one is reported. */
int store_backup_list(const char *target, const struct store_backup_watch *watch, json_t **ret,
		      struct pl_err *err) PL_MUST_CHECK;

struct store_backup_check {
	int64_t snapshots;
	int64_t files; /* artifacts and others */
	int64_t bytes;
	int64_t faults; /* reported */
};
/*
 * Checks the snapshot `name` (NULL: all): that its files exist with their sizes and, unless is_quick, with their
 * SHA-256, and that its SQLite database passes the integrity check. Each fault is reported with the file.
 */
int store_backup_check(const char *target, const char *name, bool is_quick,
		       const struct store_backup_watch *watch, struct store_backup_check *ret,
		       struct pl_err *err) PL_MUST_CHECK;

struct store_restore {
	const char *target;
	const char *name; /* NULL: the newest */
	const char *db;   /* the new database */
	const char *data;
	bool replaces; /* an existing database */
	struct store_backup_watch watch;
};
/*
 * Restores a snapshot after it passed the full check. First come the artifacts, then the database as a whole, so a kill
 * leaves no database, or the former one. Its tables are migrated, and its data version becomes later than any that a
 * reader may know. INVALID: the snapshot is damaged, was written by a newer version, or is of another kind of database.
 * BUSY: the database exists, or a process uses it. *ret: the manifest, as a new reference.
 */
int store_backup_restore(const struct store_restore *options, json_t **ret,
			 struct pl_err *err) PL_MUST_CHECK;
