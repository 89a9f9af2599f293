/*
 *	check everything ─> copy the artifacts ─> SQLite: copy to DB.restoring ─> migrate, new version ─> rename to DB
 *	                                          PostgreSQL: pg_restore in one transaction ─> new version ─> migrate
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/digest.h"
#include "base/text.h"
#include "store/backup/check_priv.h"
#include "store/backup/manifest.h"
#include "store/db/dump.h"
#include "store/db/tables.h"
#include "store/store_priv.h"

#define COPY_BYTES ((size_t)1 << 20)

struct restoring {
	const struct store_restore *options;
	struct store_target target;
	struct store_target_set artifacts;
	json_t *manifest;
	const char *name; /* of the snapshot */
	char *shown;      /* the database, for messages */
	struct store_files *files;
	int hold;
	int64_t former_version; /* of the database that is replaced; 0: none */
};

static void restoring_done(struct restoring *restoring)
{
	store_target_set_done(&restoring->artifacts);
	json_decref(restoring->manifest);
	store_files_free(restoring->files);
	pl_fd_close(&restoring->hold);
	free(restoring->shown);
	store_target_close(&restoring->target);
}
#define auto_restoring __attribute__((cleanup(restoring_done), unused)) struct restoring

/* ---- what is restored ----------------------------------------------------------------------- */

static int check_snapshot(struct restoring *restoring, const char *name, struct pl_err *err)
{
	auto_checking checking = { .target = &restoring->target,
				   .watch = &restoring->options->watch };

	if (store_backup_check_snapshot(&checking, name, NULL) == 0)
		store_backup_check_artifacts(&checking);
	if (checking.counts.faults > 0)
		return pl_err_invalid(err,
				      "snapshot '%s' is damaged: found %lld faulty files; nothing "
				      "was restored",
				      name, (long long)checking.counts.faults);
	restoring->artifacts = checking.set;
	checking.set = (struct store_target_set){ 0 };
	return 0;
}

static int check_kind(const struct restoring *restoring, struct pl_err *err)
{
	int64_t form = json_integer_value(pl_json_get_path(restoring->manifest, "database.format"));
	bool is_sqlite = store_manifest_is_sqlite(restoring->manifest);

	if (form > STORE_NEWEST_FORM)
		return pl_err_invalid(
			err,
			"snapshot '%s' was written by a newer version: found database "
			"format %lld, expected at most %d; use that version",
			pl_json_get_text(restoring->manifest, "name"), (long long)form,
			STORE_NEWEST_FORM);
	if (is_sqlite == store_sql_is_address(restoring->options->db))
		return pl_err_invalid(err, "--db: found %s, expected %s, as in the snapshot",
				      is_sqlite ? "an address of PostgreSQL" : "a file",
				      is_sqlite ? "a file"
						: "an address of PostgreSQL, postgres://…");
	return 0;
}

static int choose_snapshot(struct restoring *restoring, struct store_target_names *names,
			   struct pl_err *err)
{
	if (store_target_list(&restoring->target, names, err) < 0)
		return -1;
	restoring->name = restoring->options->name;
	if (names->count == 0)
		return pl_err_set(err, PL_ERR_NOT_FOUND, "'%s' has no snapshot",
				  restoring->target.folder);
	if (restoring->name == NULL)
		restoring->name = names->items[names->count - 1];
	/* reports a missing one, and one of a newer version before its files are read */
	if (store_target_manifest(&restoring->target, restoring->name, &restoring->manifest, err) <
	    0)
		return -1;
	return check_kind(restoring, err);
}

/* ---- artifacts ------------------------------------------------------------------------------ */

static bool has_file(const struct store_files *files, const char *sha256, int64_t bytes)
{
	char found[STORE_SHA256_LEN + 1];

	return store_files_bytes(files, sha256) == bytes &&
	       store_files_hash(files, sha256, found, PL_ERR_IGNORED) == 0 &&
	       strcmp(found, sha256) == 0;
}

static int restore_artifacts(struct restoring *restoring, struct pl_err *err)
{
	const struct store_target_set *set = &restoring->artifacts;
	const struct store_backup_watch *watch = &restoring->options->watch;
	int64_t total = 0, done = 0, copied;

	for (size_t i = 0; i < set->count; i++)
		total += set->items[i].bytes;
	for (size_t i = 0; i < set->count; i++) {
		char sha256[STORE_SHA256_LEN + 1];
		store_target_set_hex(&set->items[i], sha256);
		/* no row names them yet, so a process that uses the directory could remove them */
		if (restoring->hold < 0 &&
		    store_files_hold(restoring->files, &restoring->hold, err) < 0)
			return -1;
		if (!has_file(restoring->files, sha256, set->items[i].bytes) &&
		    store_backup_copy_file(restoring->target.files, restoring->files, sha256,
					   &copied, err) < 0)
			return -1;
		done += set->items[i].bytes;
		watch->progress(watch->context, "restored artifacts", done, total);
	}
	return 0;
}

