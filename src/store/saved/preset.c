#include "store/saved/preset.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "query/needle.h"
#include "result/fields/former.h"
#include "store/saved/name.h"
#include "store/saved/rows.h"
#include "store/store_priv.h"

static STORE_STATEMENT(sql_list_presets, "SELECT id, name, is_default, created, changed, content, "
					 "created_by, changed_by FROM presets WHERE id >= ?1"
					 " ORDER BY id LIMIT ?2");
static STORE_STATEMENT(sql_clear_default_preset,
		       "UPDATE presets SET is_default = 0 WHERE is_default = 1");
static STORE_STATEMENT(
	sql_add_preset,
	"INSERT INTO presets (name, is_default, created, changed, content, created_by,"
	" changed_by) VALUES (?1, ?2, ?3, ?3, ?4, ?5, ?5) RETURNING id");
static STORE_STATEMENT(sql_replace_preset,
		       "UPDATE presets SET name = ?1, is_default = ?2, changed = ?3, content = ?4,"
		       " changed_by = ?5 WHERE id = ?6"
		       " RETURNING id");
static STORE_STATEMENT(sql_remove_preset, "DELETE FROM presets WHERE id = ?1 RETURNING id");

static json_t *text_or_null(const char *text)
{
	return text != NULL ? json_string(text) : json_null();
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* id, name, is_default, created, changed, content, created_by, changed_by: the columns of sql_list_presets. */
static int row_to_json(struct store_stmt *row, json_t **ret, struct pl_err *err)
{
	const char *content = store_sql_text(row, 5);
	auto_json json_t *rest = NULL;

	if (pl_json_parse(content, strlen(content), "preset", &rest, err) < 0)
		return -1;
	res_filter_rename_former(json_object_get(rest, "filter"));
	res_fields_rename_former(json_object_get(rest, "columns"));
	res_fields_rename_former(json_object_get(rest, "sort"));
	json_t *preset = json_pack("{s:I, s:s}", "id", (json_int_t)store_sql_i64(row, 0), "name",
				   store_sql_text(row, 1));
	json_object_update(preset, rest);
	json_object_set_new(preset, "is_default", json_boolean(store_sql_i64(row, 2)));
	json_object_set_new(preset, "created_at", json_string(store_sql_text(row, 3)));
	json_object_set_new(preset, "created_by", text_or_null(store_sql_text(row, 6)));
	json_object_set_new(preset, "changed_at", json_string(store_sql_text(row, 4)));
	json_object_set_new(preset, "changed_by", text_or_null(store_sql_text(row, 7)));
	*ret = preset;
	return 0;
}

static const struct store_saved preset_rows = { &sql_list_presets, row_to_json };

/* ---- writing --------------------------------------------------------------------------------- */

/* Checks whether this may be written. Reads only ids and names of the others. */
static int judge(struct store *store, int64_t id, const char *name, enum store_saved_outcome *ret,
		 struct pl_err *err)
{
	auto_needle struct query_needle *needle = query_needle_new(name, true);
	auto_borrowed rows = NULL;
	bool is_row = false, is_there = id == 0, is_named = false;
	size_t count = 0;

	if (store_sql_cached(&store->writer, &sql_list_presets, &rows, err) < 0)
		return -1;
	store_sql_bind_i64(rows, 1, 1);
	store_sql_bind_i64(rows, 2, STORE_PRESETS_MAX);
	for (;; count++) {
		if (store_sql_step(rows, &is_row, err) < 0)
			return -1;
		if (!is_row)
			break;
		if (store_sql_i64(rows, 0) == id) {
			is_there = true;
		} else {
			is_named = is_named || store_name_is(needle, name, store_sql_text(rows, 1));
		}
	}
	*ret = !is_there                               ? STORE_SAVED_NONE
	       : is_named                              ? STORE_SAVED_NAMED
	       : id == 0 && count >= STORE_PRESETS_MAX ? STORE_SAVED_FULL
						       : STORE_SAVED_OK;
	return 0;
}

/* Returns the members without a column, completed. free() */
static char *content_of(const json_t *preset)
{
	static const char *const keys[] = { "filter", "columns", "sort", "chart" };
	const char *description = pl_json_get_text(preset, "description");
	auto_json json_t *content = json_pack("{s:s}", "description",
					      description != NULL ? description : "");

	for (size_t i = 0; i < PL_ARRAY_SIZE(keys); i++) {
		json_t *value = json_incref(json_object_get(preset, keys[i]));
		if (value == NULL && strcmp(keys[i], "sort") == 0)
			value = json_array();
		json_object_set_new(content, keys[i], pl_json_or_null(value));
	}
	return pl_json_to_text(content, PL_JSON_COMPACT);
}

static int write_row(struct store *store, int64_t *id, const json_t *preset, const char *author,
		     struct pl_err *err)
{
	auto_free char *content = content_of(preset);
	bool is_default = pl_json_get_true(preset, "is_default");
	struct store_stmt *statement;
	char now[32];

	store_now(now);
	if (is_default &&
	    (store_sql_cached(&store->writer, &sql_clear_default_preset, &statement, err) < 0 ||
	     store_sql_finish(statement, err) < 0))
		return -1;
	if (store_sql_cached(&store->writer, *id == 0 ? &sql_add_preset : &sql_replace_preset,
			     &statement, err) < 0)
		return -1;
	store_sql_bind_text(statement, 1, pl_json_get_text(preset, "name"));
	store_sql_bind_i64(statement, 2, is_default);
	store_sql_bind_text(statement, 3, now);
	store_sql_bind_text(statement, 4, content);
	store_sql_bind_text(statement, 5, author);
	if (*id > 0)
		store_sql_bind_i64(statement, 6, *id);
	int result = store_sql_number(statement, id, err);
	/* release the pointers to the arguments */
	store_sql_clear(statement);
	return result;
}

static int put(struct store *store, int64_t id, const json_t *preset, const char *author,
	       enum store_saved_outcome *ret_outcome, json_t **ret, struct pl_err *err)
{
	if (judge(store, id, pl_json_get_text(preset, "name"), ret_outcome, err) < 0)
		return -1;
	if (*ret_outcome != STORE_SAVED_OK)
		return 0;
	if (write_row(store, &id, preset, author, err) < 0)
		return -1;
	return store_saved_get(&store->writer, &preset_rows, id, ret, err);
}

int store_preset_put(struct store *store, int64_t id, const json_t *preset, const char *author,
		     enum store_saved_outcome *ret_outcome, json_t **ret, struct pl_err *err)
{
	auto_json json_t *retained = NULL;

	if (store_begin(store, err) < 0)
		return -1;
	if (store_end(store, put(store, id, preset, author, ret_outcome, &retained, err), err) < 0)
		return -1;
	*ret = pl_take(retained);
	return 0;
}

static int remove_row(struct store *store, int64_t id, enum store_saved_outcome *ret_outcome,
		      struct pl_err *err)
{
	struct store_stmt *statement;
	int64_t removed = 0;

	if (store_sql_cached(&store->writer, &sql_remove_preset, &statement, err) < 0)
		return -1;
	store_sql_bind_i64(statement, 1, id);
	if (store_sql_number(statement, &removed, err) < 0)
		return -1;
	*ret_outcome = removed > 0 ? STORE_SAVED_OK : STORE_SAVED_NONE;
	return 0;
}

int store_preset_remove(struct store *store, int64_t id, enum store_saved_outcome *ret_outcome,
			struct pl_err *err)
{
	if (store_begin(store, err) < 0)
		return -1;
	return store_end(store, remove_row(store, id, ret_outcome, err), err);
}

/* ---- reading --------------------------------------------------------------------------------- */

int store_preset_get(struct store *store, int64_t id, json_t **ret, struct pl_err *err)
{
	pthread_mutex_lock(&store->read_lock);
	int result = store_saved_get(&store->reader, &preset_rows, id, ret, err);
	pthread_mutex_unlock(&store->read_lock);
	return result;
}

int store_preset_list(struct store *store, json_t **ret, struct pl_err *err)
{
	pthread_mutex_lock(&store->read_lock);
	int result = store_saved_list(&store->reader, &preset_rows, 1, STORE_PRESETS_MAX, ret, err);
	pthread_mutex_unlock(&store->read_lock);
	return result;
}
