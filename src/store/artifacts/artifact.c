#include "store/artifacts/artifact.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "base/text.h"
#include "store/artifacts/files.h"
#include "store/artifacts/prepared_priv.h"
#include "store/store_priv.h"

static STORE_STATEMENT(sql_get_run_id,
		       "SELECT run_id FROM benchmark_runs WHERE id = ?1 AND deleted = 0");
static STORE_STATEMENT(
	sql_get_of_run_id,
	"SELECT id FROM benchmark_runs WHERE run_id = ?1 AND deleted = 0 ORDER BY repeat LIMIT ?2");
static STORE_STATEMENT(sql_add_artifact,
		       "INSERT INTO artifacts (run_id, kind, name, sha256, bytes, stored_at)"
		       " VALUES (?1, ?2, ?3, ?4, ?5, ?6)");
static STORE_STATEMENT(
	sql_remove_artifact,
	"DELETE FROM artifacts WHERE run_id = ?1 AND kind = ?2 AND name = ?3 AND sha256 = ?4"
	" RETURNING id");
static STORE_STATEMENT(sql_count_artifacts, "SELECT count(*) FROM artifacts WHERE run_id = ?1");
static STORE_STATEMENT(
	sql_get_artifacts,
	"SELECT kind, name, sha256, bytes, stored_at FROM artifacts WHERE run_id = ?1 ORDER BY id");
static STORE_STATEMENT(sql_has_artifact, "SELECT 1 FROM artifacts WHERE sha256 = ?1 LIMIT 1");
static STORE_STATEMENT(
	sql_forget_artifacts,
	"DELETE FROM artifacts WHERE run_id = (SELECT run_id FROM benchmark_runs WHERE id = ?1)"
	" AND NOT EXISTS (SELECT 1 FROM benchmark_runs r WHERE r.run_id = artifacts.run_id"
	" AND r.id <> ?1)");
static STORE_STATEMENT(sql_forget_unclaimed,
		       /* by their order, too, as with deletions */
		       "DELETE FROM artifacts WHERE stored_at < ?1 AND id <"
		       " (SELECT coalesce(min(n.id), 9223372036854775807) FROM artifacts n"
		       " WHERE n.stored_at >= ?1 AND n.stored_at <= ?2) AND NOT EXISTS (SELECT 1"
		       " FROM benchmark_runs r WHERE r.run_id = artifacts.run_id)");

#define RUN_ID_BYTES_MAX  1000
#define KINDS_BYTES_MAX   1000
#define RESULTS_REQUESTED 16 /* of one run_id: no file has ever belonged to more */

/* ---- names --------------------------------------------------------------------------------- */

static const char *const kinds[] = {
#define ARTIFACT(id, name, text) #name,
#include "tbl/states.h"
};

static int check_kind(const char *kind, struct pl_err *err)
{
	for (size_t i = 0; i < PL_ARRAY_SIZE(kinds); i++) {
		if (strcmp(kind, kinds[i]) == 0)
			return 0;
	}
	const char *nearest = pl_text_nearest(kind, kinds, PL_ARRAY_SIZE(kinds));
	auto_buf all = PL_BUF(KINDS_BYTES_MAX);
	for (size_t i = 0; i < PL_ARRAY_SIZE(kinds); i++)
		pl_buf_addf(&all, "%s%s", i > 0 ? ", " : "", kinds[i]);
	return pl_err_invalid(err, "kind: found '%.100s', expected one of %s%s%s%s", kind,
			      pl_buf_text(&all), nearest != NULL ? " (did you mean '" : "",
			      nearest != NULL ? nearest : "", nearest != NULL ? "'?)" : "");
}

static bool is_clean(const char *text)
{
	for (const char *c = text; *c != '\0'; c++) {
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			return false;
	}
	return pl_text_is_utf8(text);
}

/*
 * Checks the names of an artifact. INVALID: the kind is not in tbl/states.h, the name is not a file name without
 * directories, or no result can have this run_id.
 */
