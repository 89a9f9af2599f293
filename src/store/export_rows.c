/*
 * The columns in memory are lent for a short while only, and one file may take long: so they are borrowed
 * anew for each piece. A row stays where it is, and rows that came later are not among those that were
 * found when the export began.
 */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "store/export_priv.h"
#include "store/faults_priv.h"
#include "store/filter.h"
#include "store/query.h"
#include "store/rows_priv.h"

struct export_rows {
	struct store *store;
	int64_t version;
	char **ids; /* of the columns */
	size_t column_count;
	size_t *places; /* of the rows, in their order */
	size_t count;

	/* between enter and leave */
	struct store_view *view;
	const struct store_column **columns;
};

/* What a request asks, while it is read. */
struct asked {
	struct place place;
	struct store_view *view;
	struct store_filter *filter;
	struct rows_key keys[STORE_QUERY_KEYS_MAX];
	size_t key_count;
	uint64_t *rows;
};

static void asked_done(struct asked *asked)
{
	store_filter_free(asked->filter);
	store_view_free(asked->view);
	place_done(&asked->place);
	free(asked->rows);
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

	rows->ids = pl_alloc_array(json_array_size(columns), sizeof(*rows->ids));
	for (size_t i = 0; i < json_array_size(columns); i++) {
		size_t list = place_enter_item(&asked->place, i);
		const struct store_column *column = column_of(asked, json_array_get(columns, i));
		fits = column != NULL && fits;
		if (column != NULL)
			rows->ids[rows->column_count++] = pl_strdup(column->field.id);
		place_leave(&asked->place, list);
	}
	place_leave(&asked->place, before);
	return fits;
}

/* ---- finding --------------------------------------------------------------------------------- */

static bool has_some(const struct store_column *column, const struct export_rows *rows)
{
	for (size_t i = 0; column->classes != NULL && i < rows->count; i++) {
		if (store_class_at(column, rows->places[i]) != STORE_MISSING)
			return true;
	}
	return false;
}

static void find_columns(const struct asked *asked, struct export_rows *rows)
{
	size_t count = store_view_column_count(asked->view);

	rows->ids = pl_alloc_array(count, sizeof(*rows->ids));
	for (size_t i = 0; i < count; i++) {
		const struct store_column *column = store_view_at(asked->view, i);
		if (has_some(column, rows))
			rows->ids[rows->column_count++] = pl_strdup(column->field.id);
	}
}

static void find_rows(struct asked *asked, struct export_rows *rows)
{
	size_t words = store_view_words(asked->view);

	asked->rows = pl_alloc_array(words, sizeof(*asked->rows));
	store_filter_rows(asked->filter, asked->rows);
	for (size_t i = 0; i < words; i++)
		rows->count += (size_t)__builtin_popcountll(asked->rows[i]);
	rows->places = pl_alloc_array(rows->count, sizeof(*rows->places));
	rows_of_page(asked->view, asked->rows, rows->count, asked->keys, asked->key_count, 0,
		     rows->count, rows->places);
}

static int find(struct export_rows *rows, const struct store_columns *columns,
		const json_t *request, struct res_schema_faults *faults, struct pl_err *err)
{
	auto_asked asked = { .place = { .pointer = PL_BUF(PLACE_BYTES_MAX), .faults = faults } };
	const json_t *filter = json_object_get(request, "filter");
	const json_t *sort = json_object_get(request, "sort");
	const json_t *wanted = json_object_get(request, "columns");
	struct store_ids ids = { 0 };

	store_filter_fields(filter, &ids);
	collect(sort, "field", &ids);
	collect(wanted, NULL, &ids);
	int status = store_view_new(columns, &ids, &asked.view, err);
	free(ids.items);
	if (status < 0)
		return -1;
	bool fits = store_filter_new(asked.view, filter, "/filter", &asked.filter, faults) == 0;
	fits = read_sort(&asked, sort) && fits;
	if (json_is_array(wanted))
		fits = read_columns(&asked, wanted, rows) && fits;
	if (!fits)
		return pl_err_invalid(err, "the request does not fit");
	find_rows(&asked, rows);
	if (!json_is_array(wanted))
		find_columns(&asked, rows);
	rows->version = store_columns_version(columns);
	return 0;
}

int export_rows_new(struct store *store, const json_t *request, struct export_rows **ret,
		    struct res_schema_faults *faults, struct pl_err *err)
{
	struct export_rows *rows = pl_alloc(sizeof(*rows));
	const struct store_columns *columns;

	rows->store = store;
	int status = store_columns_borrow(store, &columns, err);
	if (status == 0) {
		status = find(rows, columns, request, faults, err);
		store_columns_return(store);
	}
	if (status < 0) {
		export_rows_free(rows);
		return -1;
	}
	rows->columns = pl_alloc_array(rows->column_count, sizeof(*rows->columns));
	*ret = rows;
	return 0;
}

void export_rows_free(struct export_rows *rows)
{
	if (rows == NULL)
		return;
	for (size_t i = 0; i < rows->column_count; i++)
		free(rows->ids[i]);
	free(rows->ids);
	free(rows->places);
	free(rows->columns);
	free(rows);
}

/* ---- asking ---------------------------------------------------------------------------------- */

size_t export_rows_count(const struct export_rows *rows)
{
	return rows->count;
}

int64_t export_rows_version(const struct export_rows *rows)
{
	return rows->version;
}

size_t export_rows_columns(const struct export_rows *rows)
{
	return rows->column_count;
}

const char *export_rows_column(const struct export_rows *rows, size_t column)
{
	return rows->ids[column];
}

int export_rows_enter(struct export_rows *rows, struct pl_err *err)
{
	const struct store_ids ids = { .items = (const char **)rows->ids,
				       .count = rows->column_count };
	const struct store_columns *columns;

	if (store_columns_borrow(rows->store, &columns, err) < 0)
		return -1;
	if (store_view_new(columns, &ids, &rows->view, err) < 0) {
		store_columns_return(rows->store);
		return -1;
	}
	for (size_t i = 0; i < rows->column_count; i++)
		rows->columns[i] = store_view_column(rows->view, rows->ids[i]);
	return 0;
}

void export_rows_leave(struct export_rows *rows)
{
	store_view_free(rows->view);
	store_columns_return(rows->store);
}

int64_t export_rows_id(const struct export_rows *rows, size_t at)
{
	return store_view_id(rows->view, rows->places[at]);
}

const char *export_rows_run_id(const struct export_rows *rows, size_t at)
{
	return store_view_run_id(rows->view, rows->places[at]);
}

void export_rows_cell(const struct export_rows *rows, size_t at, size_t column,
		      struct store_cell *ret)
{
	static const unsigned char kinds[STORE_CLASS_COUNT] = {
		[STORE_NUMBER] = RES_VALUE_NUMBER, [STORE_NO] = RES_VALUE_YES,
		[STORE_YES] = RES_VALUE_YES,       [STORE_TEXT] = RES_VALUE_TEXT,
		[STORE_JSON] = RES_VALUE_JSON,
	};
	const struct store_column *from = rows->columns[column];
	size_t row = rows->places[at];
	enum store_class class = store_class_at(from, row);

	*ret = (struct store_cell){
		.state = class == STORE_MISSING ? RES_VALUE_NOT_RECORDED
			 : class == STORE_NULL  ? RES_VALUE_NULL
						: RES_VALUE_THERE,
		.kind = kinds[class],
		.number = class == STORE_NUMBER ? from->numbers[row] : class == STORE_YES,
		.text = class >= STORE_TEXT ? from->texts[from->codes[row]].text : NULL,
	};
}
