/*
 * Results in and out of the file. A put has nothing to do with the columns in memory (memory.c): these
 * take in what the file has, so that a row is never in them that is not on the disk.
 */
#include "store/store.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text.h"
#include "base/zst.h"
#include "result/read.h"
#include "store/sqlite_cell.h"
#include "store/store_priv.h"

#define SQL_BYTES_MAX (4u << 20)
#define FIRST_VALUE   8 /* of add_row: the others stand in front */
#define LOG_TRIES     200
#define LOG_PAUSE_NS  (50 * PL_NS_PER_MS)

static const char *const outcome_names[] = {
#define STORE_OUTCOME(NAME, name, text) #name,
#include "tbl/store_words.h"
};

const char *store_outcome_name(enum store_outcome outcome)
{
	return outcome_names[outcome];
}

void store_now(char text[32])
{
	pl_clock_rfc3339(pl_clock_real_ns(), text);
}

/* ---- transactions -------------------------------------------------------------------------- */

static int run_kept(struct store *store, enum store_statement which, struct pl_err *err)
{
	sqlite3_stmt *statement;

	if (store_sql_kept(&store->writer, which, &statement, err) < 0)
		return -1;
	return store_sql_finish(statement, err);
}

static void roll_back(struct store *store)
{
	struct pl_err ignored = PL_ERR_INIT;

	/* some failures have ended it already */
	if (sqlite3_get_autocommit(store->writer.db) == 0 &&
	    run_kept(store, STORE_ROLLBACK, &ignored) < 0)
		pl_err_wrap(&ignored, "rollback");
}

static int commit(struct store *store, struct pl_err *err)
{
	if (run_kept(store, STORE_COMMIT, err) == 0)
		return 0;
	roll_back(store);
	return -1;
}

int store_begin(struct store *store, struct pl_err *err)
{
	pthread_mutex_lock(&store->write_lock);
	if (store->in_batch)
		return 0;
	if (run_kept(store, STORE_BEGIN, err) == 0) {
		store->changes_results = false;
		return 0;
	}
	pthread_mutex_unlock(&store->write_lock);
	return -1;
}

