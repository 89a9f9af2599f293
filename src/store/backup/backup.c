/*
 *	hold the files ─> begin a read ─> list of artifacts, counts, copy of the database ─> end of the read
 *	  ─> copy the files that the target lacks ─> manifest ─> fsync ─> rename .NAME to NAME ─> remove old snapshots
 */
#include "store/backup/backup.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text.h"
#include "store/backup/check_priv.h"
#include "store/backup/manifest.h"
#include "store/db/dump.h"
#include "store/db/tables.h"
#include "store/store_priv.h"

#define COPY_BYTES ((size_t)1 << 20)
/* Names have a resolution of one second. */
#define NAME_TRIES    100
#define NAME_PAUSE_NS (50 * PL_NS_PER_MS)
/* The first table of artifacts. */
#define ARTIFACTS_FORM 4

struct making {
	const struct store_backup *options;
	struct store_target target;
	struct store_sql sql;
	struct store_files *from; /* the files of the database */
	int hold;
	char name[STORE_BACKUP_NAME_BYTES];
	char *folder;     /* of the snapshot, with its hidden name */
	bool is_complete; /* it has its final name */
	int64_t form;
	int64_t data_version;
	json_t *counts;
	json_t *schema; /* of PostgreSQL, or null */
	char created_at[32];
	int64_t listed_files, listed_bytes; /* of the database */
	int64_t files, bytes;               /* of the snapshot */
	struct store_backup_result result;
};

void store_backup_result_done(struct store_backup_result *result)
{
	json_decref(result->manifest);
	*result = (struct store_backup_result){ 0 };
}

static void making_done(struct making *making)
{
	if (making->folder != NULL && !making->is_complete)
		(void)!store_target_remove(making->folder, PL_ERR_IGNORED);
	free(making->folder);
	json_decref(making->counts);
	json_decref(making->schema);
	store_sql_close(&making->sql);
	store_files_free(making->from);
	pl_fd_close(&making->hold);
	store_target_close(&making->target);
	store_backup_result_done(&making->result);
}
#define auto_making __attribute__((cleanup(making_done), unused)) struct making

/* free() */
static char *path_of(const struct making *making, const char *file)
{
	return pl_asprintf("%s/%s", making->folder, file);
}

/* ---- the database --------------------------------------------------------------------------- */

static int ask_number(struct making *making, const char *text, int64_t *ret, struct pl_err *err)
{
	auto_statement statement = NULL;

	if (store_sql_prepare(&making->sql, text, &statement, err) < 0)
		return -1;
	return store_sql_number(statement, ret, err);
}

static int table_exists(struct making *making, const char *table, bool *ret, struct pl_err *err)
{
	int64_t found = 0;
	bool is_postgres = store_sql_is_address(making->options->db);
	auto_free char *text = pl_asprintf(
		is_postgres ? "SELECT (to_regclass('%s') IS NOT NULL)::int"
			    : "SELECT count(*) FROM sqlite_schema WHERE name = '%s'",
		table);

	if (ask_number(making, text, &found, err) < 0)
		return -1;
	*ret = found != 0;
	return 0;
}

static int count_rows(struct making *making, struct pl_err *err)
{
	for (size_t i = 0; store_tables[i] != NULL; i++) {
		auto_free char *text = pl_asprintf("SELECT count(*) FROM %s", store_tables[i]);
		int64_t count = 0;
		bool exists;
		if (table_exists(making, store_tables[i], &exists, err) < 0 ||
		    (exists && ask_number(making, text, &count, err) < 0))
			return -1;
		if (exists)
			json_object_set_new(making->counts, store_tables[i], json_integer(count));
	}
	return 0;
}

static int get_schema(struct making *making, struct pl_err *err)
{
	auto_statement statement = NULL;
	bool is_row = false;

	making->schema = json_null();
	if (!store_sql_is_address(making->options->db))
		return 0;
	if (store_sql_prepare(&making->sql, "SELECT current_schema()::text", &statement, err) < 0 ||
	    store_sql_step(statement, &is_row, err) < 0)
		return -1;
	making->schema = pl_json_text(is_row ? store_sql_text(statement, 0) : NULL);
	return 0;
}

