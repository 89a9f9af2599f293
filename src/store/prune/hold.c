#include "store/prune/hold.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"
#include "store/documents/dictionary.h"
#include "store/store_priv.h"

static STORE_STATEMENT(sql_add_hold, "INSERT INTO holds (tag, value, created) VALUES (?1, ?2, ?3)"
				     " ON CONFLICT DO NOTHING");
static STORE_STATEMENT(sql_remove_hold,
		       "DELETE FROM holds WHERE tag = ?1 AND value = ?2 RETURNING 1");
static STORE_STATEMENT(sql_list_holds, "SELECT tag, value, created FROM holds ORDER BY tag, value");
static STORE_STATEMENT(sql_count_holds, "SELECT count(*) FROM holds");

/* ---- the list ------------------------------------------------------------------------------- */

static int add(struct store *store, const char *tag, const char *value, struct pl_err *err)
{
	struct store_stmt *statement;
	int64_t count = 0;
	char now[32];

	store_now(now);
	if (store_sql_cached(&store->writer, &sql_count_holds, &statement, err) < 0 ||
	    store_sql_number(statement, &count, err) < 0)
		return -1;
	if (count >= STORE_HOLDS_MAX)
		return pl_err_set(err, PL_ERR_FULL, "the limit of %d holds is reached",
				  STORE_HOLDS_MAX);
	if (store_sql_cached(&store->writer, &sql_add_hold, &statement, err) < 0)
		return -1;
	store_sql_bind_text(statement, 1, tag);
	store_sql_bind_text(statement, 2, value);
	store_sql_bind_text(statement, 3, now);
	return store_sql_finish(statement, err);
}

int store_hold_add(struct store *store, const char *tag, const char *value, struct pl_err *err)
{
	return store_begin(store, err) < 0 ? -1
					   : store_end(store, add(store, tag, value, err), err);
}

static int remove_one(struct store *store, const char *tag, const char *value, bool *ret,
		      struct pl_err *err)
{
	struct store_stmt *statement;
	int64_t found = 0;

	if (store_sql_cached(&store->writer, &sql_remove_hold, &statement, err) < 0)
		return -1;
	store_sql_bind_text(statement, 1, tag);
	store_sql_bind_text(statement, 2, value);
	if (store_sql_number(statement, &found, err) < 0)
		return -1;
	*ret = found != 0;
	return 0;
}

int store_hold_remove(struct store *store, const char *tag, const char *value, bool *ret_existed,
		      struct pl_err *err)
{
	if (store_begin(store, err) < 0)
		return -1;
	return store_end(store, remove_one(store, tag, value, ret_existed, err), err);
}

static int list(struct store_sql *sql, json_t *holds, struct pl_err *err)
{
	auto_borrowed rows = NULL;
	int result;

	if (store_sql_cached(sql, &sql_list_holds, &rows, err) < 0)
		return -1;
	while ((result = store_sql_next(rows, err)) > 0)
		json_array_append_new(holds,
				      json_pack("{s:o, s:o, s:o}", "tag",
						pl_json_text(store_sql_text(rows, 0)), "value",
						pl_json_text(store_sql_text(rows, 1)), "created_at",
						pl_json_text(store_sql_text(rows, 2))));
	return result;
}

int store_hold_list(struct store *store, json_t **ret, struct pl_err *err)
{
	auto_json json_t *holds = json_array();

	pthread_mutex_lock(&store->read_lock);
	int result = list(&store->reader, holds, err);
	pthread_mutex_unlock(&store->read_lock);
	if (result == 0)
		*ret = pl_take(holds);
	return result;
}

static void version_of(const json_t *holds, char version[65])
{
	auto_free char *text = pl_json_to_text(holds, PL_JSON_SORTED);

	pl_sha256(text, strlen(text), version);
}

/* ---- held results --------------------------------------------------------------------------- */

/* Returns whether the bytes of a document may have the tag; JSON may write letters that are not ASCII in two ways. */
static bool may_have(const char *bytes, size_t len, const json_t *holds)
{
	PL_JSON_EACH(hold, holds) {
		const char *tag = pl_json_get_text(hold, "tag");
		size_t plain = 0;
		while (tag[plain] >= ' ' && tag[plain] < 0x7f && tag[plain] != '"' &&
		       tag[plain] != '\\' && tag[plain] != '/')
			plain++;
		if (tag[plain] != '\0' || memmem(bytes, len, tag, plain) != NULL ||
		    memmem(bytes, len, "\\u", 2) != NULL)
			return true;
	}
	return false;
}

static bool has_tag(const json_t *tags, const json_t *holds)
{
	PL_JSON_EACH(hold, holds) {
		const json_t *value = json_object_get(tags, pl_json_get_text(hold, "tag"));
		auto_free char *text = value != NULL ? pl_json_to_plain(value) : NULL;
		if (pl_text_equal(text, pl_json_get_text(hold, "value")))
			return true;
	}
	return false;
}

