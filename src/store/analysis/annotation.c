#include "store/analysis/annotation.h"

#include <string.h>

#include "store/saved/rows.h"
#include "store/store_priv.h"

static STORE_STATEMENT(sql_list_annotations,
		       "SELECT id, revision, created, changed, content FROM annotations"
		       " WHERE id >= ?1 ORDER BY id LIMIT ?2");
static STORE_STATEMENT(sql_count_annotations, "SELECT count(*) FROM annotations");
static STORE_STATEMENT(sql_add_annotation,
		       "INSERT INTO annotations (revision, created, changed, content)"
		       " VALUES (1, ?1, ?1, ?2) RETURNING id");
static STORE_STATEMENT(sql_replace_annotation,
		       "UPDATE annotations SET revision = revision + 1, changed = ?1, content = ?2"
		       " WHERE id = ?3 RETURNING id");
static STORE_STATEMENT(sql_remove_annotation, "DELETE FROM annotations WHERE id = ?1 RETURNING id");

/* The members in the column `content`. */
static const char *const content_keys[] = {
	"at_time", "version", "text", "field", "value", "author"
};

/* ---- rows ------------------------------------------------------------------------------------ */

/* id, revision, created, changed, content: the columns of sql_list_annotations. */
static int row_to_json(struct store_stmt *row, json_t **ret, struct pl_err *err)
{
	const char *content = store_sql_text(row, 4);
	auto_json json_t *rest = NULL;

	if (pl_json_parse(content, strlen(content), "annotation", &rest, err) < 0)
		return -1;
	json_t *annotation = json_pack("{s:I, s:I}", "id", (json_int_t)store_sql_i64(row, 0),
				       "revision", (json_int_t)store_sql_i64(row, 1));
	json_object_update(annotation, rest);
	json_object_set_new(annotation, "created_at", json_string(store_sql_text(row, 2)));
	json_object_set_new(annotation, "changed_at", json_string(store_sql_text(row, 3)));
	*ret = annotation;
	return 0;
}

static const struct store_saved annotation_rows = { &sql_list_annotations, row_to_json };

/* ---- writing --------------------------------------------------------------------------------- */

static int count_rows(struct store *store, int64_t *ret, struct pl_err *err)
{
	auto_borrowed statement = NULL;

	if (store_sql_cached(&store->writer, &sql_count_annotations, &statement, err) < 0)
		return -1;
	return store_sql_number(statement, ret, err);
}

/* Returns all members of the content: those of `change`, otherwise those of `before`, which may be NULL. */
static json_t *content_of(const json_t *before, const json_t *change)
{
	json_t *content = json_object();

	for (size_t i = 0; i < PL_ARRAY_SIZE(content_keys); i++) {
		const char *key = content_keys[i];
		json_t *value = json_object_get(change, key);
		if (value == NULL)
			value = json_object_get(before, key);
		json_object_set_new(content, key, pl_json_or_null(json_incref(value)));
	}
	if (pl_json_get_text(change, "at_time") != NULL)
		json_object_set_new(content, "version", json_null());
	if (pl_json_get_text(change, "version") != NULL)
		json_object_set_new(content, "at_time", json_null());
	return content;
}

/* id 0: adds a row. */
static int write_row(struct store *store, int64_t *id, const json_t *content, struct pl_err *err)
{
	auto_free char *text = pl_json_to_text(content, PL_JSON_COMPACT);
	struct store_stmt *statement;
	char now[32];

	store_now(now);
	if (store_sql_cached(&store->writer,
			     *id == 0 ? &sql_add_annotation : &sql_replace_annotation, &statement,
			     err) < 0)
		return -1;
	store_sql_bind_text(statement, 1, now);
	store_sql_bind_text(statement, 2, text);
	if (*id != 0)
		store_sql_bind_i64(statement, 3, *id);
	int result = store_sql_number(statement, id, err);
	/* release the pointers to the arguments */
	store_sql_clear(statement);
	return result;
}

static int count_change(struct store *store, struct pl_err *err)
{
	int64_t version;

	if (store_next_version(store, &version, err) < 0)
		return -1;
	store_results_change(store);
	return 0;
}