/* Lists the files of all artifacts; copy_artifacts() leaves out those that are missing. */
static int list_artifacts(struct making *making, struct pl_err *err)
{
	auto_statement rows = NULL;
	auto_file_new file = { 0 };
	auto_free char *path = path_of(making, "listed");
	int result = 0;

	if (pl_file_new_open_private(&file, path, err) < 0)
		return -1;
	if (making->form >= ARTIFACTS_FORM &&
	    store_sql_prepare_cursor(&making->sql,
				     "SELECT sha256, max(bytes) FROM artifacts GROUP BY sha256"
				     " ORDER BY sha256",
				     &rows, err) < 0)
		return -1;
	while (rows != NULL && (result = store_sql_next(rows, err)) > 0) {
		const char *sha256 = store_sql_text(rows, 0);
		int64_t bytes = store_sql_i64(rows, 1);
		if (!store_sha256_is(sha256) || bytes < 0)
			return pl_err_invalid(err,
					      "artifact '%.100s' of %lld bytes: expected a SHA-256 "
					      "and a size; run profllm-dashboard check",
					      sha256, (long long)bytes);
		fprintf(file.stream, "%s %lld\n", sha256, (long long)bytes);
		making->listed_files++;
		making->listed_bytes += bytes;
	}
	return result < 0 ? -1 : pl_file_new_commit(&file, err);
}

struct stage {
	const struct store_backup_watch *watch;
	const char *name;
};

static void show_stage(void *context, int64_t done, int64_t total)
{
	const struct stage *stage = context;

	stage->watch->progress(stage->watch->context, stage->name, done, total);
}

/* Within the transaction that reads; its first statement is the moment of the snapshot. */
static int read_database(struct making *making, struct pl_err *err)
{
	struct stage stage = { &making->options->watch, "database" };
	struct store_sql_watch watch = { show_stage, &stage };
	auto_free char *path = path_of(making, store_sql_is_address(making->options->db)
						       ? MANIFEST_POSTGRES
						       : MANIFEST_SQLITE);

	if (store_sql_get_form(&making->sql, &making->form, err) < 0)
		return -1;
	if (making->form == 0)
		return pl_err_invalid(err, "'%s' has no results; nothing to back up",
				      store_sql_name(&making->sql));
	if (making->form > STORE_NEWEST_FORM)
		return pl_err_invalid(err,
				      "'%s' was written by a newer version: found database format "
				      "%lld, expected at most %d; use that version",
				      store_sql_name(&making->sql), (long long)making->form,
				      STORE_NEWEST_FORM);
	pl_clock_rfc3339(pl_clock_real_ns(), making->created_at);
	if (ask_number(making, "SELECT data_version FROM store_state", &making->data_version, err) <
		    0 ||
	    count_rows(making, err) < 0 || get_schema(making, err) < 0 ||
	    list_artifacts(making, err) < 0)
		return -1;
	return store_sql_dump(&making->sql, path, &watch, err);
}

static int copy_database(struct making *making, struct pl_err *err)
{
	if (store_sql_begin(&making->sql, STORE_SQL_READ, err) < 0)
		return -1;
	int result = read_database(making, err);
	store_sql_rollback(&making->sql);
	return result;
}

/* ---- artifacts ------------------------------------------------------------------------------ */

static int copy_bytes(int fd, struct store_file_in *in, const char *path, struct pl_err *err)
{
	auto_free char *bytes = pl_alloc(COPY_BYTES);
	ssize_t got;

	while ((got = TEMP_FAILURE_RETRY(read(fd, bytes, COPY_BYTES))) > 0) {
		if (store_file_in_write(in, bytes, (size_t)got, err) < 0)
			return -1;
	}
	/* a file that cannot be read is damaged; one that cannot be written ends the backup */
	return got < 0 ? pl_err_set(err, PL_ERR_INVALID, "could not read '%s': %s", path,
				    strerror(errno))
		       : 0;
}

/* INVALID: its bytes are not those of its name. NOT_FOUND: it is missing. */
int store_backup_copy_file(const struct store_files *from, struct store_files *to,
			   const char *sha256, int64_t *ret_bytes, struct pl_err *err)
{
	auto_free char *path = store_files_path(from, sha256);
	struct store_file_in *in = NULL;
	auto_fd int fd = -1;
	struct pl_err why = PL_ERR_INIT;

	if (store_files_open(from, sha256, &fd, &why) < 0) {
		pl_err_set(err, why.code == PL_ERR_NOT_FOUND ? PL_ERR_NOT_FOUND : PL_ERR_INVALID,
			   "%s", why.text);
		return -1;
	}
	if (store_file_in_new(to, &in, err) < 0)
		return -1;
	int result = copy_bytes(fd, in, path, err);
	if (result == 0 && store_file_in_end(in, sha256, err) < 0)
		result = err->code == PL_ERR_INVALID ? pl_err_wrap(err, "'%s' is damaged", path)
						     : -1;
	*ret_bytes = store_file_in_bytes(in);
	store_file_in_free(in, result == 0);
	return result;
}

