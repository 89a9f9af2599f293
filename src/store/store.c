/*
 * The file opened, its transactions, and results out of it. In: put.c.
 */
#include "store/store.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/text.h"
#include "option/secret.h"
#include "result/read.h"
#include "store/documents/dictionary.h"
#include "store/artifacts/files.h"
#include "store/store_priv.h"

#define EDIT_COLUMNS "e.tags, e.notes, r.repeat, r.near, r.deleted, r.upload"

static STORE_STATEMENT(
	sql_find_run_id,
	"SELECT id FROM benchmark_runs WHERE run_id = ?1 ORDER BY deleted, repeat LIMIT 1");
STORE_STATEMENT(store_sql_get_version, "SELECT data_version FROM store_state");
static STORE_STATEMENT(sql_count, "SELECT count(*) FROM benchmark_runs WHERE deleted = 0");
static STORE_STATEMENT(
	sql_get_entry,
	"SELECT r.run_id, r.name, r.form, r.content_sha256, r.stored_at, d.bytes, "
	"d.notes, " EDIT_COLUMNS " FROM benchmark_runs r"
	" JOIN benchmark_documents d ON d.id = r.id LEFT JOIN benchmark_edits e ON e.id = r.id"
	" WHERE r.id = ?1");
STORE_STATEMENT(store_sql_get_document, "SELECT bytes FROM benchmark_documents WHERE id = ?1");
/* of one that is no more at the latest now */
static STORE_STATEMENT(sql_get_changed, "SELECT coalesce((SELECT r.changed FROM benchmark_runs r"
					" WHERE r.id = ?1), s.data_version) FROM store_state s");

#define PATIENCE_NS (STORE_SQL_PATIENCE_MS * PL_NS_PER_MS)
#define HASTE_NS    (250 * PL_NS_PER_MS)

void store_now(char text[32])
{
	pl_clock_rfc3339(pl_clock_real_ns(), text);
}

/* gcc and clang say it each in its own way */
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define HAS_THREAD_SANITIZER
#endif
#endif
#ifdef __SANITIZE_THREAD__
#define HAS_THREAD_SANITIZER
#endif

/* ---- transactions -------------------------------------------------------------------------- */

/* Behind one that waited in vain many would wait as long, one after the other. */
static int64_t patience_of(struct store *store)
{
	int64_t patience_ns = store->patience_ns;

	return atomic_load(&store->waits_in_vain) && patience_ns > HASTE_NS ? HASTE_NS
									    : patience_ns;
}

/* A clock that is set does not change how long this waits. ThreadSanitizer knows no such lock. */
static int lock_until(pthread_mutex_t *lock, int64_t patience_ns)
{
#ifdef HAS_THREAD_SANITIZER
	struct timespec end = pl_clock_timespec(pl_clock_real_ns() + patience_ns);

	return pthread_mutex_timedlock(lock, &end);
#else
	struct timespec end = pl_clock_timespec(pl_clock_now_ns() + patience_ns);

	return pthread_mutex_clocklock(lock, CLOCK_MONOTONIC, &end);
#endif
}

static int lock_writes(struct store *store, int64_t patience_ns, struct pl_err *err)
{
	if (lock_until(&store->write_lock, patience_ns) == 0)
		return 0;
	atomic_store(&store->waits_in_vain, true);
	return pl_err_set(err, PL_ERR_BUSY, "'%s': others have been writing for %.1f s",
			  store->path, (double)patience_ns / PL_NS_PER_S);
}

static int begin(struct store *store, int64_t end_ns, struct pl_err *err)
{
	int64_t left_ms = (end_ns - pl_clock_now_ns()) / PL_NS_PER_MS;

	store_sql_set_patience(&store->writer, left_ms > 1 ? (int)left_ms : 1);
	int result = store_sql_begin(&store->writer, STORE_SQL_WRITE, err);
	atomic_store(&store->waits_in_vain, result < 0 && err->code == PL_ERR_BUSY);
	if (result < 0)
		return -1;
	store->changes_results = false;
	store->next_version = 0;
	return 0;
}

