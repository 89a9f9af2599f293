/* The tags, notes and marks of a result that are stored outside its document (store/change.h). */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "store/store_priv.h"

static STORE_STATEMENT(sql_get_edits,
		       "SELECT " STORE_EDIT_COLUMNS
		       " FROM benchmark_runs r LEFT JOIN benchmark_edits e ON e.id = r.id"
		       " WHERE r.id = ?1");

void store_edits_done(struct store_edits *edits)
{
	json_decref(edits->tags);
	free(edits->notes);
	*edits = (struct store_edits){ .repeat = 1 };
}

json_t *store_tags_over(const json_t *edits, const json_t *tags)
{
	json_t *all = json_is_object(tags) ? json_copy((json_t *)tags) : json_object();

	PL_JSON_EACH_MEMBER(name, value, edits) {
		if (json_is_null(value))
			json_object_del(all, name);
		else
			json_object_set(all, name, value);
	}
	return all;
}

json_t *store_edits_over(const struct store_edits *edits, json_t *document)
{
	json_t *all = json_copy(document);
	json_t *stored = json_object();

	if (json_object_size(edits->tags) > 0)
		json_object_set_new(
			all, "tags",
			store_tags_over(edits->tags, json_object_get(document, "tags")));
	if (edits->notes != NULL)
		json_object_set_new(stored, "notes", pl_json_text(edits->notes));
	if (edits->repeat > 1)
		json_object_set_new(stored, "repeat", json_integer((json_int_t)edits->repeat));
	if (edits->possible_duplicate > 0)
		json_object_set_new(stored, "possible_duplicate",
				    json_integer((json_int_t)edits->possible_duplicate));
	if (edits->upload > 0)
		json_object_set_new(stored, "upload", json_integer((json_int_t)edits->upload));
	/* `stored` of a document is not data of this store */
	json_object_del(all, "stored");
	if (json_object_size(stored) > 0)
		json_object_set(all, "stored", stored);
	json_decref(stored);
	return all;
}

static void set_number(const struct store *store, const char *id, bool is_there, int64_t number,
		       struct mirror_cell *cells)
{
	size_t at = store_column_find(&store->columns, id);

	if (at == SIZE_MAX)
		return;
	cells[at] = (struct mirror_cell){ .state = RES_VALUE_NOT_RECORDED };
	if (is_there)
		cells[at] = (struct mirror_cell){ .state = RES_VALUE_PRESENT,
						  .kind = RES_VALUE_NUMBER,
						  .number = (double)number };
}

void store_stored_cells(const struct store *store, const struct store_edits *edits,
			struct mirror_cell *cells)
{
	set_number(store, "stored.repeat", edits->repeat > 1, edits->repeat, cells);
	set_number(store, "stored.possible_duplicate", edits->possible_duplicate > 0,
		   edits->possible_duplicate, cells);
	set_number(store, "stored.upload", edits->upload > 0, edits->upload, cells);
}

int store_edits_of_row(struct store_stmt *row, int at, struct store_edits *ret, struct pl_err *err)
{
	const char *tags = store_sql_text(row, at);
	const char *notes = store_sql_text(row, at + 1);

	*ret = (struct store_edits){ .notes = pl_strdup(notes),
				     .repeat = store_sql_i64(row, at + 2),
				     .possible_duplicate = store_sql_i64(row, at + 3),
				     .is_deleted = store_sql_i64(row, at + 4) != 0,
				     .upload = store_sql_i64(row, at + 5) };
	if (tags == NULL || pl_json_parse(tags, strlen(tags), "tags", &ret->tags, err) == 0)
		return 0;
	store_edits_done(ret);
	return -1;
}

int store_edits_read(struct store_sql *sql, int64_t id, struct store_edits *ret, bool *ret_found,
		     struct pl_err *err)
{
	auto_borrowed row = NULL;

	*ret = (struct store_edits){ .repeat = 1 };
	*ret_found = false;
	if (store_sql_cached(sql, &sql_get_edits, &row, err) < 0)
		return -1;
	store_sql_bind_i64(row, 1, id);
	if (store_sql_step(row, ret_found, err) < 0)
		return -1;
	return *ret_found ? store_edits_of_row(row, 0, ret, err) : 0;
}
