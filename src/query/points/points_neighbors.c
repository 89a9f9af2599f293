/* The differences between a point and its neighbors: inputs in which most of the nearest points differ. */
#include "query/points/points_priv.h"

#include <stdlib.h>

#include "query/order.h"
#include "query/out_priv.h"

#define NEIGHBORS  12
#define FIELDS_MAX 8

struct neighbor {
	double distance; /* squared, in the plane as drawn, with sides of length 1 */
	size_t row;
};

struct difference {
	const struct mirror_column *column;
	size_t differ;   /* number of neighbors that differ */
	size_t position; /* in the order of the fields */
};

static double share_along(const struct points_axis *axis, double at)
{
	double low = axis->is_log ? log(axis->least) : axis->least;
	double high = axis->is_log ? log(axis->most) : axis->most;
	double share = ((axis->is_log ? log(at) : at) / 2 - low / 2) / (high / 2 - low / 2);

	return isfinite(share) ? share : 0; /* all are at one position */
}

static int compare_distances(const void *a, const void *b, void *context)
{
	const struct neighbor *one = a, *other = b;

	(void)context;
	if (one->distance < other->distance || one->distance > other->distance)
		return one->distance < other->distance ? -1 : 1;
	return (one->row > other->row) - (one->row < other->row);
}

static size_t row_of(const struct points *points)
{
	for (size_t row = 0; row < points->row_count; row++) {
		if (mirror_view_id(points->view, points->rows[row]) == points->subject)
			return row;
	}
	return SIZE_MAX;
}

/* Returns their number, the nearest first in `ret`. */
static size_t find_neighbors(const struct points *points, size_t subject, size_t ret[NEIGHBORS])
{
	auto_free struct neighbor *all = pl_alloc_array(points->row_count, sizeof(*all));
	double x = share_along(&points->x, points->x.at[subject]);
	double y = share_along(&points->y, points->y.at[subject]);
	size_t count = 0;

	for (size_t row = 0; row < points->row_count; row++) {
		double dx = share_along(&points->x, points->x.at[row]) - x;
		double dy = share_along(&points->y, points->y.at[row]) - y;
		if (row != subject)
			all[count++] = (struct neighbor){ dx * dx + dy * dy, row };
	}
	size_t neighbors = count < NEIGHBORS ? count : NEIGHBORS;
	query_order_first(all, count, sizeof(*all), neighbors, compare_distances, NULL);
	for (size_t i = 0; i < neighbors; i++)
		ret[i] = all[i].row;
	return neighbors;
}

static bool are_alike(const struct mirror_column *column, size_t a, size_t b)
{
	struct mirror_value one = mirror_column_at(column, a), other = mirror_column_at(column, b);

	if (one.is_elsewhere && other.is_elsewhere)
		return !(one.number < other.number) && !(one.number > other.number);
	return one.same == other.same;
}

static size_t count_differing(const struct points *points, const struct mirror_column *column,
			      size_t subject, const size_t *neighbors, size_t count)
{
	size_t differ = 0;

	for (size_t i = 0; i < count; i++)
		differ += !are_alike(column, points->rows[subject], points->rows[neighbors[i]]);
	return differ;
}

static int compare_differences(const void *a, const void *b, void *context)
{
	const struct difference *one = a, *other = b;

	(void)context;
	if (one->differ != other->differ)
		return one->differ > other->differ ? -1 : 1;
	return (one->position > other->position) - (one->position < other->position);
}

static bool is_axis(const struct points *points, const struct mirror_column *column)
{
	return column == points->x.column || column == points->y.column;
}

/* Returns false if the time was too short for all columns. */
static bool find_differences(struct points *points, size_t subject, const size_t *neighbors,
			     size_t count, struct difference *all, size_t *ret_found)
{
	size_t columns = mirror_view_column_count(points->view), found = 0;

	for (size_t i = 0; i < columns; i++) {
		const struct mirror_column *column = mirror_view_at(points->view, i);
		if (!query_points_is_in_time(points, POINTS_DIFFERENCES))
			return false;
		if (column->field->role != RES_FIELD_INPUT || is_axis(points, column) ||
		    !mirror_column_is_recorded(column))
			continue;
		size_t differ = count_differing(points, column, subject, neighbors, count);
		if (differ > 0)
			all[found++] = (struct difference){ column, differ, i };
	}
	*ret_found = found;
	return true;
}

void query_points_write_neighbors(struct points *points, struct pl_buf *out)
{
	size_t neighbors[NEIGHBORS], subject = row_of(points), count = 0, found = 0;
	auto_free struct difference *all = pl_alloc_array(mirror_view_column_count(points->view),
							  sizeof(*all));

	query_out_key(out, "neighbors");
	if (subject != SIZE_MAX && query_points_is_in_time(points, POINTS_DIFFERENCES))
		count = find_neighbors(points, subject, neighbors);
	if (subject == SIZE_MAX || points->not_ready[POINTS_DIFFERENCES] ||
	    !find_differences(points, subject, neighbors, count, all, &found)) {
		pl_buf_add_text(out, "null");
		return;
	}
	pl_buf_add_text(out, "{\"id\":");
	query_out_i64(out, points->subject);
	out_count(out, "count", count);
	query_out_key(out, "fields");
	pl_buf_add_char(out, '[');
	size_t first = found < FIELDS_MAX ? found : FIELDS_MAX;
	query_order_first(all, found, sizeof(*all), first, compare_differences, NULL);
	for (size_t i = 0; i < first; i++) {
		struct mirror_value value = mirror_column_at(all[i].column, points->rows[subject]);
		query_out_next(out);
		pl_buf_add_text(out, "{\"field\":");
		query_out_text(out, all[i].column->field->id);
		if (value.class != MIRROR_MISSING) {
			query_out_key(out, "value");
			query_out_value(out, &value);
		}
		out_count(out, "differing_count", all[i].differ);
		pl_buf_add_char(out, '}');
	}
	pl_buf_add_text(out, "]}");
}