static int check_names(const char *run_id, const char *kind, const char *name, struct pl_err *err)
{
	size_t len = strlen(name);

	if (check_kind(kind, err) < 0)
		return -1;
	if (run_id[0] == '\0' || strlen(run_id) > RUN_ID_BYTES_MAX)
		return pl_err_invalid(err, "run_id: found %zu bytes, expected 1 to %d",
				      strlen(run_id), RUN_ID_BYTES_MAX);
	if (len == 0 || len > STORE_ARTIFACT_NAME_MAX)
		return pl_err_invalid(err, "name: found %zu bytes, expected 1 to %d", len,
				      STORE_ARTIFACT_NAME_MAX);
	if (strchr(name, '/') != NULL || strcmp(name, ".") == 0 || strcmp(name, "..") == 0 ||
	    !is_clean(name))
		return pl_err_invalid(err,
				      "name: found '%.100s', expected a file name without "
				      "directories and control characters",
				      name);
	return 0;
}

const char *store_artifact_media(const char *name)
{
	static const struct {
		const char *suffix, *media;
	} types[] = {
		{ ".zst", "application/zstd" },
		{ ".gz", "application/gzip" },
		{ ".json", "application/json" },
		{ ".jsonl", "application/x-ndjson" },
		{ ".log", "text/plain; charset=utf-8" },
		{ ".txt", "text/plain; charset=utf-8" },
		{ ".png", "image/png" },
	};

	for (size_t i = 0; i < PL_ARRAY_SIZE(types); i++) {
		if (pl_text_ends(name, types[i].suffix))
			return types[i].media;
	}
	/* also for HTML: it must be saved, and not run on this server's origin */
	return "application/octet-stream";
}

/* ---- writing ------------------------------------------------------------------------------- */

struct store_artifact_in {
	struct store *store;
	struct store_file_in *file;
	char *run_id;
	char *kind;
	char *name;
	bool is_kept;
};

static int count_of_run(struct store *store, const char *run_id, int64_t *ret, struct pl_err *err)
{
	auto_borrowed count = NULL;

	if (store_sql_cached(&store->reader, &sql_count_artifacts, &count, err) < 0)
		return -1;
	store_sql_bind_text(count, 1, run_id);
	return store_sql_number(count, ret, err);
}

static int check_count(struct store *store, const char *run_id, struct pl_err *err)
{
	int64_t count = 0;

	pthread_mutex_lock(&store->read_lock);
	int result = count_of_run(store, run_id, &count, err);
	pthread_mutex_unlock(&store->read_lock);
	if (result == 0 && count >= STORE_ARTIFACTS_MAX)
		return pl_err_invalid(err, "'%.100s' has reached the limit of %d artifacts", run_id,
				      STORE_ARTIFACTS_MAX);
	return result;
}

static int check_folder(const struct store *store, struct pl_err *err)
{
	if (store->files != NULL)
		return 0;
	return pl_err_set(err, PL_ERR_FAILED, "no directory for artifacts is set; use --data DIR");
}

int store_artifact_begin(struct store *store, const char *run_id, const char *kind,
			 const char *name, struct store_artifact_in **ret, struct pl_err *err)
{
	struct store_file_in *file;

	if (check_names(run_id, kind, name, err) < 0 || check_folder(store, err) < 0 ||
	    check_count(store, run_id, err) < 0 || store_file_in_new(store->files, &file, err) < 0)
		return -1;
	struct store_artifact_in *in = pl_alloc(sizeof(*in));
	*in = (struct store_artifact_in){ .store = store,
					  .file = file,
					  .run_id = pl_strdup(run_id),
					  .kind = pl_strdup(kind),
					  .name = pl_strdup(name) };
	*ret = in;
	return 0;
}

int store_artifact_write(struct store_artifact_in *in, const char *bytes, size_t len,
			 struct pl_err *err)
{
	return store_file_in_write(in->file, bytes, len, err);
}

/* Binds the run_id, the kind and the name. */
static int bind_names(const struct store_artifact_in *in, const struct store_statement *which,
		      struct store_stmt **ret, struct pl_err *err)
{
	if (store_sql_cached(&in->store->writer, which, ret, err) < 0)
		return -1;
	store_sql_bind_text(*ret, 1, in->run_id);
	store_sql_bind_text(*ret, 2, in->kind);
	store_sql_bind_text(*ret, 3, in->name);
	store_sql_bind_text(*ret, 4, store_file_in_sha256(in->file));
	return 0;
}

