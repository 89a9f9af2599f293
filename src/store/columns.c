#include "store/columns.h"

#include <stdlib.h>
#include <string.h>

#include "store/columns_priv.h"

#define ARENA_BLOCK_BYTES 65536

struct store_columns *store_columns_new(const struct res_fields *fields,
					store_columns_read_fn *read, void *context)
{
	struct store_columns *columns = pl_alloc(sizeof(*columns));

	columns->fields = fields;
	columns->read = read;
	columns->context = context;
	columns->column_fields = store_column_fields(fields, &columns->column_count);
	columns->items = pl_alloc_array(columns->column_count, sizeof(*columns->items));
	for (size_t i = 0; i < columns->column_count; i++)
		column_init(&columns->items[i], columns->column_fields[i], NULL);
	columns->arena = pl_arena_new(ARENA_BLOCK_BYTES);
	columns->lazy = pl_alloc(sizeof(*columns->lazy));
	pthread_mutex_init(&columns->lazy->lock, NULL);
	return columns;
}

void store_columns_ask_first(struct store_columns *columns, store_columns_may_have_fn *may_have)
{
	columns->may_have = may_have;
}

void store_columns_free(struct store_columns *columns)
{
	if (columns == NULL)
		return;
	for (size_t i = 0; i < columns->column_count; i++)
		column_done(&columns->items[i]);
	free(columns->items);
	lazy_columns_drop(columns->lazy, 0);
	pthread_mutex_destroy(&columns->lazy->lock);
	free(columns->lazy->items);
	free(columns->lazy);
	free(columns->ids);
	free((void *)columns->run_ids);
	pl_arena_free(columns->arena);
	free(columns);
}

static void set_row(struct store_columns *columns, size_t at, const struct store_row *row)
{
	const char *run_id = row->run_id;

	for (size_t i = 0; i < columns->column_count; i++) {
		column_reserve(&columns->items[i], at + 1);
		column_set(&columns->items[i], at, &row->cells[i]);
	}
	columns->run_ids[at] = run_id != NULL
				       ? pl_arena_strndup(columns->arena, run_id, strlen(run_id))
				       : NULL;
}

void store_columns_append(struct store_columns *columns, const struct store_row *row)
{
	size_t at = columns->rows;

	pl_grow((void **)&columns->ids, &columns->id_room, at + 1, sizeof(*columns->ids));
	pl_grow((void **)&columns->run_ids, &columns->run_id_room, at + 1,
		sizeof(*columns->run_ids));
	columns->ids[at] = row->id;
	set_row(columns, at, row);
	columns->rows++;
	columns->version++;
}

static bool find_row(const struct store_columns *columns, int64_t id, size_t *ret)
{
	size_t low = 0, high = columns->rows;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (columns->ids[middle] < id)
			low = middle + 1;
		else
			high = middle;
	}
	*ret = low;
	return low < columns->rows && columns->ids[low] == id;
}

bool store_columns_replace(struct store_columns *columns, const struct store_row *row)
{
	size_t at;

	if (!find_row(columns, row->id, &at))
		return false;
	set_row(columns, at, row);
	lazy_columns_drop(columns->lazy, 0);
	columns->version++;
	return true;
}

size_t store_columns_count(const struct store_columns *columns)
{
	return columns->rows;
}

int64_t store_columns_version(const struct store_columns *columns)
{
	return columns->version;
}

void store_columns_set_version(struct store_columns *columns, int64_t version)
{
	columns->version = version;
}