int store_end(struct store *store, int result, struct pl_err *err)
{
	if (store->in_batch) {
		if (result < 0 && store->batch_err.code == PL_ERR_NONE)
			store->batch_err = *err;
	} else if (result < 0) {
		roll_back(store);
	} else {
		result = commit(store, err);
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

static char *add_row_text(const struct store *store)
{
	auto_buf text = PL_BUF(SQL_BYTES_MAX);

	pl_buf_add_text(&text, "INSERT INTO benchmark_runs (run_id, content_sha256, form, name,"
			       " stored_at, changed, explicit_fields");
	for (size_t i = 0; i < store->column_count; i++)
		pl_buf_addf(&text, ", \"%s\"", store->columns[i]->id);
	pl_buf_add_text(&text, ") VALUES (?");
	for (size_t i = 2; i < FIRST_VALUE + store->column_count; i++)
		pl_buf_add_text(&text, ",?");
	pl_buf_add_text(&text, ")");
	return pl_buf_take(&text);
}

/* Of two that open a new file at a time one is told at once that it is busy, and waits by itself. */
static int use_log(struct store *store, struct pl_err *err)
{
	static const char text[] = "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;";

	for (int tries = 0; tries < LOG_TRIES; tries++) {
		if (store_sql_run(&store->writer, text, err) == 0)
			return 0;
		if (err->code != PL_ERR_BUSY)
			return -1;
		pl_clock_sleep_until(pl_clock_now_ns() + LOG_PAUSE_NS);
	}
	return -1;
}

static int open_writer(struct store *store, const struct store_options *options, struct pl_err *err)
{
	if (store_sql_open(&store->writer, store->path, !options->must_exist, err) < 0)
		return -1;
	/* SQL of a file that came from elsewhere may call nothing that has effects */
	if (store_sql_run(
		    &store->writer,
		    "PRAGMA trusted_schema = OFF; PRAGMA foreign_keys = ON;"
		    /* of a new file: a row of a thousand columns has room in a page, and is read
			   * at the start in half the time that one takes that goes on in other pages */
		    "PRAGMA page_size = 8192;"
		    /* what a job came with may hold a secret */
		    "PRAGMA secure_delete = ON;",
		    err) < 0 ||
	    store_migrate(store, err) < 0)
		return -1;
	/* only now: the file is ours */
	if (use_log(store, err) < 0)
		return -1;
	auto_free char *text = add_row_text(store);
	return store_sql_prepare(&store->writer, text, &store->add_row, err);
}

static int open_reader(struct store *store, struct pl_err *err)
{
	if (store_sql_open(&store->reader, store->path, false, err) < 0)
		return -1;
	return store_sql_run(&store->reader, "PRAGMA trusted_schema = OFF; PRAGMA query_only = ON;",
			     err);
}

static void make_locks(struct store *store)
{
	pthread_mutexattr_t again;

	pthread_mutexattr_init(&again);
	pthread_mutexattr_settype(&again, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&store->write_lock, &again);
	pthread_mutexattr_destroy(&again);
	pthread_mutex_init(&store->read_lock, NULL);
	pthread_mutex_init(&store->places_lock, NULL);
}

int store_open(const struct store_options *options, struct store **ret, struct pl_err *err)
{
	auto_store struct store *store = pl_alloc(sizeof(*store));

	store->fields = options->fields;
	store->columns = store_column_fields(options->fields, &store->column_count);
	store->path = pl_strdup(options->path);
	store->jobs_fd = -1;
	make_locks(store);
	if (open_writer(store, options, err) < 0 || open_reader(store, err) < 0 ||
	    (options->with_jobs && store_jobs_open(store, err) < 0) ||
	    (options->with_columns && store_memory_open(store, err) < 0))
		return -1;
	*ret = pl_take(store);
	return 0;
}

void store_close(struct store *store)
{
	if (store == NULL)
		return;
	store_memory_close(store);
	sqlite3_finalize(store->add_row);
	store_sql_close(&store->reader);
	store_sql_close(&store->writer);
	store_places_close(store);
	pthread_mutex_destroy(&store->read_lock);
	pthread_mutex_destroy(&store->write_lock);
	pl_fd_close(&store->jobs_fd);
	free(store->path);
	free(store);
}

static int make_folders(char *path, struct pl_err *err)
{
	for (char *slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		int made = mkdir(path, 0700);
		int why = errno;
		*slash = '/';
		errno = why;
		if (made < 0 && why != EEXIST)
			return pl_err_errno(err, "cannot make the folder of '%s'", path);
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

/* ---- in ------------------------------------------------------------------------------------ */

char *store_explicit_fields(const struct store *store, const struct store_row *row)
{
	auto_json json_t *ids = json_array();

	for (size_t i = 0; i < store->column_count; i++) {
		if (row->cells[i].is_explicit)
			json_array_append_new(ids, json_string(store->columns[i]->id));
	}
	return pl_json_to_text(ids, PL_JSON_COMPACT);
}

struct store_prepared *store_prepare(struct store *store, const struct store_document *document,
				     const char *name)
{
	struct store_prepared *prepared = pl_alloc(sizeof(*prepared));

	prepared->document = document;
	prepared->name = name;
	store_row_of_document(store->fields, document->json, &prepared->row);
	prepared->packed = pl_zst_pack(document->bytes, document->len, &prepared->packed_len);
	prepared->explicit_fields = store_explicit_fields(store, &prepared->row);
	prepared->notes = pl_json_to_text(document->notes, PL_JSON_COMPACT);
	store_places_of(store, document->json, &prepared->places);
	return prepared;
}

void store_prepared_free(struct store_prepared *prepared)
{
	if (prepared == NULL)
		return;
	store_row_done(&prepared->row);
	free(prepared->packed);
	free(prepared->explicit_fields);
	free(prepared->notes);
	store_places_done(&prepared->places);
	free(prepared);
}

int store_next_version(struct store *store, int64_t *ret, struct pl_err *err)
{
	auto_borrowed statement = NULL;
	bool is_row = false;

	if (store_sql_kept(&store->writer, STORE_NEXT_VERSION, &statement, err) < 0 ||
	    store_sql_step(statement, &is_row, err) < 0)
		return -1;
	*ret = is_row ? sqlite3_column_int64(statement, 0) : 0;
	return 0;
}

/* *ret_id: of the row where the statement's only parameter is this text; 0: none. */
static int find_row(struct store_sql *sql, enum store_statement which, const char *text,
		    int64_t *ret_id, struct pl_err *err)
{
	auto_borrowed statement = NULL;
	bool is_row = false;

	if (store_sql_kept(sql, which, &statement, err) < 0)
		return -1;
	store_sql_bind_text(statement, 1, text);
	if (store_sql_step(statement, &is_row, err) < 0)
		return -1;
	*ret_id = is_row ? sqlite3_column_int64(statement, 0) : 0;
	return 0;
}

static int add_row(struct store *store, const struct store_prepared *prepared, int64_t *ret_id,
		   struct pl_err *err)
{
	const struct store_document *document = prepared->document;
	sqlite3_stmt *add = store->add_row;
	int64_t version;
	char now[32];

	store_now(now);
	if (!store->changes_results) {
		store->changes_results = true;
		store_memory_expect(store);
	}
	if (store_next_version(store, &version, err) < 0)
		return -1;
	store_sql_bind_text(add, 1, document->run_id);
	store_sql_bind_text(add, 2, document->sha256);
	store_sql_bind_text(add, 3, store_form_name(document->form));
	store_sql_bind_text(add, 4, prepared->name);
	store_sql_bind_text(add, 5, now);
	sqlite3_bind_int64(add, 6, version);
	store_sql_bind_text(add, 7, prepared->explicit_fields);
	for (size_t i = 0; i < store->column_count; i++)
		store_cell_bind(add, FIRST_VALUE + (int)i, store->columns[i],
				&prepared->row.cells[i]);
	int result = store_sql_finish(add, err);
	/* nothing of the row is to be looked at again */
	sqlite3_clear_bindings(add);
	*ret_id = sqlite3_last_insert_rowid(store->writer.db);
	return result;
}

static int add_document(struct store *store, const struct store_prepared *prepared, int64_t id,
			struct pl_err *err)
{
	sqlite3_stmt *add;

	if (store_sql_kept(&store->writer, STORE_ADD_DOCUMENT, &add, err) < 0)
		return -1;
	sqlite3_bind_int64(add, 1, id);
	store_sql_bind_bytes(add, 2, prepared->packed, prepared->packed_len);
	store_sql_bind_text(add, 3, prepared->notes);
	return store_sql_finish(add, err);
}

int store_put_within(struct store *store, const struct store_prepared *prepared,
		     struct store_put_result *ret, struct pl_err *err)
{
	const struct store_document *document = prepared->document;
	int64_t id = 0;

	if (find_row(&store->writer, STORE_FIND_CONTENT, document->sha256, &id, err) < 0)
		return -1;
	if (id > 0) {
		*ret = (struct store_put_result){ .outcome = STORE_DUPLICATE, .id = id };
		return 0;
	}
	if (document->run_id != NULL &&
	    find_row(&store->writer, STORE_FIND_RUN_ID, document->run_id, &id, err) < 0)
		return -1;
	if (id > 0) {
		*ret = (struct store_put_result){ .outcome = STORE_CONFLICT, .id = id };
		return 0;
	}
	if (add_row(store, prepared, &id, err) < 0 || add_document(store, prepared, id, err) < 0 ||
	    store_places_put(store, &prepared->places, err) < 0)
		return -1;
	*ret = (struct store_put_result){ .outcome = STORE_STORED, .id = id };
	return 0;
}

int store_put(struct store *store, const struct store_prepared *prepared,
	      struct store_put_result *ret, struct pl_err *err)
{
	if (store_begin(store, err) < 0)
		return -1;
	return store_end(store, store_put_within(store, prepared, ret, err), err);
}

/* ---- out ----------------------------------------------------------------------------------- */

int store_unpack(const struct store *store, int64_t id, const void *packed, size_t len,
		 char **ret_bytes, size_t *ret_len, json_t **ret, struct pl_err *err)
{
	auto_free char *name = pl_asprintf("result %lld of %s", (long long)id, store->path);
	auto_free char *bytes = NULL;
	size_t bytes_len = 0;

	if (pl_zst_unpack(packed, len, STORE_DOCUMENT_BYTES_MAX * 2, name, &bytes, &bytes_len,
			  err) < 0 ||
	    res_read_text(store->fields, bytes, bytes_len, name, ret, NULL, err) < 0)
		return -1;
	if (ret_bytes != NULL) {
		*ret_bytes = pl_take(bytes);
		*ret_len = bytes_len;
	}
	return 0;
}

static int read_packed(struct store *store, int64_t id, json_t **ret, struct pl_err *err)
{
	auto_borrowed statement = NULL;
	bool is_row = false;

	if (store_sql_kept(&store->reader, STORE_GET_BYTES, &statement, err) < 0)
		return -1;
	sqlite3_bind_int64(statement, 1, id);
	if (store_sql_step(statement, &is_row, err) < 0)
		return -1;
	if (!is_row)
		return pl_err_set(err, PL_ERR_NOT_FOUND, "there is no result %lld", (long long)id);
	return store_unpack(store, id, sqlite3_column_blob(statement, 0),
			    (size_t)sqlite3_column_bytes(statement, 0), NULL, NULL, ret, err);
}

int store_read_document(struct store *store, int64_t id, json_t **ret, struct pl_err *err)
{
	pthread_mutex_lock(&store->read_lock);
	int result = read_packed(store, id, ret, err);
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

static int read_entry(struct store *store, int64_t id, struct store_entry *ret, struct pl_err *err)
{
	auto_borrowed statement = NULL;
	auto_store_entry entry = { .id = 0 };
	bool is_row = false;

	if (store_sql_kept(&store->reader, STORE_GET_ENTRY, &statement, err) < 0)
		return -1;
	sqlite3_bind_int64(statement, 1, id);
	if (store_sql_step(statement, &is_row, err) < 0)
		return -1;
	if (is_row) {
		const char *notes = store_sql_text(statement, 6);
		entry.id = id;
		entry.run_id = pl_strdup(store_sql_text(statement, 0));
		entry.name = pl_strdup(store_sql_text(statement, 1));
		entry.form = form_of(store_sql_text(statement, 2));
		snprintf(entry.sha256, sizeof(entry.sha256), "%s", store_sql_text(statement, 3));
		entry.stored_at = pl_strdup(store_sql_text(statement, 4));
		if (store_unpack(store, id, sqlite3_column_blob(statement, 5),
				 (size_t)sqlite3_column_bytes(statement, 5), &entry.bytes,
				 &entry.len, &entry.document, err) < 0 ||
		    pl_json_parse(notes, strlen(notes), "notes", &entry.notes, err) < 0)
			return -1;
	}
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
	*entry = (struct store_entry){ 0 };
}

int store_find(struct store *store, const char *run_id, int64_t *ret_id, struct pl_err *err)
{
	pthread_mutex_lock(&store->read_lock);
	int result = find_row(&store->reader, STORE_FIND_RUN_ID, run_id, ret_id, err);
	pthread_mutex_unlock(&store->read_lock);
	return result;
}

/* Under the reader's lock. */
static int ask_number(struct store *store, enum store_statement which, int64_t *ret,
		      struct pl_err *err)
{
	auto_borrowed statement = NULL;
	bool is_row = false;

	if (store_sql_kept(&store->reader, which, &statement, err) < 0 ||
	    store_sql_step(statement, &is_row, err) < 0)
		return -1;
	*ret = is_row ? sqlite3_column_int64(statement, 0) : 0;
	return 0;
}

static int ask(struct store *store, enum store_statement which, int64_t *ret, struct pl_err *err)
{
	pthread_mutex_lock(&store->read_lock);
	int result = ask_number(store, which, ret, err);
	pthread_mutex_unlock(&store->read_lock);
	return result;
}

int store_count(struct store *store, int64_t *ret_count, struct pl_err *err)
{
	return ask(store, STORE_COUNT, ret_count, err);
}

int store_data_version(struct store *store, int64_t *ret, struct pl_err *err)
{
	return ask(store, STORE_GET_VERSION, ret, err);
}