/* Replaces an existing row, so that it becomes the last one. */
static int put_row(const struct store_artifact_in *in, int64_t *ret_old, struct pl_err *err)
{
	struct store_stmt *statement;
	char now[32];

	store_aging_now(in->store, now);
	if (bind_names(in, &sql_remove_artifact, &statement, err) < 0 ||
	    store_sql_number(statement, ret_old, err) < 0 ||
	    bind_names(in, &sql_add_artifact, &statement, err) < 0)
		return -1;
	store_sql_bind_i64(statement, 5, store_file_in_bytes(in->file));
	store_sql_bind_text(statement, 6, now);
	return store_sql_finish(statement, err);
}

int store_artifact_end(struct store_artifact_in *in, const char *expected, bool *ret_is_new,
		       struct pl_err *err)
{
	int64_t old = 0;

	if (store_file_in_end(in->file, expected, err) < 0 || store_begin(in->store, err) < 0 ||
	    store_end(in->store, put_row(in, &old, err), err) < 0)
		return -1;
	in->is_kept = true;
	*ret_is_new = old == 0;
	return 0;
}

const char *store_artifact_sha256(const struct store_artifact_in *in)
{
	return store_file_in_sha256(in->file);
}

int64_t store_artifact_bytes(const struct store_artifact_in *in)
{
	return store_file_in_bytes(in->file);
}

/* ---- listing ------------------------------------------------------------------------------- */

static void artifact_done(struct store_artifact *artifact)
{
	free(artifact->kind);
	free(artifact->name);
	free(artifact->stored_at);
	*artifact = (struct store_artifact){ 0 };
}

void store_artifacts_done(struct store_artifacts *artifacts)
{
	for (size_t i = 0; i < artifacts->count; i++)
		artifact_done(&artifacts->items[i]);
	free(artifacts->items);
	*artifacts = (struct store_artifacts){ 0 };
}

static struct store_artifact *find(const struct store_artifacts *artifacts, const char *kind,
				   const char *name)
{
	for (size_t i = 0; i < artifacts->count; i++) {
		struct store_artifact *artifact = &artifacts->items[i];
		if (strcmp(artifact->kind, kind) == 0 && strcmp(artifact->name, name) == 0)
			return artifact;
	}
	return NULL;
}

const struct store_artifact *store_artifacts_find(const struct store_artifacts *artifacts,
						  const char *kind, const char *name)
{
	return find(artifacts, kind, name);
}

/* Under the reader's lock. *ret: free(); NULL: none. */
static int run_id_of(struct store *store, int64_t id, char **ret, struct pl_err *err)
{
	auto_borrowed statement = NULL;

	if (store_step_result(&store->reader, &sql_get_run_id, id, &statement, err) < 0)
		return -1;
	*ret = pl_strdup(store_sql_text(statement, 0));
	return 0;
}

/* Adds the artifacts that the document names, as missing. */
static void add_named(const json_t *document, struct store_artifacts *ret)
{
	PL_JSON_EACH(entry, json_object_get(document, "artifacts")) {
		const char *kind = pl_json_get_text(entry, "kind");
		const char *name = pl_json_get_text(entry, "name");
		const char *sha256 = pl_json_get_text(entry, "sha256");
		if (kind == NULL || name == NULL || !store_sha256_is(sha256) ||
		    check_names("-", kind, name, PL_ERR_IGNORED) < 0 ||
		    find(ret, kind, name) != NULL || ret->count == STORE_ARTIFACTS_MAX)
			continue;
		struct store_artifact *added = PL_PUSH(ret->items, ret->count, ret->room);
		*added = (struct store_artifact){ .kind = pl_strdup(kind),
						  .name = pl_strdup(name),
						  .bytes = pl_json_get_i64(entry, "size") };
		memcpy(added->sha256, sha256, sizeof(added->sha256));
	}
}

/* Rows are in insertion order. */
static void take_row(struct store_stmt *row, size_t named, struct store_artifacts *ret)
{
	const char *kind = store_sql_text(row, 0), *name = store_sql_text(row, 1);
	const char *sha256 = store_sql_text(row, 2);
	struct store_artifact *artifact = find(ret, kind, name);

	if (artifact == NULL) {
		artifact = PL_PUSH(ret->items, ret->count, ret->room);
		*artifact = (struct store_artifact){ .kind = pl_strdup(kind),
						     .name = pl_strdup(name) };
	} else if ((size_t)(artifact - ret->items) < named &&
		   strcmp(artifact->sha256, sha256) != 0) {
		return; /* belongs to another result of this run_id */
	}
	snprintf(artifact->sha256, sizeof(artifact->sha256), "%s", sha256);
	artifact->bytes = store_sql_i64(row, 3);
	free(artifact->stored_at);
	artifact->stored_at = pl_strdup(store_sql_text(row, 4));
}