/* ---- the new version ------------------------------------------------------------------------ */

static int ask_number(struct store_sql *sql, const char *text, int64_t *ret, struct pl_err *err)
{
	auto_statement statement = NULL;

	if (store_sql_prepare(sql, text, &statement, err) < 0)
		return -1;
	return store_sql_number(statement, ret, err);
}

/*
 * Readers know versions of the former database, and of later changes of the snapshot's database elsewhere. The time in
 * milliseconds is later than all of them, as no store changes a thousand times per second for long, and differs for
 * each restore of the same snapshot.
 */
static int set_version(struct restoring *restoring, struct store_sql *sql, struct pl_err *err)
{
	struct store_point point;
	int64_t version = pl_clock_real_ns() / PL_NS_PER_MS;
	int64_t snapshot = pl_json_get_i64(restoring->manifest, "data_version");

	if (version <= snapshot)
		version = snapshot + 1;
	if (version <= restoring->former_version)
		version = restoring->former_version + 1;
	return store_point_replace(sql, version, &point, err);
}

/* A session that has ended since the snapshot must not begin again: every user signs in again. */
static int end_sessions(struct store_sql *sql, struct pl_err *err)
{
	return store_sql_run(sql, "DELETE FROM sessions", err);
}

/* Opens the database, which migrates it. */
static int migrate(struct restoring *restoring, const char *path, bool is_marked,
		   struct pl_err *err)
{
	auto_fields struct res_fields *fields = res_fields_new(NULL);
	auto_store struct store *store = NULL;

	if (store_open(&(struct store_options){ .path = path,
						.data = store_files_folder(restoring->files),
						.fields = fields,
						.must_exist = true },
		       &store, err) < 0)
		return -1;
	if (is_marked)
		return 0;
	if (store_begin(store, err) < 0)
		return -1;
	int result = end_sessions(&store->writer, err);
	if (result == 0)
		result = set_version(restoring, &store->writer, err);
	return store_end(store, result, err);
}

/* ---- SQLite --------------------------------------------------------------------------------- */

static void remove_with_logs(const char *path)
{
	static const char *const suffixes[] = { "", "-wal", "-shm", "-journal" };

	for (size_t i = 0; i < PL_ARRAY_SIZE(suffixes); i++) {
		auto_free char *name = pl_asprintf("%s%s", path, suffixes[i]);
		(void)unlink(name);
	}
}

/* Copies the file, and compares the hash of what was copied. */
static int copy_verified(int from, int to, const char *path, const char *expected,
			 struct pl_err *err)
{
	auto_digest *digest = pl_digest_new();
	auto_free char *bytes = pl_alloc(COPY_BYTES);
	char hex[PL_SHA256_HEX_BYTES];
	ssize_t got;

	while ((got = TEMP_FAILURE_RETRY(read(from, bytes, COPY_BYTES))) > 0) {
		if (pl_fd_write(to, bytes, (size_t)got) < 0)
			return pl_err_errno(err, "could not write the database");
		pl_digest_add(digest, bytes, (size_t)got);
	}
	if (got < 0)
		return pl_err_errno(err, "could not read '%s'", path);
	pl_digest_end(digest, hex);
	if (strcmp(hex, expected) != 0)
		return pl_err_invalid(err, "'%s' is damaged: found SHA-256 %s, expected %s", path,
				      hex, expected);
	return fsync(to) == 0 ? 0 : pl_err_errno(err, "could not write the database");
}

static int copy_database(struct restoring *restoring, int to, struct pl_err *err)
{
	auto_free char *path = store_target_path(&restoring->target, restoring->name,
						 MANIFEST_SQLITE);
	auto_fd int from = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);

	if (from < 0)
		return pl_err_errno(err, "could not open '%s'", path);
	return copy_verified(
		from, to, path,
		pl_json_get_text(store_manifest_database(restoring->manifest), "sha256"), err);
}

