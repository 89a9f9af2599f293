/* Marks of the results that tell of one run (store/near.h), in the database. */
#include <stdio.h>
#include <stdlib.h>

#include "store/store_priv.h"

int store_near_key_of(struct store *store, int64_t id, char key[65], struct pl_err *err)
{
	auto_borrowed get = NULL;
	bool is_row = false;

	key[0] = '\0';
	if (store_sql_kept(&store->writer, STORE_GET_NEAR_KEY, &get, err) < 0)
		return -1;
	store_sql_bind_i64(get, 1, id);
	if (store_sql_step(get, &is_row, err) < 0)
		return -1;
	if (is_row && !store_sql_is_null(get, 0))
		snprintf(key, 65, "%s", store_sql_text(get, 0));
	return 0;
}

struct mark {
	int64_t id;
	int64_t near;
};

struct marks {
	struct mark *items;
	size_t count;
	size_t room;
};

static int list_wrong(struct store *store, const char *key, struct marks *ret, struct pl_err *err)
{
	auto_borrowed list = NULL;
	bool is_row = false;

	if (store_sql_kept(&store->writer, STORE_LIST_WRONG_NEAR, &list, err) < 0)
		return -1;
	store_sql_bind_text(list, 1, key);
	for (;;) {
		if (store_sql_step(list, &is_row, err) < 0)
			return -1;
		if (!is_row)
			return 0;
		*PL_PUSH(ret->items, ret->count,
			 ret->room) = (struct mark){ .id = store_sql_i64(list, 0),
						     .near = store_sql_i64(list, 1) };
	}
}

static int set_marks(struct store *store, const struct marks *marks, struct pl_err *err)
{
	struct store_stmt *set;
	int64_t version;

	if (marks->count == 0)
		return 0;
	store_results_change(store);
	if (store_next_version(store, &version, err) < 0 ||
	    store_sql_kept(&store->writer, STORE_SET_NEAR, &set, err) < 0)
		return -1;
	for (size_t i = 0; i < marks->count; i++) {
		store_sql_bind_i64(set, 1, marks->items[i].id);
		store_sql_bind_i64(set, 2, marks->items[i].near);
		store_sql_bind_i64(set, 3, version);
		if (store_sql_finish(set, err) < 0)
			return -1;
	}
	return 0;
}

int store_near_settle(struct store *store, const char *key, struct pl_err *err)
{
	struct marks marks = { 0 };

	if (key[0] == '\0')
		return 0;
	int result = list_wrong(store, key, &marks, err);
	if (result == 0)
		result = set_marks(store, &marks, err);
	free(marks.items);
	return result;
}