static int compare(const void *a, const void *b)
{
	const struct store_artifact *one = a, *other = b;
	int kind = strcmp(one->kind, other->kind);

	return kind != 0 ? kind : strcmp(one->name, other->name);
}

/* Under the reader's lock. */
static int read_rows(struct store *store, const char *run_id, struct store_artifacts *ret,
		     struct pl_err *err)
{
	auto_borrowed rows = NULL;
	size_t named = ret->count;
	int result;

	if (store_sql_cached(&store->reader, &sql_get_artifacts, &rows, err) < 0)
		return -1;
	store_sql_bind_text(rows, 1, run_id);
	while ((result = store_sql_next(rows, err)) > 0)
		take_row(rows, named, ret);
	return result;
}

int store_artifacts_of(struct store *store, int64_t id, struct store_artifacts *ret,
		       struct pl_err *err)
{
	auto_artifacts artifacts = { 0 };
	auto_json json_t *document = NULL;
	auto_free char *run_id = NULL;

	pthread_mutex_lock(&store->read_lock);
	int result = run_id_of(store, id, &run_id, err);
	pthread_mutex_unlock(&store->read_lock);
	if (result < 0 || store_read_document(store, id, NULL, &document, NULL, err) < 0)
		return -1;
	add_named(document, &artifacts);
	pthread_mutex_lock(&store->read_lock);
	if (run_id != NULL)
		result = read_rows(store, run_id, &artifacts, err);
	pthread_mutex_unlock(&store->read_lock);
	if (result < 0)
		return -1;
	/* Checks that stored files exist: a missing file can only be sent again if it is not reported as stored. */
	for (size_t i = 0; i < artifacts.count; i++) {
		struct store_artifact *artifact = &artifacts.items[i];
		if (artifact->stored_at == NULL ||
		    (store->files != NULL &&
		     store_files_bytes(store->files, artifact->sha256) == artifact->bytes))
			continue;
		free(pl_take(artifact->stored_at));
		artifact->is_lost = true;
	}
	if (artifacts.count > 0)
		qsort(artifacts.items, artifacts.count, sizeof(*artifacts.items), compare);
	*ret = artifacts;
	artifacts = (struct store_artifacts){ 0 };
	return 0;
}

/* ---- expected files ------------------------------------------------------------------------ */

/* Under the reader's lock. *ret: number of results with this run_id in `ids`. */
static int ids_of_run(struct store *store, const char *run_id, int64_t ids[RESULTS_REQUESTED],
		      size_t *ret, struct pl_err *err)
{
	auto_borrowed rows = NULL;
	int result;

	*ret = 0;
	if (store_sql_cached(&store->reader, &sql_get_of_run_id, &rows, err) < 0)
		return -1;
	store_sql_bind_text(rows, 1, run_id);
	store_sql_bind_i64(rows, 2, RESULTS_REQUESTED);
	while ((result = store_sql_next(rows, err)) > 0)
		ids[(*ret)++] = store_sql_i64(rows, 0);
	return result;
}

/* *ret_other: its document names another file. */
static int is_other(const struct store_artifact_in *in, int64_t id, char ret[65], bool *ret_other,
		    struct pl_err *err)
{
	auto_json json_t *document = NULL;
	auto_artifacts named = { 0 };

	*ret_other = false;
	if (store_read_document(in->store, id, NULL, &document, NULL, err) < 0)
		return -1;
	add_named(document, &named);
	const struct store_artifact *artifact = find(&named, in->kind, in->name);
	if (artifact == NULL || strcmp(artifact->sha256, store_artifact_sha256(in)) == 0)
		return 0;
	*ret_other = true;
	memcpy(ret, artifact->sha256, sizeof(artifact->sha256));
	return 0;
}

