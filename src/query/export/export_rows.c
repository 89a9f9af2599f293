/*
 * A snapshot is held for as long as the file takes: what comes, changes or goes meanwhile is not in it.
 */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "query/export/export_priv.h"
#include "query/faults.h"
#include "query/filter.h"
#include "query/query.h"
#include "query/rows_priv.h"
#include "query/facets/tally_priv.h"

struct export_rows {
	struct store_snapshot *snapshot;
	struct store_view *view;
	const struct store_column **columns;
	size_t column_count;
	struct export_own *own; /* their codes */
	size_t *places;         /* of the rows, in their order */
	size_t count;
};

/* What a request asks, while it is read. */
struct asked {
	struct place place;
	const struct store_view *view;
	struct store_filter *filter;
	struct rows_key keys[STORE_QUERY_KEYS_MAX];
	size_t key_count;
};

static void asked_done(struct asked *asked)
{
	store_filter_free(asked->filter);
	place_done(&asked->place);
}
#define auto_asked __attribute__((cleanup(asked_done), unused)) struct asked

/* ---- reading --------------------------------------------------------------------------------- */

static void collect(const json_t *list, const char *key, struct store_ids *ids)
{
	PL_JSON_EACH(item, list) {
		const char *id = json_string_value(key != NULL ? json_object_get(item, key) : item);
		if (id != NULL)
			*PL_PUSH(ids->items, ids->count, ids->room) = id;
	}
}

/* NULL: there is no such field, and the fault is told. */
static const struct store_column *column_of(struct asked *asked, const json_t *field)
{
	const char *id = json_string_value(field);
	const struct store_column *column = id != NULL ? store_view_column(asked->view, id) : NULL;

	if (column == NULL)
		place_fault(&asked->place, "field", field, "the id of a field",
			    id != NULL ? res_fields_nearest(store_view_fields(asked->view), id)
				       : NULL);
	return column;
}

static bool read_sort(struct asked *asked, const json_t *sort)
{
	size_t before = place_enter(&asked->place, "sort");
	bool fits = json_array_size(sort) <= STORE_QUERY_KEYS_MAX;

	if (!fits)
		place_limit(&asked->place, sort, STORE_QUERY_KEYS_MAX, "keys");
	for (size_t i = 0; i < json_array_size(sort) && i < STORE_QUERY_KEYS_MAX; i++) {
		const json_t *key = json_array_get(sort, i);
		size_t list = place_enter_item(&asked->place, i);
		size_t item = place_enter(&asked->place, "field");
		asked->keys[i] = (struct rows_key){
			.column = column_of(asked, json_object_get(key, "field")),
			.descends = pl_text_equal(pl_json_get_text(key, "dir"), "desc"),
		};
		fits = asked->keys[i].column != NULL && fits;
		place_leave(&asked->place, item);
		place_leave(&asked->place, list);
		asked->key_count = i + 1;
	}
	place_leave(&asked->place, before);
	return fits;
}

static bool read_columns(struct asked *asked, const json_t *columns, struct export_rows *rows)
{
	size_t before = place_enter(&asked->place, "columns");
	bool fits = true;

	rows->columns = pl_alloc_array(json_array_size(columns), sizeof(*rows->columns));
	for (size_t i = 0; i < json_array_size(columns); i++) {
		size_t list = place_enter_item(&asked->place, i);
		const struct store_column *column = column_of(asked, json_array_get(columns, i));
		fits = column != NULL && fits;
		if (column != NULL)
			rows->columns[rows->column_count++] = column;
		place_leave(&asked->place, list);
	}
	place_leave(&asked->place, before);
	return fits;
}

/* ---- finding --------------------------------------------------------------------------------- */

/* Columns of which a row of these has something. */
static int find_columns(const struct asked *asked, const uint64_t *found, struct export_rows *rows,
			struct pl_err *err)
{
	size_t count = store_view_column_count(asked->view);
	auto_facet_rows struct facet_rows *masks = facet_rows_new(asked->view, found);
	auto_tally tally = { .room = 0 };

	rows->columns = pl_alloc_array(count, sizeof(*rows->columns));
	for (size_t i = 0; i < count; i++) {
		const struct store_column *column = store_view_at(asked->view, i);
		if (store_view_goes_on(asked->view, err) < 0)
			return -1;
		if (!store_column_is_recorded(column))
			continue;
		tally_column(&tally, column, masks);
		if (tally.class_counts[STORE_MISSING] < rows->count)
			rows->columns[rows->column_count++] = column;
	}
	return 0;
}

static void find_rows(const struct asked *asked, const uint64_t *found, struct export_rows *rows)
{
	auto_rows_order struct rows_order *order = rows_order_new(asked->view, asked->keys,
								  asked->key_count);
	struct rows_page page = {
		.limit = store_kernels()->count(found, store_view_words(asked->view)),
	};

	rows->places = page.rows = pl_alloc_array(page.limit, sizeof(*rows->places));
	rows_of_page(order, found, &page);
	rows->count = page.count;
}

static int find(struct export_rows *rows, const json_t *request, struct res_schema_faults *faults,
		struct pl_err *err)
{
	auto_asked asked = { .place = { .pointer = PL_BUF(PLACE_BYTES_MAX), .faults = faults } };
	const json_t *filter = json_object_get(request, "filter");
	const json_t *sort = json_object_get(request, "sort");
	const json_t *wanted = json_object_get(request, "columns");
	struct store_ids ids = { 0 };