int store_begin(struct store *store, struct pl_err *err)
{
	int64_t patience_ns = patience_of(store), end_ns = pl_clock_now_ns() + patience_ns;

	if (lock_writes(store, patience_ns, err) < 0)
		return -1;
	if (store->in_batch || begin(store, end_ns, err) == 0)
		return 0;
	pthread_mutex_unlock(&store->write_lock);
	return -1;
}

int store_end(struct store *store, int result, struct pl_err *err)
{
	if (store->in_batch) {
		if (result < 0 && store->batch_err.code == PL_ERR_NONE)
			store->batch_err = *err;
	} else if (result < 0 || store_write_version(store, err) < 0) {
		store_sql_rollback(&store->writer);
		result = -1;
	} else {
		result = store_sql_commit(&store->writer, err);
	}
	if (!store->in_batch)
		store_places_end(store, result == 0);
	bool is_over = !store->in_batch, changed = store->changes_results;
	pthread_mutex_unlock(&store->write_lock);
	/* others may write meanwhile */
	if (is_over)
		store_memory_follow(store, changed);
	return result;
}

void store_undo(struct store *store)
{
	struct pl_err unwanted = PL_ERR_INIT;

	pl_err_set(&unwanted, PL_ERR_FAILED, "it is not wanted");
	if (store_end(store, -1, &unwanted) == 0)
		abort();
}

int store_batch_begin(struct store *store, struct pl_err *err)
{
	/* the lock stays with this thread until the batch ends */
	if (store_begin(store, err) < 0)
		return -1;
	store->in_batch = true;
	store->batch_err = (struct pl_err)PL_ERR_INIT;
	return 0;
}

int store_batch_end(struct store *store, struct pl_err *err)
{
	int result = 0;

	store->in_batch = false;
	if (store->batch_err.code != PL_ERR_NONE) {
		*err = store->batch_err;
		result = -1;
	}
	return store_end(store, result, err);
}

/* ---- opening ------------------------------------------------------------------------------- */

static int open_writer(struct store *store, const struct store_options *options, struct pl_err *err)
{
	if (store_sql_open(&store->writer, store->address, !options->must_exist, err) < 0)
		return -1;
	store->path = pl_strdup(store_sql_name(&store->writer));
	if (store_sql_use(&store->writer, STORE_SQL_WRITE, err) < 0 ||
	    store_migrate(store, err) < 0 || store_sql_own(&store->writer, err) < 0)
		return -1;
	return store_put_open(store, err);
}

static int open_reader(struct store *store, struct pl_err *err)
{
	if (store_sql_open(&store->reader, store->address, false, err) < 0)
		return -1;
	return store_sql_use(&store->reader, STORE_SQL_READ, err);
}

static void make_locks(struct store *store)
{
	pthread_mutexattr_t again;

	pthread_mutexattr_init(&again);
	pthread_mutexattr_settype(&again, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&store->write_lock, &again);
	pthread_mutexattr_destroy(&again);
	pthread_mutex_init(&store->read_lock, NULL);
	pthread_rwlock_init(&store->places_lock, NULL);
	pthread_mutex_init(&store->sweeps_lock, NULL);
	pthread_mutex_init(&store->marks_lock, NULL);
}

/* By whatever link it was opened, the database is one, and so is its folder; free(). */
static char *folder_beside(const char *file)
{
	auto_free char *real = realpath(file, NULL);

	return pl_asprintf("%s.files", real != NULL ? real : file);
}

/* One for each database of whatever server, beside the file of this user; free(). */
static int folder_of_address(const char *name, char **ret, struct pl_err *err)
{
	auto_free char *path = NULL;
	char hex[65];

	if (store_default_path(&path, err) < 0)
		return -1;
	pl_sha256(name, strlen(name), hex);
	*ret = pl_asprintf("%.*s/postgres-%.16s.files", (int)(strrchr(path, '/') - path), path,
			   hex);
	return 0;
}