static int write_within(struct store *store, int64_t id, const json_t *before, const json_t *change,
			json_t **ret, struct pl_err *err)
{
	auto_json json_t *content = content_of(before, change);

	if (write_row(store, &id, content, err) < 0 || count_change(store, err) < 0)
		return -1;
	return store_saved_get(&store->writer, &annotation_rows, id, ret, err);
}

static int add(struct store *store, const json_t *annotation, enum store_saved_outcome *ret_outcome,
	       json_t **ret, struct pl_err *err)
{
	int64_t count = 0;

	if (count_rows(store, &count, err) < 0)
		return -1;
	*ret_outcome = count < STORE_ANNOTATIONS_MAX ? STORE_SAVED_OK : STORE_SAVED_FULL;
	if (*ret_outcome != STORE_SAVED_OK)
		return 0;
	return write_within(store, 0, NULL, annotation, ret, err);
}

/* *ret_before: the annotation, if the outcome is OK. */
static int judge(struct store *store, int64_t id, int64_t revision,
		 enum store_saved_outcome *ret_outcome, json_t **ret_before, struct pl_err *err)
{
	auto_json json_t *before = NULL;

	if (store_saved_get(&store->writer, &annotation_rows, id, &before, err) < 0)
		return -1;
	*ret_outcome = before == NULL ? STORE_SAVED_NONE
		       : revision != 0 && revision != pl_json_get_i64(before, "revision")
			       ? STORE_SAVED_CHANGED
			       : STORE_SAVED_OK;
	*ret_before = pl_take(before);
	return 0;
}

static int change_row(struct store *store, int64_t id, int64_t revision, const json_t *change,
		      enum store_saved_outcome *ret_outcome, json_t **ret, struct pl_err *err)
{
	auto_json json_t *before = NULL;

	if (judge(store, id, revision, ret_outcome, &before, err) < 0)
		return -1;
	if (*ret_outcome != STORE_SAVED_OK)
		return 0;
	return write_within(store, id, before, change, ret, err);
}

static int remove_row(struct store *store, int64_t id, int64_t revision,
		      enum store_saved_outcome *ret_outcome, struct pl_err *err)
{
	auto_json json_t *before = NULL;
	auto_borrowed statement = NULL;

	if (judge(store, id, revision, ret_outcome, &before, err) < 0)
		return -1;
	if (*ret_outcome != STORE_SAVED_OK)
		return 0;
	if (store_sql_cached(&store->writer, &sql_remove_annotation, &statement, err) < 0)
		return -1;
	store_sql_bind_i64(statement, 1, id);
	if (store_sql_finish(statement, err) < 0)
		return -1;
	return count_change(store, err);
}

int store_annotation_add(struct store *store, const json_t *annotation,
			 enum store_saved_outcome *ret_outcome, json_t **ret, struct pl_err *err)
{
	auto_json json_t *added = NULL;

	if (store_begin(store, err) < 0)
		return -1;
	if (store_end(store, add(store, annotation, ret_outcome, &added, err), err) < 0)
		return -1;
	*ret = pl_take(added);
	return 0;
}

int store_annotation_change(struct store *store, int64_t id, int64_t revision, const json_t *change,
			    enum store_saved_outcome *ret_outcome, json_t **ret, struct pl_err *err)
{
	auto_json json_t *changed = NULL;

	if (store_begin(store, err) < 0)
		return -1;
	if (store_end(store, change_row(store, id, revision, change, ret_outcome, &changed, err),
		      err) < 0)
		return -1;
	*ret = pl_take(changed);
	return 0;
}

int store_annotation_remove(struct store *store, int64_t id, int64_t revision,
			    enum store_saved_outcome *ret_outcome, struct pl_err *err)
{
	if (store_begin(store, err) < 0)
		return -1;
	return store_end(store, remove_row(store, id, revision, ret_outcome, err), err);
}

/* ---- reading --------------------------------------------------------------------------------- */

int store_annotation_list(struct store *store, json_t **ret, struct pl_err *err)
{
	pthread_mutex_lock(&store->read_lock);
	int result = store_saved_list(&store->reader, &annotation_rows, 1, STORE_ANNOTATIONS_MAX,
				      ret, err);
	pthread_mutex_unlock(&store->read_lock);
	return result;
}