	store_filter_fields(filter, &ids);
	collect(sort, "field", &ids);
	collect(wanted, NULL, &ids);
	int status = store_view_new(rows->snapshot, &ids, &rows->view, err);
	free(ids.items);
	if (status < 0)
		return -1;
	asked.view = rows->view;
	bool fits = store_filter_new(asked.view, filter, "/filter", &asked.filter, faults) == 0;
	fits = read_sort(&asked, sort) && fits;
	if (json_is_array(wanted))
		fits = read_columns(&asked, wanted, rows) && fits;
	if (!fits)
		return pl_err_invalid(err, "the request does not fit");
	const uint64_t *found = store_filter_rows(asked.filter);
	find_rows(&asked, found, rows);
	return json_is_array(wanted) ? 0 : find_columns(&asked, found, rows, err);
}

static struct export_own own_of(const struct store_column *column)
{
	struct export_own own = { .codes = { UINT32_MAX, UINT32_MAX } };

	/* one where the user has set it, one where not */
	for (uint32_t code = 0, found = 0; code < column->distinct && found < 2; code++) {
		if (store_column_value(column, code)->is_elsewhere)
			own.codes[found++] = code;
	}
	return own;
}

static void find_own(struct export_rows *rows)
{
	rows->own = pl_alloc_array(rows->column_count, sizeof(*rows->own));
	for (size_t i = 0; i < rows->column_count; i++)
		rows->own[i] = own_of(rows->columns[i]);
}

int export_rows_new(struct store_snapshot *snapshot, const json_t *request,
		    struct export_rows **ret, struct res_schema_faults *faults, struct pl_err *err)
{
	struct export_rows *rows = pl_alloc(sizeof(*rows));

	rows->snapshot = snapshot;
	if (find(rows, request, faults, err) < 0) {
		export_rows_free(rows);
		return -1;
	}
	find_own(rows);
	*ret = rows;
	return 0;
}

void export_rows_free(struct export_rows *rows)
{
	if (rows == NULL)
		return;
	store_view_free(rows->view);
	store_snapshot_put(rows->snapshot);
	free(rows->places);
	free(rows->columns);
	free(rows->own);
	free(rows);
}

/* ---- asking ---------------------------------------------------------------------------------- */

size_t export_rows_count(const struct export_rows *rows)
{
	return rows->count;
}

int64_t export_rows_version(const struct export_rows *rows)
{
	return store_snapshot_version(rows->snapshot);
}

size_t export_rows_columns(const struct export_rows *rows)
{
	return rows->column_count;
}

const char *export_rows_column(const struct export_rows *rows, size_t column)
{
	return rows->columns[column]->field->id;
}

int64_t export_rows_id(const struct export_rows *rows, size_t at)
{
	return store_view_id(rows->view, rows->places[at]);
}

const char *export_rows_run_id(const struct export_rows *rows, size_t at)
{
	return store_view_run_id(rows->view, rows->places[at]);
}

void export_rows_spot(const struct export_rows *rows, size_t at, size_t count,
		      struct export_spot *ret)
{
	const size_t *places = rows->places + at;

	*ret = (struct export_spot){ at, count, places[0] / STORE_SEGMENT_ROWS, { 0 } };
	for (size_t i = 0; i < count; i++) {
		ret->within[i] = (uint32_t)(places[i] % STORE_SEGMENT_ROWS);
		if (places[i] / STORE_SEGMENT_ROWS != ret->segment)
			ret->segment = SIZE_MAX;
	}
}

static bool are_alike(const uint32_t *codes, size_t count)
{
	uint32_t differ = 0;

	for (size_t i = 1; i < count; i++)
		differ |= codes[i] ^ codes[0];
	return differ == 0;
}

bool export_rows_codes(const struct export_rows *rows, const struct export_spot *spot,
		       size_t column, uint32_t *ret_codes)
{
	const struct store_column *from = rows->columns[column];

	if (spot->segment == SIZE_MAX) {
		for (size_t i = 0; i < spot->count; i++)
			ret_codes[i] = chunk_code(
				store_column_chunk(from,
						   rows->places[spot->at + i] / STORE_SEGMENT_ROWS),
				spot->within[i]);
		return are_alike(ret_codes, spot->count);
	}
	const struct chunk *chunk = store_column_chunk(from, spot->segment);
	chunk_gather(chunk, spot->within, spot->count, ret_codes);
	return chunk->form == CHUNK_CONSTANT || are_alike(ret_codes, spot->count);
}

uint32_t export_rows_distinct(const struct export_rows *rows, size_t column)
{
	return rows->columns[column]->distinct;
}

struct export_own export_rows_own(const struct export_rows *rows, const struct export_spot *spot,
				  size_t column)
{
	struct export_own own = rows->own[column];

	if (spot->segment != SIZE_MAX && own.codes[0] != UINT32_MAX)
		own.numbers = store_column_chunk(rows->columns[column], spot->segment)->numbers;
	return own;
}

bool export_rows_cell(const struct export_rows *rows, size_t at, size_t column, uint32_t code,
		      struct store_cell *ret)
{
	const struct store_column *from = rows->columns[column];
	struct store_value value = *store_column_value(from, code);
	size_t row = rows->places[at];

	if (value.is_elsewhere)
		value.number = store_column_chunk(from, row / STORE_SEGMENT_ROWS)
				       ->numbers[row % STORE_SEGMENT_ROWS];
	*ret = dictionary_cell(&value);
	return !value.is_elsewhere;
}