static int open_files(struct store *store, const struct store_options *options, struct pl_err *err)
{
	auto_free char *folder = NULL;

	if (options->data != NULL)
		folder = pl_strdup(options->data);
	else if (!store_sql_is_address(store->address))
		folder = folder_beside(store->path);
	else if (folder_of_address(store->path, &folder, err) < 0)
		return -1;
	store->files = store_files_new(folder);
	return options->data == NULL ? store_files_distrust(store->files, err) : 0;
}

int store_open(const struct store_options *options, struct store **ret, struct pl_err *err)
{
	auto_store struct store *store = pl_alloc(sizeof(*store));

	store->fields = options->fields;
	store->columns.fields = options->fields;
	store->columns.items = mirror_column_fields(options->fields, &store->columns.count);
	store->address = pl_strdup(options->path);
	store->with_jobs = options->with_jobs;
	store->opened_real_ns = pl_clock_real_ns();
	store->opened_ns = pl_clock_now_ns();
	/* up to the end of the opening: another process may bring the form up to date */
	store->patience_ns = PATIENCE_NS;
	store->dictionaries = store_dictionaries_new(store->address);
	make_locks(store);
	if (open_writer(store, options, err) < 0 || open_reader(store, err) < 0 ||
	    (options->with_jobs && store_jobs_open(store, err) < 0) ||
	    (options->with_columns && store_memory_open(store, err) < 0) ||
	    open_files(store, options, err) < 0)
		return -1;
	if (options->with_jobs)
		store_artifacts_open(store);
	if (options->patience_ns > 0)
		store->patience_ns = options->patience_ns;
	*ret = pl_take(store);
	return 0;
}

void store_close(struct store *store)
{
	if (store == NULL)
		return;
	store_memory_close(store);
	store_sql_drop(store->add_row);
	store_sql_drop(store->replace_row);
	store_sql_close(&store->reader);
	store_sql_close(&store->writer);
	store_places_close(store);
	store_dictionaries_free(store->dictionaries);
	pthread_mutex_destroy(&store->marks_lock);
	pthread_mutex_destroy(&store->sweeps_lock);
	json_decref(store->sweeps_kept);
	pthread_mutex_destroy(&store->read_lock);
	pthread_mutex_destroy(&store->write_lock);
	free(store->address);
	store_files_free(store->files);
	free(store->path);
	free(store);
}

char *store_path_shown(const char *path)
{
	auto_free char *plain = pl_strdup(path);

	/* the rest of an address may have a password, too */
	if (store_sql_is_address(path))
		plain[strcspn(plain, "?")] = '\0';
	return store_sql_is_address(path) ? option_secret_urls_shown(plain) : pl_take(plain);
}

static int make_folders(char *path, struct pl_err *err)
{
	for (char *slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		int made = pl_file_make_dir(path, 0700, err);
		*slash = '/';
		if (made < 0)
			return -1;
	}
	return 0;
}

int store_default_path(char **ret, struct pl_err *err)
{
	const char *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
	auto_free char *path = NULL;

	if (data != NULL && data[0] == '/')
		path = pl_asprintf("%s/profllm/profllm.db", data);
	else if (home != NULL && home[0] == '/')
		path = pl_asprintf("%s/.local/share/profllm/profllm.db", home);
	else
		return pl_err_set(err, PL_ERR_INVALID,
				  "neither XDG_DATA_HOME nor HOME says where the database lies: "
				  "name it with --db FILE");
	if (make_folders(path, err) < 0)
		return -1;
	*ret = pl_take(path);
	return 0;
}

/* ---- out ----------------------------------------------------------------------------------- */