/* Logs of a database whose file was removed or emptied: SQLite would apply them to the new one. `removes`: with --force. */
static int check_logs(const struct restoring *restoring, bool removes, struct pl_err *err)
{
	static const char *const suffixes[] = { "-wal", "-journal" };

	for (size_t i = 0; i < PL_ARRAY_SIZE(suffixes); i++) {
		auto_free char *log = pl_asprintf("%s%s", restoring->options->db, suffixes[i]);
		if (pl_file_size(log) <= 0)
			continue;
		if (!restoring->options->replaces)
			return pl_err_set(err, PL_ERR_BUSY,
					  "'%s' exists, a log of a former database; name a new "
					  "database, or use --force to remove it",
					  log);
		if (removes && unlink(log) < 0 && errno != ENOENT)
			return pl_err_errno(err, "could not remove '%s'", log);
	}
	return 0;
}

/* The former database loses its log before it is replaced: SQLite would apply the log to the new one. */
static int put_in_place(struct restoring *restoring, const char *temporary, bool exists,
			struct pl_err *err)
{
	const char *db = restoring->options->db;

	if (exists && pl_file_size(db) > 0 && store_sqlite_retire(db, err) < 0)
		return -1;
	if (check_logs(restoring, true, err) < 0)
		return -1;
	if (exists ? rename(temporary, db) < 0
		   : renameat2(AT_FDCWD, temporary, AT_FDCWD, db, RENAME_NOREPLACE) < 0) {
		/* some file systems do not support the flag */
		if (errno == EEXIST || (errno == EINVAL && pl_file_exists(db)))
			return pl_err_set(err, PL_ERR_BUSY, "'%s' exists meanwhile", db);
		if (errno != EINVAL || rename(temporary, db) < 0)
			return pl_err_errno(err, "could not write '%s'", db);
	}
	return pl_file_sync_dir_of(db, err);
}

/* The lock on DB.restoring keeps another restore away, and ends with this process. */
static int open_temporary(const char *temporary, int *ret, struct pl_err *err)
{
	auto_fd int fd = open(temporary, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);

	if (fd < 0)
		return pl_err_errno(err, "could not write '%s'", temporary);
	if (flock(fd, LOCK_EX | LOCK_NB) < 0)
		return pl_err_set(err, PL_ERR_BUSY, "'%s' is in use by another restore", temporary);
	*ret = pl_take_fd(fd);
	return 0;
}

static int restore_file(struct restoring *restoring, struct pl_err *err)
{
	const char *db = restoring->options->db;
	auto_free char *temporary = pl_asprintf("%s.restoring", db);
	auto_fd int lock = -1;
	bool exists = pl_file_exists(db);

	if (open_temporary(temporary, &lock, err) < 0)
		return -1;
	/* what a killed restore left; the lock stays on the same file */
	auto_free char *log = pl_asprintf("%s-wal", temporary);
	auto_free char *index = pl_asprintf("%s-shm", temporary);
	(void)unlink(log);
	(void)unlink(index);
	if (ftruncate(lock, 0) < 0)
		return pl_err_errno(err, "could not write '%s'", temporary);
	if (copy_database(restoring, lock, err) < 0 ||
	    migrate(restoring, temporary, false, err) < 0 || pl_file_sync(temporary, err) < 0 ||
	    put_in_place(restoring, temporary, exists, err) < 0) {
		remove_with_logs(temporary);
		return -1;
	}
	return 0;
}

static int check_file(struct restoring *restoring, struct pl_err *err)
{
	const char *db = restoring->options->db;
	struct store_sql sql = { 0 };
	int64_t form = 0;

	if (pl_file_size(db) <= 0)
		return check_logs(restoring, false, err);
	if (!restoring->options->replaces)
		return pl_err_set(err, PL_ERR_BUSY,
				  "'%s' exists; name a new database, or use --force to replace it",
				  db);
	if (store_sql_open(&sql, db, false, err) < 0)
		return -1;
	/* BUSY now is better than after hours of copying; what serves it is asked again at the end */
	int result = store_sql_get_form(&sql, &form, err);
	if (result == 0 && form > 0)
		result = ask_number(&sql, "SELECT data_version FROM store_state",
				    &restoring->former_version, err);
	store_sql_close(&sql);
	return result < 0 ? -1 : store_sqlite_retire(db, err);
}

/* ---- PostgreSQL ----------------------------------------------------------------------------- */

static int check_schema(const struct restoring *restoring, struct store_sql *sql,
			struct pl_err *err)
{
	auto_statement statement = NULL;
	bool is_row = false;
	const char *expected = pl_json_path_text(restoring->manifest, "database.schema");

