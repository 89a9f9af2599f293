/*
 * The columns in memory follow the file in one way, whoever has written it: the file counts its changes,
 * each row has the count of its last one, and who borrows the columns first takes in the rows that have
 * changed since. A change that another process makes is seen as soon as one of our own.
 */
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "store/columns.h"
#include "store/sqlite_cell.h"
#include "store/store_priv.h"

#define SQL_BYTES_MAX (4u << 20)
#define FIRST_VALUE   3

static char *rows_since_text(const struct store *store)
{
	auto_buf text = PL_BUF(SQL_BYTES_MAX);

	pl_buf_add_text(&text, "SELECT id, run_id, explicit_fields");
	for (size_t i = 0; i < store->column_count; i++)
		pl_buf_addf(&text, ", \"%s\"", store->columns[i]->id);
	pl_buf_add_text(&text, " FROM benchmark_runs WHERE changed > ?1 ORDER BY id");
	return pl_buf_take(&text);
}

static int compare_fields(const void *a, const void *b)
{
	const struct res_field *const *one = a, *const *other = b;

	return *one < *other ? -1 : *one > *other;
}

/* Ids that this program knows no column for are another's. */
static int read_explicit(const struct store *store, const char *text, struct store_cell *cells,
			 struct pl_err *err)
{
	auto_json json_t *ids = NULL;
	size_t i;
	json_t *id;

	if (pl_json_parse(text, strlen(text), "explicit_fields", &ids, err) < 0)
		return -1;
	json_array_foreach(ids, i, id)
	{
		const char *name = json_string_value(id);
		const struct res_field *field = name != NULL ? res_fields_find(store->fields, name)
							     : NULL;
		/* the columns stand in the order of the list, and so in memory */
		const struct res_field *const *column = bsearch(
			&field, store->columns, store->column_count, sizeof(*store->columns),
			compare_fields);
		if (column != NULL)
			cells[column - store->columns].is_explicit = true;
	}
	return 0;
}

static int take_in_row(struct store *store, struct store_cell *cells, struct pl_err *err)
{
	sqlite3_stmt *rows = store->rows_since;
	struct store_row row = { .id = sqlite3_column_int64(rows, 0),
				 .run_id = store_sql_text(rows, 1),
				 .cells = cells };

	for (size_t i = 0; i < store->column_count; i++)
		store_cell_read(rows, FIRST_VALUE + (int)i, store->columns[i], &cells[i]);
	if (read_explicit(store, store_sql_text(rows, 2), cells, err) < 0)
		return pl_err_wrap(err, "result %lld of '%s'", (long long)row.id, store->path);
	if (row.id > store->memory_id) {
		store_columns_append(store->memory, &row);
		store->memory_id = row.id;
	} else if (!store_columns_replace(store->memory, &row)) {
		return pl_err_set(err, PL_ERR_INTERNAL, "result %lld came out of order",
				  (long long)row.id);
	}
	return 0;
}

static int take_in_rows(struct store *store, struct pl_err *err)
{
	auto_free struct store_cell *cells = pl_alloc_array(store->column_count, sizeof(*cells));
	auto_borrowed rows = store->rows_since;
	bool is_row = false;

	sqlite3_bind_int64(rows, 1, store->memory_version);
	for (;;) {
		if (store_sql_step(rows, &is_row, err) < 0)
			return -1;
		if (!is_row)
			return 0;
		if (take_in_row(store, cells, err) < 0)
			return -1;
	}
}

/* Under the reader's lock. */
static int read_version(struct store *store, int64_t *ret, struct pl_err *err)
{
	auto_borrowed statement = NULL;
	bool is_row = false;

	if (store_sql_kept(&store->reader, STORE_GET_VERSION, &statement, err) < 0 ||
	    store_sql_step(statement, &is_row, err) < 0)
		return -1;
	*ret = is_row ? sqlite3_column_int64(statement, 0) : 0;
	return 0;
}

/* Version and rows as they were at one moment. Under the columns' and the reader's lock. */
static int take_in(struct store *store, struct pl_err *err)
{
	struct pl_err ignored = PL_ERR_INIT;
	int64_t version = 0;

	if (store_sql_run(&store->reader, "BEGIN", err) < 0)
		return -1;
	int result = read_version(store, &version, err);
	if (result == 0 && version != store->memory_version)
		result = take_in_rows(store, err);
	/* nothing was written: there is nothing that could fail to last */
	if (store_sql_run(&store->reader, "COMMIT", &ignored) < 0 && result == 0) {
		*err = ignored;
		return -1;
	}
	if (result < 0)
		return -1;
	store->memory_version = version;
	store_columns_set_version(store->memory, version);
	return 0;
}

static int refresh(struct store *store, struct pl_err *err)
{
	pthread_rwlock_wrlock(&store->columns_lock);
	pthread_mutex_lock(&store->read_lock);
	int result = take_in(store, err);
	pthread_mutex_unlock(&store->read_lock);
	pthread_rwlock_unlock(&store->columns_lock);
	return result;
}

int store_columns_borrow(struct store *store, const struct store_columns **ret, struct pl_err *err)
{
	int64_t version = 0;

	if (store_data_version(store, &version, err) < 0)
		return -1;
	pthread_rwlock_rdlock(&store->columns_lock);
	if (store->memory_version < version) {
		pthread_rwlock_unlock(&store->columns_lock);
		if (refresh(store, err) < 0)
			return -1;
		pthread_rwlock_rdlock(&store->columns_lock);
	}
	*ret = store->memory;
	return 0;
}

void store_columns_return(struct store *store)
{
	pthread_rwlock_unlock(&store->columns_lock);
}

static int read_for_columns(void *context, int64_t id, json_t **ret, struct pl_err *err)
{
	return store_read_document(context, id, ret, err);
}

static bool may_have(void *context, const char *id)
{
	return store_places_may_have(context, id);
}

int store_memory_open(struct store *store, struct pl_err *err)
{
	auto_free char *text = rows_since_text(store);

	if (store_sql_prepare(&store->reader, text, &store->rows_since, err) < 0)
		return -1;
	store->memory = store_columns_new(store->fields, read_for_columns, store);
	store_columns_ask_first(store->memory, may_have);
	return refresh(store, err);
}

void store_memory_close(struct store *store)
{
	store_columns_free(store->memory);
	sqlite3_finalize(store->rows_since);
	store->memory = NULL;
	store->rows_since = NULL;
}