int store_unpack(const struct store *store, int64_t id, const void *packed, size_t len,
		 char **ret_bytes, size_t *ret_len, json_t **ret, struct pl_err *err)
{
	auto_free char *name = pl_asprintf("result %lld of %s", (long long)id, store->path);
	auto_free char *bytes = NULL;
	size_t bytes_len = 0;

	if (store_document_unpack(store->dictionaries, packed, len, name, &bytes, &bytes_len, err) <
		    0 ||
	    res_read_text(store->fields, bytes, bytes_len, name, ret, NULL, err) < 0)
		return -1;
	if (ret_bytes != NULL) {
		*ret_bytes = pl_take(bytes);
		*ret_len = bytes_len;
	}
	return 0;
}

static int unpack_member(const struct store *store, int64_t id, const void *packed, size_t len,
			 const char *member, json_t **ret, struct pl_err *err)
{
	auto_free char *name = pl_asprintf("result %lld of %s", (long long)id, store->path);
	auto_free char *bytes = NULL;
	size_t bytes_len = 0;

	if (store_document_unpack(store->dictionaries, packed, len, name, &bytes, &bytes_len, err) <
	    0)
		return -1;
	return res_read_member(store->fields, bytes, bytes_len, name, member, ret, err);
}

int store_read_bare(struct store *store, struct store_sql *sql, int64_t id, const char *member,
		    json_t **ret, struct pl_err *err)
{
	auto_borrowed statement = NULL;
	bool is_row = false;
	size_t len;

	if (store_sql_kept(sql, &store_sql_get_document, &statement, err) < 0)
		return -1;
	store_sql_bind_i64(statement, 1, id);
	if (store_sql_step(statement, &is_row, err) < 0)
		return -1;
	if (!is_row)
		return pl_err_set(err, PL_ERR_NOT_FOUND, "there is no result %lld", (long long)id);
	const void *packed = store_sql_bytes(statement, 0, &len);
	if (member != NULL)
		return unpack_member(store, id, packed, len, member, ret, err);
	return store_unpack(store, id, packed, len, NULL, NULL, ret, err);
}

static int read_whole(struct store *store, int64_t id, const char *member, json_t **ret,
		      struct pl_err *err)
{
	auto_json json_t *bare = NULL;
	auto_edits edits = { .repeat = 1 };
	bool is_there;

	if (store_read_bare(store, &store->reader, id, member, &bare, err) < 0 ||
	    store_edits_read(&store->reader, id, &edits, &is_there, err) < 0)
		return -1;
	*ret = store_edits_over(&edits, bare);
	return 0;
}

static int read_changed(struct store *store, int64_t id, int64_t *ret, struct pl_err *err)
{
	auto_borrowed statement = NULL;

	if (store_sql_kept(&store->reader, &sql_get_changed, &statement, err) < 0)
		return -1;
	store_sql_bind_i64(statement, 1, id);
	return store_sql_number(statement, ret, err);
}

int store_read_document(struct store *store, int64_t id, const char *member, json_t **ret,
			int64_t *ret_changed, struct pl_err *err)
{
	struct pl_err why = PL_ERR_INIT;

	pthread_mutex_lock(&store->read_lock);
	int result = read_whole(store, id, member, ret, err);
	/* last: a document that is changed while it is read is not taken for what it was before */
	if (ret_changed != NULL && read_changed(store, id, ret_changed, &why) < 0) {
		*err = why;
		result = -1;
	}
	pthread_mutex_unlock(&store->read_lock);
	return result;
}

static enum store_form form_of(const char *name)
{
	for (int i = 0; i < STORE_FORM_COUNT; i++) {
		if (pl_text_equal(store_form_name((enum store_form)i), name))
			return (enum store_form)i;
	}
	return STORE_FORM_PLAIN;
}