int store_artifact_awaited(const struct store_artifact_in *in, char ret[65], struct pl_err *err)
{
	int64_t ids[RESULTS_REQUESTED];
	size_t count;
	bool other = true;

	ret[0] = '\0';
	pthread_mutex_lock(&in->store->read_lock);
	int result = ids_of_run(in->store, in->run_id, ids, &count, err);
	pthread_mutex_unlock(&in->store->read_lock);
	for (size_t i = 0; result == 0 && other && i < count; i++)
		result = is_other(in, ids[i], ret, &other, err);
	if (!other || count == RESULTS_REQUESTED)
		ret[0] = '\0';
	return result;
}

int store_artifact_open(struct store *store, const char *sha256, int *ret_fd, struct pl_err *err)
{
	return check_folder(store, err) < 0 ? -1
					    : store_files_open(store->files, sha256, ret_fd, err);
}

/* ---- removal ------------------------------------------------------------------------------- */

/* Under the reader's lock. */
static int ask_named(struct store *store, const char *sha256, bool *ret, struct pl_err *err)
{
	auto_borrowed has = NULL;

	if (store_sql_cached(&store->reader, &sql_has_artifact, &has, err) < 0)
		return -1;
	store_sql_bind_text(has, 1, sha256);
	return store_sql_step(has, ret, err);
}

static int is_named(void *context, const char *sha256, bool *ret, struct pl_err *err)
{
	struct store *store = context;

	pthread_mutex_lock(&store->read_lock);
	int result = ask_named(store, sha256, ret, err);
	pthread_mutex_unlock(&store->read_lock);
	return result;
}

void store_artifact_free(struct store_artifact_in *in)
{
	struct pl_err err = PL_ERR_INIT;

	if (in == NULL)
		return;
	bool was_whole = store_artifact_sha256(in)[0] != '\0';
	store_file_in_free(in->file, in->is_kept);
	/* complete, but its row could not be written */
	if (was_whole && !in->is_kept &&
	    store_files_tidy(in->store->files, is_named, in->store, &err) < 0)
		pl_log(PL_LOG_WARNING, "artifacts: %s", err.text);
	free(in->run_id);
	free(in->kind);
	free(in->name);
	free(in);
}

void store_artifacts_open(struct store *store)
{
	struct pl_err err = PL_ERR_INIT;

	/* files left by a killed process only take space, so the server starts anyway */
	if (store->files != NULL && store_files_tidy(store->files, is_named, store, &err) < 0)
		pl_log(PL_LOG_WARNING, "artifacts: %s", err.text);
}

int store_artifacts_drop(struct store *store, const char *sha256, bool *ret_gone,
			 struct pl_err *err)
{
	*ret_gone = false;
	return store->files == NULL
		       ? 0
		       : store_files_drop(store->files, sha256, is_named, store, ret_gone, err);
}

int store_artifacts_count_unnamed(struct store *store, size_t *ret, struct pl_err *err)
{
	*ret = 0;
	return store->files == NULL
		       ? 0
		       : store_files_count_unnamed(store->files, is_named, store, ret, err);
}

int store_artifacts_forget(struct store *store, int64_t id, struct pl_err *err)
{
	struct store_stmt *forget;

	if (store_sql_cached(&store->writer, &sql_forget_artifacts, &forget, err) < 0)
		return -1;
	store_sql_bind_i64(forget, 1, id);
	return store_sql_finish(forget, err);
}

static int forget_unclaimed(struct store *store, int64_t now_ns, int64_t unclaimed_ns,
			    struct pl_err *err)
{
	char before[32], now[32];
	struct store_stmt *forget;

	if (store_sql_cached(&store->writer, &sql_forget_unclaimed, &forget, err) < 0)
		return -1;
	pl_clock_rfc3339(now_ns - unclaimed_ns, before);
	pl_clock_rfc3339(now_ns, now);
	store_sql_bind_text(forget, 1, before);
	store_sql_bind_text(forget, 2, now);
	return store_sql_finish(forget, err);
}

int store_artifacts_sweep(struct store *store, int64_t now_ns, int64_t unclaimed_ns,
			  size_t *ret_files, struct pl_err *err)
{
	*ret_files = 0;
	if (store_begin(store, err) < 0 ||
	    store_end(store, forget_unclaimed(store, now_ns, unclaimed_ns, err), err) < 0)
		return -1;
	if (store->files == NULL)
		return 0;
	if (store_files_sweep(store->files, is_named, store, ret_files, err) < 0)
		return -1;
	store_prepared_sweep(store->files);
	return 0;
}
