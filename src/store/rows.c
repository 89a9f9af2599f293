#include "store/rows_priv.h"

#include <stdlib.h>

#include "store/columns_priv.h"
#include "store/facet_priv.h"
#include "store/order.h"

#define SIMULATED_FIELD "environment.engine.simulated"
#define VERDICT_FIELD   "quality.verdict"

/* ---- order ----------------------------------------------------------------------------------- */

struct sort_key {
	struct rows_key key;
	uint32_t *ranks; /* of the column's texts */
};

struct sorting {
	struct sort_key *keys;
	size_t count;
};

/* Nothing stands behind values, whichever way these go. */
static int compare_nothing(enum store_class a, enum store_class b)
{
	/* null before not recorded */
	return (a < b) - (a > b);
}

static int compare_by(const struct sort_key *key, size_t a, size_t b)
{
	const struct store_column *column = key->key.column;
	enum store_class one = store_class_at(column, a), other = store_class_at(column, b);
	int difference = (one > other) - (one < other);

	if (one <= STORE_NULL || other <= STORE_NULL)
		return compare_nothing(one <= STORE_NULL ? one : STORE_CLASS_COUNT,
				       other <= STORE_NULL ? other : STORE_CLASS_COUNT);
	if (difference == 0 && one == STORE_NUMBER) {
		double x = column->numbers[a], y = column->numbers[b];
		difference = (x > y) - (x < y);
	} else if (difference == 0 && one >= STORE_TEXT) {
		uint32_t x = key->ranks[column->codes[a]], y = key->ranks[column->codes[b]];
		difference = (x > y) - (x < y);
	}
	return key->key.descends ? -difference : difference;
}

static int compare_rows(const void *a, const void *b, void *context)
{
	const struct sorting *sorting = context;
	uint32_t one = *(const uint32_t *)a, other = *(const uint32_t *)b;

	for (size_t i = 0; i < sorting->count; i++) {
		int difference = compare_by(&sorting->keys[i], one, other);
		if (difference != 0)
			return difference;
	}
	/* rows stand in the order of their ids: the newest first */
	return (one < other) - (one > other);
}

size_t rows_of_page(const struct store_view *view, const uint64_t *rows, size_t count,
		    const struct rows_key *keys, size_t key_count, size_t offset, size_t limit,
		    size_t *ret_rows)
{
	auto_free uint32_t *found = pl_alloc_array(count, sizeof(*found));
	auto_free struct sort_key *sort_keys = pl_alloc_array(key_count, sizeof(*sort_keys));
	struct sorting sorting = { sort_keys, key_count };
	size_t at = 0, shown;

	if (offset >= count || limit == 0)
		return 0;
	shown = limit < count - offset ? limit : count - offset;
	for (size_t i = 0; i < key_count; i++)
		sort_keys[i] = (struct sort_key){ keys[i], store_order_ranks(keys[i].column) };
	for (size_t word = 0; word < store_view_words(view); word++) {
		for (uint64_t bits = rows[word]; bits != 0; bits &= bits - 1)
			found[at++] = (uint32_t)(word * BITS + (size_t)__builtin_ctzll(bits));
	}
	store_order_first(found, count, sizeof(*found), offset + shown, compare_rows, &sorting);
	for (size_t i = 0; i < shown; i++)
		ret_rows[i] = found[offset + i];
	for (size_t i = 0; i < key_count; i++)
		free(sort_keys[i].ranks);
	return shown;
}

/* ---- JSON ------------------------------------------------------------------------------------ */

/* Null where it is not recorded. */
static json_t *value_or_null(const struct store_view *view, const char *id, size_t row)
{
	const struct store_column *column = store_view_column(view, id);
	json_t *value = column != NULL ? store_cell_to_json(column, row) : NULL;

	return value != NULL ? value : json_null();
}

json_t *row_to_json(const struct store_view *view, size_t row,
		    const struct store_column *const *columns, size_t column_count)
{
	json_t *cells = json_object();

	for (size_t i = 0; i < column_count; i++) {
		const struct store_column *column = columns != NULL ? columns[i]
								    : store_view_at(view, i);
		json_t *value = store_cell_to_json(column, row);
		if (value != NULL)
			json_object_set_new(cells, column->field.id, value);
	}
	return json_pack("{s:I, s:o, s:o, s:o, s:o}", "id", (json_int_t)store_view_id(view, row),
			 "run_id", pl_json_text(store_view_run_id(view, row)), "simulated",
			 value_or_null(view, SIMULATED_FIELD, row), "verdict",
			 value_or_null(view, VERDICT_FIELD, row), "cells", cells);
}