/* A row of id, run_id, bytes, edited tags. */
static bool is_held(struct store *store, struct store_stmt *row, const json_t *holds)
{
	const char *edited = store_sql_text(row, 3);
	auto_json json_t *edits = pl_json_of_text(edited);
	auto_json json_t *document = NULL;
	auto_json json_t *tags = NULL;
	auto_free char *bytes = NULL;
	size_t packed_len, len = 0;
	const void *packed = store_sql_bytes(row, 2, &packed_len);

	if (packed == NULL || store_document_unpack(store->dictionaries, packed, packed_len,
						    "a document", &bytes, &len, PL_ERR_IGNORED) < 0)
		return true;
	if (json_object_size(edits) == 0 && !may_have(bytes, len, holds))
		return false;
	if (store_unpack(store, store_sql_i64(row, 0), packed, packed_len, NULL, NULL, &document,
			 PL_ERR_IGNORED) < 0)
		return true;
	tags = store_tags_over(edits, json_object_get(document, "tags"));
	return has_tag(tags, holds);
}

/* The first statement of a transaction: the tags are those of this version. */
static int read_version(struct store_sql *sql, int64_t *ret, struct pl_err *err)
{
	auto_statement statement = NULL;

	if (store_sql_prepare(sql, "SELECT data_version FROM store_state", &statement, err) < 0)
		return -1;
	return store_sql_number(statement, ret, err);
}

static int read_held(struct store *store, struct store_sql *sql, const json_t *holds,
		     struct store_held *held, struct pl_err *err)
{
	auto_statement rows = NULL;
	int result;

	if (store_sql_prepare_cursor(sql,
				     "SELECT r.id, r.run_id, d.bytes, e.tags FROM benchmark_runs r"
				     " LEFT JOIN benchmark_documents d ON d.id = r.id"
				     " LEFT JOIN benchmark_edits e ON e.id = r.id ORDER BY r.id",
				     &rows, err) < 0)
		return -1;
	while ((result = store_sql_next(rows, err)) > 0) {
		if (!is_held(store, rows, holds))
			continue;
		*PL_PUSH(held->ids, held->count, held->room) = store_sql_i64(rows, 0);
		if (!store_sql_is_null(rows, 1))
			*PL_PUSH(held->run_ids, held->run_count,
				 held->run_room) = pl_strdup(store_sql_text(rows, 1));
	}
	return result;
}

int store_held_read(struct store *store, struct store_held *ret, struct pl_err *err)
{
	auto_json json_t *holds = NULL;
	auto_held held = { 0 };
	struct store_sql sql = { 0 };

	if (store_hold_list(store, &holds, err) < 0)
		return -1;
	version_of(holds, held.version);
	held.data_version = INT64_MAX;
	if (json_array_size(holds) > 0) {
		/* a connection of its own: reading all documents takes long */
		if (store_sql_open(&sql, store->address, false, err) < 0)
			return -1;
		int result = store_sql_use(&sql, STORE_SQL_READ, err);
		if (result == 0 && (result = store_sql_begin(&sql, STORE_SQL_READ, err)) == 0) {
			result = read_version(&sql, &held.data_version, err);
			if (result == 0)
				result = read_held(store, &sql, holds, &held, err);
			store_sql_rollback(&sql);
		}
		store_sql_close(&sql);
		if (result < 0)
			return -1;
	}
	if (held.run_count > 0)
		qsort(held.run_ids, held.run_count, sizeof(*held.run_ids), pl_text_compare);
	*ret = held;
	held = (struct store_held){ 0 };
	return 0;
}

static int compare_ids(const void *a, const void *b)
{
	int64_t one = *(const int64_t *)a, other = *(const int64_t *)b;

	return one < other ? -1 : one > other;
}

bool store_held_has_id(const struct store_held *held, int64_t id)
{
	return held->count > 0 && bsearch(&id, held->ids, held->count, sizeof(id), compare_ids);
}

bool store_held_has_run(const struct store_held *held, const char *run_id)
{
	return held->run_count > 0 && bsearch(&run_id, held->run_ids, held->run_count,
					      sizeof(run_id), pl_text_compare) != NULL;
}

void store_held_done(struct store_held *held)
{
	for (size_t i = 0; i < held->run_count; i++)
		free(held->run_ids[i]);
	free(held->run_ids);
	free(held->ids);
	*held = (struct store_held){ 0 };
}

int store_held_check(struct store *store, const struct store_held *held, struct pl_err *err)
{
	auto_json json_t *holds = json_array();
	char version[65];

	if (list(&store->writer, holds, err) < 0)
		return -1;
	version_of(holds, version);
	return strcmp(version, held->version) == 0
		       ? 0
		       : pl_err_set(err, PL_ERR_BUSY, "holds were changed meanwhile; try again");
}
