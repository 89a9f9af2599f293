/*
 * What one query sees. Fields that are no columns become arrays here: all that a query lacks are read in
 * one pass, for a document costs more than its fields. One thread at a time makes them; the others wait,
 * and find what they want made.
 */
#include "store/view.h"

#include <stdlib.h>
#include <string.h>

#include "store/columns_priv.h"

#define LAZY_MAX 64 /* that are kept beyond their query */

struct store_view {
	const struct store_columns *columns;
	struct lazy_column **items;
	size_t count;
	size_t room;
};

/* ---- columns of fields that are none -------------------------------------------------------- */

static void lazy_column_free(struct lazy_column *lazy)
{
	column_done(&lazy->column);
	free(lazy);
}

/* Those used least of what nobody uses, until so many are left. */
void lazy_columns_drop(struct lazy_columns *lazy, size_t keep)
{
	while (lazy->count > keep) {
		size_t oldest = lazy->count;
		for (size_t i = 0; i < lazy->count; i++) {
			if (lazy->items[i]->users == 0 &&
			    (oldest == lazy->count ||
			     lazy->items[i]->used < lazy->items[oldest]->used))
				oldest = i;
		}
		if (oldest == lazy->count)
			return;
		lazy_column_free(lazy->items[oldest]);
		lazy->items[oldest] = lazy->items[--lazy->count];
	}
}

static struct lazy_column *lazy_column_of(const struct store_columns *columns, const char *id)
{
	struct lazy_columns *lazy = columns->lazy;
	struct lazy_column *made;
	struct res_field field;

	for (size_t i = 0; i < lazy->count; i++) {
		if (strcmp(lazy->items[i]->column.field.id, id) == 0)
			return lazy->items[i];
	}
	made = pl_alloc(sizeof(*made));
	made->is_guessed = res_fields_resolve(columns->fields, id, &field, NULL) < 0;
	if (made->is_guessed)
		res_field_unlisted(id, &field);
	column_init(&made->column, &field, id);
	*PL_PUSH(lazy->items, lazy->count, lazy->room) = made;
	return made;
}

static void set_lazy(const struct store_columns *columns, struct lazy_column *lazy, size_t row,
		     const json_t *document)
{
	auto_value value = { .state = RES_VALUE_NOT_RECORDED };

	res_field_value(columns->fields, &lazy->column.field, document, &value);
	struct store_cell cell = {
		.state = (unsigned char)value.state,
		.kind = (unsigned char)value.kind,
		.is_explicit = value.is_explicit,
		.number = value.kind == RES_VALUE_YES ? value.yes : value.number,
		.text = value.text,
	};
	column_set(&lazy->column, row, &cell);
}

/* No row lacks what no document has: of such a column all of them are read. */
static void pass_over(const struct store_columns *columns, struct lazy_column *lazy)
{
	if (lazy->rows < columns->rows && columns->may_have != NULL &&
	    !columns->may_have(columns->context, lazy->column.field.id))
		lazy->rows = columns->rows;
}

/* The rows that the view's columns lack. What was read stays right where a document fails. */
static int read_rows(const struct store_view *view, struct pl_err *err)
{
	const struct store_columns *columns = view->columns;
	size_t first = columns->rows;

	for (size_t i = 0; i < view->count; i++) {
		pass_over(columns, view->items[i]);
		first = view->items[i]->rows < first ? view->items[i]->rows : first;
		column_reserve(&view->items[i]->column, columns->rows);
	}
	for (size_t row = first; row < columns->rows; row++) {
		auto_json json_t *document = NULL;
		if (columns->read(columns->context, columns->ids[row], &document, err) < 0)
			return pl_err_wrap(err, "result %lld", (long long)columns->ids[row]);
		for (size_t i = 0; i < view->count; i++) {
			struct lazy_column *lazy = view->items[i];
			if (lazy->rows > row)
				continue;
			set_lazy(columns, lazy, row, document);
			lazy->rows = row + 1;
		}
	}
	return 0;
}

/* ---- the view ------------------------------------------------------------------------------- */

static const struct store_column *find_column(const struct store_columns *columns, const char *id)
{
	const struct res_field *field = res_fields_find(columns->fields, id);
	size_t low = 0, high = columns->column_count;

	if (field == NULL || !field->column)
		return NULL;
	/* both stand in the order of the rows */
	while (low + 1 < high) {
		size_t middle = low + (high - low) / 2;
		if (columns->column_fields[middle] <= field)
			low = middle;
		else
			high = middle;
	}
	return &columns->items[low];
}

static struct lazy_column *find_lazy(const struct store_view *view, const char *id)
{
	for (size_t i = 0; i < view->count; i++) {
		if (strcmp(view->items[i]->column.field.id, id) == 0)
			return view->items[i];
	}
	return NULL;
}

int store_view_new(const struct store_columns *columns, const struct store_ids *ids,
		   struct store_view **ret, struct pl_err *err)
{
	struct lazy_columns *lazy = columns->lazy;
	struct store_view *view = pl_alloc(sizeof(*view));
	int status = 0;

	view->columns = columns;
	for (size_t i = 0; i < ids->count; i++) {
		if (find_column(columns, ids->items[i]) != NULL ||
		    find_lazy(view, ids->items[i]) != NULL)
			continue;
		pthread_mutex_lock(&lazy->lock);
		struct lazy_column *column = lazy_column_of(columns, ids->items[i]);
		column->users++;
		column->used = ++lazy->used;
		pthread_mutex_unlock(&lazy->lock);
		*PL_PUSH(view->items, view->count, view->room) = column;
	}
	if (view->count > 0) {
		pthread_mutex_lock(&lazy->lock);
		status = read_rows(view, err);
		pthread_mutex_unlock(&lazy->lock);
	}
	if (status < 0) {
		store_view_free(view);
		return -1;
	}
	*ret = view;
	return 0;
}

void store_view_free(struct store_view *view)
{
	struct lazy_columns *lazy;

	if (view == NULL)
		return;
	lazy = view->columns->lazy;
	if (view->count > 0) {
		pthread_mutex_lock(&lazy->lock);
		for (size_t i = 0; i < view->count; i++)
			view->items[i]->users--;
		lazy_columns_drop(lazy, LAZY_MAX);
		pthread_mutex_unlock(&lazy->lock);
	}
	free(view->items);
	free(view);
}

const struct store_column *store_view_column(const struct store_view *view, const char *id)
{
	const struct store_column *column = find_column(view->columns, id);
	const struct lazy_column *lazy;

	if (column != NULL)
		return column;
	lazy = find_lazy(view, id);
	return lazy == NULL || (lazy->is_guessed && lazy->column.classes == NULL) ? NULL
										  : &lazy->column;
}

const struct store_column *store_view_at(const struct store_view *view, size_t i)
{
	return &view->columns->items[i];
}

size_t store_view_column_count(const struct store_view *view)
{
	return view->columns->column_count;
}

const struct res_fields *store_view_fields(const struct store_view *view)
{
	return view->columns->fields;
}

size_t store_view_rows(const struct store_view *view)
{
	return view->columns->rows;
}

size_t store_view_words(const struct store_view *view)
{
	return words_of(view->columns->rows);
}

int64_t store_view_id(const struct store_view *view, size_t row)
{
	return view->columns->ids[row];
}

const char *store_view_run_id(const struct store_view *view, size_t row)
{
	return view->columns->run_ids[row];
}