/* Returns 1 if the snapshot has it, 0 if it is missing or damaged. */
static int copy_artifact(struct making *making, const char *sha256, int64_t bytes,
			 struct pl_err *err)
{
	struct pl_err why = PL_ERR_INIT;
	int64_t copied = 0;

	if (store_files_bytes(making->target.files, sha256) == bytes)
		return 1;
	if (store_backup_copy_file(making->from, making->target.files, sha256, &copied, &why) ==
	    0) {
		if (copied == bytes) {
			making->result.copied_files++;
			making->result.copied_bytes += copied;
			return 1;
		}
		pl_err_invalid(&why, "artifact %s: found %lld bytes, expected %lld", sha256,
			       (long long)copied, (long long)bytes);
	}
	if (why.code != PL_ERR_INVALID && why.code != PL_ERR_NOT_FOUND) {
		*err = why;
		return -1;
	}
	making->options->watch.report(making->options->watch.context, why.text);
	making->result.missing++;
	return 0;
}

static int copy_listed(struct making *making, FILE *listed, FILE *list, struct pl_err *err)
{
	const struct store_backup_watch *watch = &making->options->watch;
	char line[MANIFEST_LINE_BYTES + 2], sha256[STORE_SHA256_LEN + 1];
	int64_t bytes, done = 0;

	while (fgets(line, sizeof(line), listed) != NULL) {
		if (!store_manifest_read_line(line, sha256, &bytes))
			return pl_err_set(err, PL_ERR_INTERNAL, "the list of artifacts is damaged");
		int result = copy_artifact(making, sha256, bytes, err);
		if (result < 0)
			return -1;
		done += bytes;
		watch->progress(watch->context, "artifacts", done, making->listed_bytes);
		if (result == 0)
			continue;
		fputs(line, list);
		making->files++;
		making->bytes += bytes;
	}
	return 0;
}

static int copy_artifacts(struct making *making, struct pl_err *err)
{
	auto_free char *path = path_of(making, "listed");
	auto_free char *list = path_of(making, MANIFEST_ARTIFACTS);
	auto_file_new file = { 0 };
	FILE *listed = fopen(path, "re");

	if (listed == NULL)
		return pl_err_errno(err, "could not read '%s'", path);
	int result = pl_file_new_open_private(&file, list, err);
	if (result == 0)
		result = copy_listed(making, listed, file.stream, err);
	fclose(listed);
	if (result < 0 || pl_file_new_commit(&file, err) < 0)
		return -1;
	return unlink(path) == 0 ? 0 : pl_err_errno(err, "could not remove '%s'", path);
}

/* ---- the snapshot --------------------------------------------------------------------------- */

static int add_file(struct making *making, json_t *files, const char *name, struct pl_err *err)
{
	auto_free char *path = path_of(making, name);
	char hex[PL_SHA256_HEX_BYTES];

	if (pl_file_sync(path, err) < 0 || pl_file_sha256(path, hex, err) < 0)
		return -1;
	json_array_append_new(files, json_pack("{s:s, s:I, s:s}", "name", name, "bytes",
					       (json_int_t)pl_file_size(path), "sha256", hex));
	return 0;
}

static int write_manifest(struct making *making, struct pl_err *err)
{
	bool is_postgres = store_sql_is_address(making->options->db);
	auto_free char *path = path_of(making, "manifest.json");
	json_t *files = json_array();
	auto_json json_t *manifest = json_pack(
		"{s:i, s:s, s:s, s:s, s:{s:s, s:I, s:O}, s:I, s:O, s:{s:I, s:I, s:I}, s:o}",
		"layout", MANIFEST_LAYOUT, "name", making->name, "created_at", making->created_at,
		"program_version", PROFLLM_VERSION, "database", "kind",
		is_postgres ? "postgresql" : "sqlite", "format", (json_int_t)making->form, "schema",
		making->schema, "data_version", (json_int_t)making->data_version, "counts",
		making->counts, "artifacts", "count", (json_int_t)making->files, "bytes",
		(json_int_t)making->bytes, "missing", (json_int_t)making->result.missing, "files",
		files);

	if (add_file(making, files, is_postgres ? MANIFEST_POSTGRES : MANIFEST_SQLITE, err) < 0 ||
	    add_file(making, files, MANIFEST_ARTIFACTS, err) < 0)
		return -1;
	store_manifest_seal(manifest);
	if (pl_json_write_file(manifest, path, err) < 0)
		return -1;
	making->result.manifest = pl_take(manifest);
	return 0;
}