	if (store_sql_prepare(sql, "SELECT current_schema()::text", &statement, err) < 0 ||
	    store_sql_step(statement, &is_row, err) < 0)
		return -1;
	const char *found = is_row ? store_sql_text(statement, 0) : NULL;
	return pl_text_equal(found, expected)
		       ? 0
		       : pl_err_invalid(err,
					"'%s': schema: found %s, expected %s, as in the snapshot",
					restoring->shown, found != NULL ? found : "none", expected);
}

static int check_server(struct restoring *restoring, struct store_sql *sql, struct pl_err *err)
{
	int64_t form = 0;

	if (check_schema(restoring, sql, err) < 0 || store_sql_get_form(sql, &form, err) < 0)
		return -1;
	if (form == 0)
		return 0;
	if (!restoring->options->replaces)
		return pl_err_set(err, PL_ERR_BUSY,
				  "'%s' has results; name an empty database, or use --force to "
				  "replace them",
				  restoring->shown);
	return ask_number(sql, "SELECT data_version FROM store_state", &restoring->former_version,
			  err);
}

static int check_counts(const struct restoring *restoring, struct store_sql *sql,
			struct pl_err *err)
{
	const json_t *counts = json_object_get(restoring->manifest, "counts");

	for (size_t i = 0; store_tables[i] != NULL; i++) {
		int64_t expected = pl_json_get_i64(counts, store_tables[i]), found = 0;
		auto_free char *text = pl_asprintf("SELECT count(*) FROM %s", store_tables[i]);
		if (json_object_get(counts, store_tables[i]) == NULL)
			continue;
		if (ask_number(sql, text, &found, err) < 0)
			return -1;
		if (found != expected)
			return pl_err_set(err, PL_ERR_INTERNAL,
					  "table '%s': found %lld rows, expected %lld",
					  store_tables[i], (long long)found, (long long)expected);
	}
	return 0;
}

/* The connection holds the lock of writers until the rows are marked as new. */
static int load(struct restoring *restoring, struct store_sql *sql, bool is_current,
		struct pl_err *err)
{
	auto_free char *path = store_target_path(&restoring->target, restoring->name,
						 MANIFEST_POSTGRES);

	if (store_sql_load(sql, path, restoring->former_version > 0, err) < 0 ||
	    check_counts(restoring, sql, err) < 0)
		return -1;
	if (!is_current)
		return 0;
	return end_sessions(sql, err) < 0 ? -1 : set_version(restoring, sql, err);
}

static int restore_server(struct restoring *restoring, struct pl_err *err)
{
	struct store_sql sql = { 0 };
	bool is_current = json_integer_value(pl_json_get_path(
				  restoring->manifest, "database.format")) == STORE_NEWEST_FORM;

	if (store_sql_open(&sql, restoring->options->db, false, err) < 0)
		return -1;
	int result = check_server(restoring, &sql, err);
	if (result == 0)
		result = load(restoring, &sql, is_current, err);
	store_sql_close(&sql);
	return result < 0 ? -1 : migrate(restoring, restoring->options->db, is_current, err);
}

/* ---- the restore ---------------------------------------------------------------------------- */

/* Refuses a database that exists. */
static int check_database(struct restoring *restoring, struct pl_err *err)
{
	const struct store_restore *options = restoring->options;
	struct store_sql sql = { 0 };
	int result;

	if (!store_sql_is_address(options->db)) {
		restoring->shown = pl_strdup(options->db);
		result = check_file(restoring, err);
	} else {
		if (store_sql_open(&sql, options->db, false, err) < 0)
			return -1;
		restoring->shown = pl_strdup(store_sql_name(&sql));
		result = check_server(restoring, &sql, err);
		store_sql_close(&sql);
	}
	if (result < 0)
		return -1;
	return store_open_files(options->db, restoring->shown, options->data, &restoring->files,
				err);
}

int store_backup_restore(const struct store_restore *options, json_t **ret, struct pl_err *err)
{
	auto_restoring restoring = { .options = options, .target = { .lock = -1 }, .hold = -1 };
	auto_target_names names = { 0 };

	if (store_target_open(options->target, STORE_TARGET_READ, &restoring.target, err) < 0 ||
	    choose_snapshot(&restoring, &names, err) < 0)
		return -1;
	/* a database that exists is refused before hours of reading */
	if (check_database(&restoring, err) < 0 ||
	    check_snapshot(&restoring, restoring.name, err) < 0 ||
	    restore_artifacts(&restoring, err) < 0)
		return -1;
	if ((store_sql_is_address(options->db) ? restore_server(&restoring, err)
					       : restore_file(&restoring, err)) < 0)
		return -1;
	*ret = pl_take(restoring.manifest);
	return 0;
}
