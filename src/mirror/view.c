#include "mirror/view.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "mirror/mirror_priv.h"

struct view_state {
	size_t next; /* in `named` */
	bool is_settled;
};

struct mirror_view {
	const struct mirror_snapshot *snapshot;
	struct lazy_use *uses; /* fields that are not columns, sorted by id */
	size_t count;
	size_t room;

	/* columns of the view's fields: most are requested again, in the same order */
	const struct mirror_column **named;
	size_t named_count;
	struct view_state *state;

	struct lazy_use priced[RES_PRICED_COUNT];
	size_t priced_count; /* taken ones */
};

static int compare_texts(const void *a, const void *b)
{
	const char *const *one = a, *const *other = b;

	return strcmp(*one, *other);
}

/* Takes the columns that are computed with prices. */
static int take_priced(struct mirror_view *view, struct pl_err *err)
{
	struct lazy_columns *columns = view->snapshot->pricing->columns;

	for (; view->priced_count < RES_PRICED_COUNT; view->priced_count++)
		mirror_lazy_take(view->snapshot, columns,
				 res_priced_id((enum res_priced)view->priced_count),
				 &view->priced[view->priced_count]);
	return mirror_lazy_read(view->snapshot, columns, view->priced, RES_PRICED_COUNT, err);
}

int mirror_view_new(const struct mirror_snapshot *snapshot, const struct mirror_ids *ids,
		    struct mirror_view **ret, struct pl_err *err)
{
	auto_view struct mirror_view *view = pl_alloc(sizeof(*view));
	auto_free const char **others = pl_alloc_array(ids->count, sizeof(*others));
	size_t count = 0;

	view->snapshot = snapshot;
	view->named = pl_alloc_array(ids->count, sizeof(*view->named));
	view->state = pl_alloc(sizeof(*view->state));
	for (size_t i = 0; i < ids->count; i++) {
		const struct mirror_column *column = mirror_snapshot_column(snapshot,
									    ids->items[i]);
		if (column != NULL)
			view->named[view->named_count++] = column;
		else if (res_priced_find(ids->items[i]) == RES_PRICED_COUNT)
			others[count++] = ids->items[i];
	}
	if (take_priced(view, err) < 0)
		return -1;
	qsort(others, count, sizeof(*others), compare_texts);
	for (size_t i = 0; i < count; i++) {
		if (i == 0 || strcmp(others[i - 1], others[i]) != 0)
			mirror_lazy_take(snapshot, snapshot->caches->lazy, others[i],
					 PL_PUSH(view->uses, view->count, view->room));
	}
	if (view->count > 0 &&
	    mirror_lazy_read(snapshot, snapshot->caches->lazy, view->uses, view->count, err) < 0)
		return -1;
	*ret = pl_take(view);
	return 0;
}

void mirror_view_free(struct mirror_view *view)
{
	if (view == NULL)
		return;
	if (view->count > 0)
		mirror_lazy_give_back(view->snapshot->caches->lazy, view->uses, view->count);
	mirror_lazy_give_back(view->snapshot->pricing->columns, view->priced, view->priced_count);
	free(view->uses);
	free(view->named);
	free(view->state);
	free(view);
}

static int compare_id(const void *id, const void *use)
{
	const struct lazy_use *one = use;

	return strcmp(id, one->column.field->id);
}

/* Returns NULL if the next one has another id. */
static const struct mirror_column *next_named(const struct mirror_view *view, const char *id)
{
	size_t next = view->state->next < view->named_count ? view->state->next : 0;

	if (view->named_count == 0 || strcmp(view->named[next]->field->id, id) != 0)
		return NULL;
	view->state->next = next + 1;
	return view->named[next];
}

const struct mirror_column *mirror_view_column(const struct mirror_view *view, const char *id)
{
	const struct mirror_column *column = next_named(view, id);

	if (column == NULL)
		column = mirror_snapshot_column(view->snapshot, id);
	if (column != NULL)
		return column;
	enum res_priced priced = res_priced_find(id);
	if (priced != RES_PRICED_COUNT)
		return &view->priced[priced].column;
	if (view->count == 0)
		return NULL;
	const struct lazy_use *use = bsearch(id, view->uses, view->count, sizeof(*use), compare_id);
	return use != NULL && use->is_known ? &use->column : NULL;
}

const struct mirror_column *mirror_view_at(const struct mirror_view *view, size_t i)
{
	size_t count = view->snapshot->mirror->column_count;

	return i < count ? &view->snapshot->columns[i] : &view->priced[i - count].column;
}

size_t mirror_view_column_count(const struct mirror_view *view)
{
	return view->snapshot->mirror->column_count + RES_PRICED_COUNT;
}

int mirror_view_goes_on(const struct mirror_view *view, struct pl_err *err)
{
	return view->state->is_settled ? mirror_snapshot_goes_on(view->snapshot, err)
				       : mirror_snapshot_is_in_time(view->snapshot, err);
}

int mirror_view_settle(const struct mirror_view *view, struct pl_err *err)
{
	if (mirror_view_goes_on(view, err) < 0)
		return -1;
	view->state->is_settled = true;
	return 0;
}

bool mirror_view_has_time(const struct mirror_view *view)
{
	int64_t end_ns = view->snapshot->end_ns;

	return (end_ns == 0 || pl_clock_now_ns() < end_ns) &&
	       mirror_snapshot_goes_on(view->snapshot, PL_ERR_IGNORED) == 0;
}

const struct res_fields *mirror_view_fields(const struct mirror_view *view)
{
	return view->snapshot->mirror->fields;
}

size_t mirror_view_count(const struct mirror_view *view)
{
	return view->snapshot->live;
}

int64_t mirror_view_epoch(const struct mirror_view *view)
{
	return view->snapshot->epoch;
}

size_t mirror_view_segments(const struct mirror_view *view)
{
	return view->snapshot->segment_count;
}

size_t mirror_view_rows(const struct mirror_view *view, size_t segment)
{
	return view->snapshot->rows[segment];
}

void mirror_view_live(const struct mirror_view *view, size_t segment,
		      uint64_t ret_rows[MIRROR_SEGMENT_WORDS])
{
	mirror_snapshot_live(view->snapshot, segment, ret_rows);
}

int64_t mirror_view_id(const struct mirror_view *view, size_t row)
{
	return snapshot_id(view->snapshot, row);
}

int mirror_view_document(const struct mirror_view *view, size_t row, json_t **ret,
			 struct pl_err *err)
{
	int64_t changed = 0;

	if (mirror_snapshot_read(view->snapshot, row, NULL, ret, &changed, err) < 0)
		return -1;
	return *ret == NULL ? mirror_snapshot_too_old(err) : 0;
}

const char *mirror_view_run_id(const struct mirror_view *view, size_t row)
{
	const struct segment *segment = view->snapshot->segments[row / MIRROR_SEGMENT_ROWS];

	return segment->names->run_ids[row % MIRROR_SEGMENT_ROWS];
}