static int complete(struct making *making, struct pl_err *err)
{
	auto_free char *path = store_target_path(&making->target, making->name, NULL);

	if (pl_file_sync(making->folder, err) < 0)
		return -1;
	if (rename(making->folder, path) < 0)
		return pl_err_errno(err, "could not write '%s'", path);
	making->is_complete = true;
	return pl_file_sync(making->target.snapshots, err);
}

/* Makes the directory of a name that is free and later than those of all snapshots. */
static int choose_name(struct making *making, struct pl_err *err)
{
	auto_target_names names = { 0 };

	if (store_target_list(&making->target, &names, err) < 0)
		return -1;
	const char *newest = names.count > 0 ? names.items[names.count - 1] : "";
	for (int tries = 0; tries < NAME_TRIES; tries++) {
		pl_clock_format(pl_clock_real_ns(), "%Y%m%dT%H%M%SZ", 1, making->name,
				sizeof(making->name));
		if (strcmp(making->name, newest) > 0)
			break;
		pl_clock_sleep_until(pl_clock_now_ns() + NAME_PAUSE_NS);
	}
	if (strcmp(making->name, newest) <= 0)
		return pl_err_set(err, PL_ERR_FAILED,
				  "the clock is at %s, before the snapshot '%s'; set the clock, or "
				  "back up to another directory",
				  making->name, newest);
	making->folder = pl_asprintf("%s/.%s", making->target.snapshots, making->name);
	return pl_file_make_dir(making->folder, 0700, err);
}

static int open_database(struct making *making, struct pl_err *err)
{
	const struct store_backup *options = making->options;

	if (store_sql_open(&making->sql, options->db, false, err) < 0 ||
	    store_sql_use(&making->sql, STORE_SQL_READ, err) < 0)
		return -1;
	if (store_open_files(options->db, store_sql_name(&making->sql), options->data,
			     &making->from, err) < 0)
		return -1;
	return store_files_hold(making->from, &making->hold, err);
}

static int make(struct making *making, struct pl_err *err)
{
	const struct store_backup *options = making->options;

	if (open_database(making, err) < 0 ||
	    store_target_open(options->target, STORE_TARGET_WRITE, &making->target, err) < 0 ||
	    choose_name(making, err) < 0 || copy_database(making, err) < 0 ||
	    copy_artifacts(making, err) < 0 || write_manifest(making, err) < 0 ||
	    complete(making, err) < 0)
		return -1;
	pl_fd_close(&making->hold);
	return options->keep == 0 ? 0
				  : store_target_trim(&making->target, options->keep,
						      &making->result.removed, err);
}

int store_backup_make(const struct store_backup *options, struct store_backup_result *ret,
		      struct pl_err *err)
{
	auto_making making = {
		.options = options, .target = { .lock = -1 }, .hold = -1, .counts = json_object()
	};

	*ret = (struct store_backup_result){ 0 };
	if (make(&making, err) < 0) {
		int64_t removed;
		/* what was copied only takes the space that is missing */
		if (err->code == PL_ERR_FULL && making.target.folder != NULL)
			(void)!store_target_trim(&making.target, INT64_MAX, &removed,
						 PL_ERR_IGNORED);
		return -1;
	}
	*ret = making.result;
	making.result = (struct store_backup_result){ 0 };
	return 0;
}

int store_backup_list(const char *target_folder, const struct store_backup_watch *watch,
		      json_t **ret, struct pl_err *err)
{
	auto_target target = { .lock = -1 };
	auto_target_names names = { 0 };
	auto_json json_t *list = json_array();

	if (store_target_open(target_folder, STORE_TARGET_READ, &target, err) < 0 ||
	    store_target_list(&target, &names, err) < 0)
		return -1;
	for (size_t i = 0; i < names.count; i++) {
		json_t *manifest = NULL;
		struct pl_err why = PL_ERR_INIT;
		if (store_target_manifest(&target, names.items[i], &manifest, &why) < 0)
			watch->report(watch->context, why.text);
		else
			json_array_append_new(list, manifest);
	}
	*ret = pl_take(list);
	return 0;
}
