/* Reads results from the database. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "result/read.h"
#include "store/documents/dictionary.h"
#include "store/store_priv.h"

static STORE_STATEMENT(
	sql_find_run_id,
	"SELECT id FROM benchmark_runs WHERE run_id = ?1 ORDER BY deleted, repeat LIMIT 1");
STORE_STATEMENT(store_sql_get_version, "SELECT data_version FROM store_state");
static STORE_STATEMENT(sql_count, "SELECT count(*) FROM benchmark_runs WHERE deleted = 0");
static STORE_STATEMENT(
	sql_get_entry,
	"SELECT r.run_id, r.name, r.form, r.content_sha256, r.stored_at, d.bytes, "
	"d.notes, " STORE_EDIT_COLUMNS " FROM benchmark_runs r"
	" JOIN benchmark_documents d ON d.id = r.id LEFT JOIN benchmark_edits e ON e.id = r.id"
	" WHERE r.id = ?1");
STORE_STATEMENT(store_sql_get_document, "SELECT bytes FROM benchmark_documents WHERE id = ?1");
/* for a removed result, the current version */
static STORE_STATEMENT(sql_get_changed, "SELECT coalesce((SELECT r.changed FROM benchmark_runs r"
					" WHERE r.id = ?1), s.data_version) FROM store_state s");

int store_unpack(const struct store *store, int64_t id, const void *packed, size_t len,
		 char **ret_bytes, size_t *ret_len, json_t **ret, struct pl_err *err)
{
	auto_free char *name = pl_asprintf("result %lld of %s", (long long)id, store->path);
	auto_free char *bytes = NULL;
	size_t bytes_len = 0;

	if (store_document_unpack(store->dictionaries, packed, len, name, &bytes, &bytes_len, err) <
		    0 ||
	    res_read_text(store->fields, bytes, bytes_len, name, ret, err) < 0)
		return -1;
	if (ret_bytes != NULL) {
		*ret_bytes = pl_take(bytes);
		*ret_len = bytes_len;
	}
	return 0;
}

int store_step_result(struct store_sql *sql, const struct store_statement *which, int64_t id,
		      struct store_stmt **ret, struct pl_err *err)
{
	bool is_row = false;

	if (store_sql_cached(sql, which, ret, err) < 0)
		return -1;
	store_sql_bind_i64(*ret, 1, id);
	if (store_sql_step(*ret, &is_row, err) < 0)
		return -1;
	return is_row ? 0
		      : pl_err_set(err, PL_ERR_NOT_FOUND, "result %lld does not exist",
				   (long long)id);
}

int store_read_bare(struct store *store, struct store_sql *sql, int64_t id, const char *member,
		    json_t **ret, struct pl_err *err)
{
	auto_borrowed statement = NULL;
	size_t len;

	if (store_step_result(sql, &store_sql_get_document, id, &statement, err) < 0)
		return -1;
	const void *packed = store_sql_bytes(statement, 0, &len);
	if (member != NULL) {
		auto_free char *name = pl_asprintf("result %lld of %s", (long long)id, store->path);
		auto_free char *bytes = NULL;
		size_t bytes_len = 0;
		if (store_document_unpack(store->dictionaries, packed, len, name, &bytes,
					  &bytes_len, err) < 0)
			return -1;
		return res_read_member(store->fields, bytes, bytes_len, name, member, ret, err);
	}
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

	if (store_sql_cached(&store->reader, &sql_get_changed, &statement, err) < 0)
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
	/* last: otherwise a document that changes while it is read could be taken for the version before */
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

/* row: from sql_get_entry. */
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

	if (store_sql_cached(&store->reader, &sql_get_entry, &statement, err) < 0)
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

/* *ret_id: of the row where the statement's only parameter is this text; 0: none. */
static int find_row(struct store_sql *sql, const struct store_statement *which, const char *text,
		    int64_t *ret_id, struct pl_err *err)
{
	auto_borrowed statement = NULL;
	bool is_row = false;

	if (store_sql_cached(sql, which, &statement, err) < 0)
		return -1;
	store_sql_bind_text(statement, 1, text);
	if (store_sql_step(statement, &is_row, err) < 0)
		return -1;
	*ret_id = is_row ? store_sql_i64(statement, 0) : 0;
	return 0;
}

int store_find(struct store *store, const char *run_id, int64_t *ret_id, struct pl_err *err)
{
	pthread_mutex_lock(&store->read_lock);
	int result = find_row(&store->reader, &sql_find_run_id, run_id, ret_id, err);
	pthread_mutex_unlock(&store->read_lock);
	return result;
}

/* Under the reader's lock. */
static int ask_number(struct store *store, const struct store_statement *which, int64_t *ret,
		      struct pl_err *err)
{
	auto_borrowed statement = NULL;
	bool is_row = false;

	if (store_sql_cached(&store->reader, which, &statement, err) < 0 ||
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

int store_count(struct store *store, int64_t *ret_count, struct pl_err *err)
{
	return ask(store, &sql_count, ret_count, err);
}

int store_data_version(struct store *store, int64_t *ret, struct pl_err *err)
{
	return ask(store, &store_sql_get_version, ret, err);
}