/* Of a row of sql_get_entry. */
static int fill_entry(struct store *store, struct store_stmt *row, int64_t id,
		      struct store_entry *entry, struct pl_err *err)
{
	const char *notes = store_sql_text(row, 6);
	auto_edits edits = { .repeat = 1 };
	size_t len;
	const void *packed = store_sql_bytes(row, 5, &len);

	entry->id = id;
	entry->run_id = pl_strdup(store_sql_text(row, 0));
	entry->name = pl_strdup(store_sql_text(row, 1));
	entry->form = form_of(store_sql_text(row, 2));
	snprintf(entry->sha256, sizeof(entry->sha256), "%s", store_sql_text(row, 3));
	entry->stored_at = pl_strdup(store_sql_text(row, 4));
	if (pl_json_parse(notes, strlen(notes), "notes", &entry->notes, err) < 0 ||
	    store_edits_of_row(row, 7, &edits, err) < 0 ||
	    store_unpack(store, id, packed, len, &entry->bytes, &entry->len, &entry->document,
			 err) < 0)
		return -1;
	store_document_set_name(entry->document, entry->name);
	entry->is_deleted = edits.is_deleted;
	entry->repeat = edits.repeat;
	entry->edit_notes = pl_strdup(edits.notes);
	entry->fields_of = store_edits_over(&edits, entry->document);
	return 0;
}

static int read_entry(struct store *store, int64_t id, struct store_entry *ret, struct pl_err *err)
{
	auto_borrowed statement = NULL;
	auto_store_entry entry = { .id = 0 };
	bool is_row = false;

	if (store_sql_kept(&store->reader, &sql_get_entry, &statement, err) < 0)
		return -1;
	store_sql_bind_i64(statement, 1, id);
	if (store_sql_step(statement, &is_row, err) < 0 ||
	    (is_row && fill_entry(store, statement, id, &entry, err) < 0))
		return -1;
	*ret = entry;
	entry = (struct store_entry){ 0 };
	return 0;
}

int store_get(struct store *store, int64_t id, struct store_entry *ret, struct pl_err *err)
{
	pthread_mutex_lock(&store->read_lock);
	int result = read_entry(store, id, ret, err);
	pthread_mutex_unlock(&store->read_lock);
	return result;
}

void store_entry_done(struct store_entry *entry)
{
	free(entry->run_id);
	free(entry->name);
	free(entry->stored_at);
	free(entry->bytes);
	json_decref(entry->document);
	json_decref(entry->notes);
	free(entry->edit_notes);
	json_decref(entry->fields_of);
	*entry = (struct store_entry){ 0 };
}

int store_find(struct store *store, const char *run_id, int64_t *ret_id, struct pl_err *err)
{
	pthread_mutex_lock(&store->read_lock);
	int result = store_find_row(&store->reader, &sql_find_run_id, run_id, ret_id, err);
	pthread_mutex_unlock(&store->read_lock);
	return result;
}

/* Under the reader's lock. */
static int ask_number(struct store *store, const struct store_statement *which, int64_t *ret,
		      struct pl_err *err)
{
	auto_borrowed statement = NULL;
	bool is_row = false;

	if (store_sql_kept(&store->reader, which, &statement, err) < 0 ||
	    store_sql_step(statement, &is_row, err) < 0)
		return -1;
	*ret = is_row ? store_sql_i64(statement, 0) : 0;
	return 0;
}

static int ask(struct store *store, const struct store_statement *which, int64_t *ret,
	       struct pl_err *err)
{
	pthread_mutex_lock(&store->read_lock);
	int result = ask_number(store, which, ret, err);
	pthread_mutex_unlock(&store->read_lock);
	return result;
}

bool store_is_shared(const struct store *store)
{
	return store_sql_is_address(store->address);
}

int store_count(struct store *store, int64_t *ret_count, struct pl_err *err)
{
	return ask(store, &sql_count, ret_count, err);
}

int store_data_version(struct store *store, int64_t *ret, struct pl_err *err)
{
	return ask(store, &store_sql_get_version, ret, err);
}
