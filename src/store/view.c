#include "store/view.h"

#include <stdlib.h>
#include <string.h>

#include "store/mirror/mirror_priv.h"

struct store_view {
	const struct store_snapshot *snapshot;
	struct lazy_use *uses; /* fields that are no columns */
	size_t count;
	size_t room;
};

static const struct store_column *find_column(const struct store_snapshot *snapshot, const char *id)
{
	const struct store_mirror *mirror = snapshot->mirror;
	const struct res_field *field = res_fields_find(mirror->fields, id);
	size_t low = 0, high = mirror->column_count;

	if (field == NULL || !field->column)
		return NULL;
	/* both stand in the order of the rows */
	while (low + 1 < high) {
		size_t middle = low + (high - low) / 2;
		if (mirror->column_fields[middle] <= field)
			low = middle;
		else
			high = middle;
	}
	return &snapshot->columns[low];
}

static bool is_named(const struct store_ids *ids, size_t before, const char *id)
{
	for (size_t i = 0; i < before; i++) {
		if (strcmp(ids->items[i], id) == 0)
			return true;
	}
	return false;
}

int store_view_new(const struct store_snapshot *snapshot, const struct store_ids *ids,
		   struct store_view **ret, struct pl_err *err)
{
	auto_view struct store_view *view = pl_alloc(sizeof(*view));

	view->snapshot = snapshot;
	for (size_t i = 0; i < ids->count; i++) {
		if (find_column(snapshot, ids->items[i]) != NULL || is_named(ids, i, ids->items[i]))
			continue;
		lazy_take(snapshot, ids->items[i], PL_PUSH(view->uses, view->count, view->room));
	}
	if (view->count > 0 && lazy_read(snapshot, view->uses, view->count, err) < 0)
		return -1;
	*ret = pl_take(view);
	return 0;
}

void store_view_free(struct store_view *view)
{
	if (view == NULL)
		return;
	if (view->count > 0)
		lazy_give_back(view->snapshot, view->uses, view->count);
	free(view->uses);
	free(view);
}

const struct store_column *store_view_column(const struct store_view *view, const char *id)
{
	const struct store_column *column = find_column(view->snapshot, id);

	for (size_t i = 0; column == NULL && i < view->count; i++) {
		if (strcmp(view->uses[i].column.field->id, id) == 0)
			return view->uses[i].is_known ? &view->uses[i].column : NULL;
	}
	return column;
}

const struct store_column *store_view_at(const struct store_view *view, size_t i)
{
	return &view->snapshot->columns[i];
}

size_t store_view_column_count(const struct store_view *view)
{
	return view->snapshot->mirror->column_count;
}

const struct res_fields *store_view_fields(const struct store_view *view)
{
	return view->snapshot->mirror->fields;
}

size_t store_view_count(const struct store_view *view)
{
	return view->snapshot->live;
}

size_t store_view_segments(const struct store_view *view)
{
	return view->snapshot->segment_count;
}

size_t store_view_rows(const struct store_view *view, size_t segment)
{
	return view->snapshot->rows[segment];
}

void store_view_live(const struct store_view *view, size_t segment,
		     uint64_t ret_rows[STORE_SEGMENT_WORDS])
{
	snapshot_live(view->snapshot, segment, ret_rows);
}

int64_t store_view_id(const struct store_view *view, size_t row)
{
	return snapshot_id(view->snapshot, row);
}

const char *store_view_run_id(const struct store_view *view, size_t row)
{
	const struct segment *segment = view->snapshot->segments[row / STORE_SEGMENT_ROWS];

	return segment->names->run_ids[row % STORE_SEGMENT_ROWS];
}
