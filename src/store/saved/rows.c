#include "store/saved/rows.h"

#include "store/store_priv.h"

int store_saved_rows(struct store_stmt *rows, store_row_reader *read, json_t **ret,
		     struct pl_err *err)
{
	auto_json json_t *list = json_array();
	int result;

	while ((result = store_sql_next(rows, err)) > 0) {
		json_t *one = NULL;
		if (read(rows, &one, err) < 0)
			return -1;
		json_array_append_new(list, one);
	}
	if (result < 0)
		return -1;
	*ret = pl_take(list);
	return 0;
}

int store_saved_list(struct store_sql *sql, const struct store_saved *saved, int64_t first,
		     int64_t count, json_t **ret, struct pl_err *err)
{
	auto_borrowed rows = NULL;

	if (store_sql_cached(sql, saved->list, &rows, err) < 0)
		return -1;
	store_sql_bind_i64(rows, 1, first);
	store_sql_bind_i64(rows, 2, count);
	return store_saved_rows(rows, saved->read, ret, err);
}

int store_saved_get(struct store_sql *sql, const struct store_saved *saved, int64_t id,
		    json_t **ret, struct pl_err *err)
{
	auto_json json_t *found = NULL;

	if (store_saved_list(sql, saved, id, 1, &found, err) < 0)
		return -1;
	json_t *one = json_array_get(found, 0);
	*ret = pl_json_get_i64(one, "id") == id ? json_incref(one) : NULL;
	return 0;
}
