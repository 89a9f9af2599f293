/*
 * Marks: every row, or with too many rows the required ones and one for each cell of the plane; and the frontiers: per
 * group, the rows that no other row of the group dominates.
 *
 * A group is one kind of color. If the rows are of several models, and the color is not the model, it is one kind of
 * color and one model, because moving to another model is not a trade-off that a user can choose.
 */
#include "query/points/points_priv.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "mirror/mask.h"
#include "query/order.h"
#include "query/out_priv.h"

#define OUTLIERS_MAX    3 /* a cell with at most this number of rows keeps them */
#define FRONTIER_PART   4 /* at most one fourth of the marks are of the frontier */
#define CELLS_X         160
#define CELLS_Y         80
#define CELL_KINDS      16 /* colors with cells of their own; the others share the last ones */
#define VERDICT_FIELD   "quality.verdict"
#define SIMULATED_FIELD "environment.engine.simulated"
#define GROUPS_MAX      8 /* as many as the web UI has colors */
#define MODEL_FIELD     "server.model"
#define TRUSTED         "trusted"

/* ---- frontiers --------------------------------------------------------------------------------------- */

/* The rows of the frontiers of all groups, group by group. */
struct frontier_rows {
	uint32_t *rows;
	uint32_t *ends; /* by group */
	size_t count;
};

struct frontier_group {
	size_t color, by; /* kinds */
	size_t row_count;
};

struct frontier {
	bool has_directions;    /* false: a field has no direction, and everything else is empty */
	struct points_kinds by; /* the models; column NULL: groups are only the kinds of color */
	struct frontier_group *groups;
	size_t group_count;
	size_t all_group_count; /* before the smallest groups were dropped */
	struct frontier_rows trusted;
	struct frontier_rows all; /* as if every result was trusted */
};

static void frontier_done(struct frontier *frontier)
{
	query_points_kinds_done(&frontier->by);
	free(frontier->groups);
	free(frontier->trusted.rows);
	free(frontier->trusted.ends);
	free(frontier->all.rows);
	free(frontier->all.ends);
}
#define auto_frontier __attribute__((cleanup(frontier_done), unused)) struct frontier

struct sorting {
	const struct points *points;
	double x_sign, y_sign; /* multiplied with the value, so that less is better */
};

/* The search's data of each row. */
struct search {
	const struct points *points;
	size_t *group_of; /* by row; SIZE_MAX: in no group */
	bool *is_trusted; /* by row */
	uint32_t *order;  /* rows, from the best x to the worst */
	double y_sign;
	size_t group_count;
};

static double sign_of(const struct points_axis *axis)
{
	if (axis->kind != POINTS_NUMBERS)
		return 0;
	return axis->column->field->direction == RES_FIELD_HIGHER  ? -1
	       : axis->column->field->direction == RES_FIELD_LOWER ? 1
								   : 0;
}

/* The newer of two equal rows comes first. */
static int compare_better(const void *a, const void *b, void *context)
{
	const struct sorting *sorting = context;
	uint32_t one = *(const uint32_t *)a, other = *(const uint32_t *)b;
	const double *x = sorting->points->x.at, *y = sorting->points->y.at;
	double by_x = (x[one] - x[other]) * sorting->x_sign;
	double by_y = (y[one] - y[other]) * sorting->y_sign;

	if (by_x < 0 || by_x > 0)
		return by_x < 0 ? -1 : 1;
	if (by_y < 0 || by_y > 0)
		return by_y < 0 ? -1 : 1;
	return one > other ? -1 : 1;
}

/* ---- groups ------------------------------------------------------------------------------------------ */

/* Leaves *ret empty if the rows are of one model, or the color already distinguishes them. */
static void read_models(const struct points *points, struct points_kinds *ret)
{
	const struct mirror_column *column = mirror_view_column(points->view, MODEL_FIELD);

	if (column == NULL || column == points->colors.column)
		return;
	query_points_kinds_make(points, column, POINTS_COLOR_NUMBERS, ret);
	if (ret->count < 2)
		query_points_kinds_done(ret);
}

/* By row, whether the column has the wanted value there. */
static bool *find_rows(const struct points *points, const char *id,
		       bool (*is_wanted)(const struct mirror_value *value))
{
	const struct mirror_column *column = mirror_view_column(points->view, id);
	bool *found = pl_alloc_array(points->row_count, sizeof(*found));
	struct points_cells cells = { 0 };

	if (column == NULL)
		return found;
	query_points_cells_read(points, column, &cells);
	for (size_t row = 0; row < points->row_count; row++)
		found[row] = is_wanted(mirror_column_value(column, cells.codes[row]));
	query_points_cells_done(&cells);
	return found;
}

static bool is_trusted(const struct mirror_value *value)
{
	return value->class == MIRROR_TEXT && pl_text_equal(value->text, TRUSTED);
}

static bool is_yes(const struct mirror_value *value)
{
	return value->class == MIRROR_YES;
}

/* Most rows first, then in the order of the kinds. */
static int compare_groups(const void *a, const void *b)
{
	const struct frontier_group *one = a, *other = b;

	if (one->row_count != other->row_count)
		return one->row_count > other->row_count ? -1 : 1;
	if (one->color != other->color)
		return one->color < other->color ? -1 : 1;
	return one->by < other->by ? -1 : one->by > other->by;
}

/*
 * Keeps the groups with the most rows. Simulated rows are in no group, unless all rows are simulated: a simulated row
 * never dominates a measurement.
 */
static void make_frontier_groups(struct search *search, struct frontier *frontier)
{
	const struct points *points = search->points;
	size_t bys = frontier->by.column != NULL ? frontier->by.count : 1;
	size_t pairs = points_color_count(points) * bys, real = 0;
	auto_free bool *is_simulated = find_rows(points, SIMULATED_FIELD, is_yes);
	auto_free size_t *position_of = pl_alloc_array(pairs, sizeof(*position_of));

	frontier->groups = pl_alloc_array(pairs, sizeof(*frontier->groups));
	for (size_t i = 0; i < pairs; i++)
		frontier->groups[i] = (struct frontier_group){ i / bys, i % bys, 0 };
	for (size_t row = 0; row < points->row_count; row++)
		real += !is_simulated[row];
	for (size_t row = 0; row < points->row_count; row++) {
		bool is_in = real == 0 || !is_simulated[row];
		search->group_of[row] = !is_in ? SIZE_MAX
					       : points_color_of(points, row) * bys +
							 (bys > 1 ? frontier->by.of[row] : 0);
		if (is_in)
			frontier->groups[search->group_of[row]].row_count++;
	}
	qsort(frontier->groups, pairs, sizeof(*frontier->groups), compare_groups);
	for (size_t i = 0; i < pairs; i++) {
		const struct frontier_group *group = &frontier->groups[i];
		frontier->all_group_count += group->row_count > 0;
		position_of[group->color * bys + group->by] = i;
	}
	frontier->group_count = frontier->all_group_count < GROUPS_MAX ? frontier->all_group_count
								       : GROUPS_MAX;
	for (size_t row = 0; row < points->row_count; row++) {
		size_t group = search->group_of[row];
		size_t position = group < SIZE_MAX ? position_of[group] : SIZE_MAX;
		search->group_of[row] = position < frontier->group_count ? position : SIZE_MAX;
	}
	search->group_count = frontier->group_count;
}

/* ---- the search -------------------------------------------------------------------------------------- */

/* From the best x to the worst: a row with a better y than all earlier rows of its group is on the frontier. */
static void find_rows_of(const struct search *search, bool trusted_only, struct frontier_rows *ret)
{
	size_t count = search->points->row_count, groups = search->group_count;
	auto_free double *best = pl_alloc_array(groups, sizeof(*best));
	auto_free bool *is_on = pl_alloc(count);

	ret->rows = pl_alloc_array(count, sizeof(*ret->rows));
	ret->ends = pl_alloc_array(groups, sizeof(*ret->ends));
	for (size_t i = 0; i < groups; i++)
		best[i] = INFINITY;
	for (size_t i = 0; i < count; i++) {
		uint32_t row = search->order[i];
		size_t group = search->group_of[row];
		double y = search->points->y.at[row] * search->y_sign;
		if (group == SIZE_MAX || (trusted_only && !search->is_trusted[row]))
			continue;
		is_on[i] = y < best[group];
		ret->ends[group] += is_on[i];
		best[group] = is_on[i] ? y : best[group];
	}
	auto_free uint32_t *at = pl_alloc_array(groups, sizeof(*at));
	for (size_t i = 0; i < groups; i++) {
		at[i] = (uint32_t)ret->count;
		ret->count += ret->ends[i];
		ret->ends[i] = (uint32_t)ret->count;
	}
	/* from the worst x to the best */
	for (size_t i = count; i-- > 0;) {
		if (is_on[i])
			ret->rows[at[search->group_of[search->order[i]]]++] = search->order[i];
	}
}

static void find_frontier(const struct points *points, struct frontier *ret)
{
	struct sorting sorting = { points, sign_of(&points->x), sign_of(&points->y) };
	size_t count = points->row_count;

	ret->has_directions = fabs(sorting.x_sign) > 0 && fabs(sorting.y_sign) > 0;
	if (!ret->has_directions)
		return;
	auto_free uint32_t *order = pl_alloc_array(count, sizeof(*order));
	auto_free size_t *group_of = pl_alloc_array(count, sizeof(*group_of));
	auto_free bool *trusted = find_rows(points, VERDICT_FIELD, is_trusted);
	struct search search = { .points = points,
				 .group_of = group_of,
				 .is_trusted = trusted,
				 .order = order,
				 .y_sign = sorting.y_sign };
	for (size_t i = 0; i < count; i++)
		order[i] = (uint32_t)i;
	qsort_r(order, count, sizeof(*order), compare_better, &sorting);
	read_models(points, &ret->by);
	make_frontier_groups(&search, ret);
	find_rows_of(&search, true, &ret->trusted);
	find_rows_of(&search, false, &ret->all);
}

/* ---- choosing marks ---------------------------------------------------------------------------------- */

struct marks {
	uint32_t *weight; /* by row; 0: not a mark */
	size_t frontier_more;
};

bool query_points_is_selected(const struct points *points, int64_t id)
{
	for (size_t i = 0; i < points->selected_count; i++) {
		if (points->selected[i] == id)
			return true;
	}
	return false;
}

size_t query_points_cell_along(const struct points_axis *axis, double at, size_t cells)
{
	double low = axis->is_log ? log(axis->least) : axis->least;
	double high = axis->is_log ? log(axis->most) : axis->most;
	double share = ((axis->is_log ? log(at) : at) / 2 - low / 2) / (high / 2 - low / 2);
	size_t cell = share > 0 ? (size_t)(share * (double)cells)
				: 0; /* with one value, `share` is not a number */

	return cell < cells ? cell : cells - 1;
}

static void keep_rows(const struct points *points, const struct frontier_rows *list,
		      size_t *retained, struct marks *marks)
{
	for (size_t i = 0; i < list->count; i++) {
		bool is_kept = marks->weight[list->rows[i]] > 0;
		if (is_kept || *retained >= points->limit / FRONTIER_PART) {
			marks->frontier_more += !is_kept;
			continue;
		}
		marks->weight[list->rows[i]] = 1;
		(*retained)++;
	}
}

/* Rows of the frontiers, if they fit, and selected rows are always marks. */
static void keep_frontier(const struct points *points, const struct frontier *frontier,
			  struct marks *marks)
{
	size_t retained = 0;

	keep_rows(points, &frontier->trusted, &retained, marks);
	keep_rows(points, &frontier->all, &retained, marks);
	for (size_t row = 0; points->selected_count > 0 && row < points->row_count; row++) {
		if (query_points_is_selected(points,
					     mirror_view_id(points->view, points->rows[row])))
			marks->weight[row] = 1;
	}
}

struct cells {
	size_t x, y, kinds;
	uint32_t *of;     /* by row */
	uint32_t *counts; /* by cell: rows that are not marks yet */
};

static size_t count_cells(const struct points *points, const struct marks *marks,
			  struct cells *cells)
{
	size_t total = 0, all = cells->x * cells->y * cells->kinds;

	memset(cells->counts, 0, all * sizeof(*cells->counts));
	for (size_t row = 0; row < points->row_count; row++) {
		size_t kind = points_color_of(points, row);
		kind = kind < cells->kinds ? kind : cells->kinds - 1;
		cells->of[row] = (uint32_t)((query_points_cell_along(&points->x, points->x.at[row],
								     cells->x) *
						     cells->y +
					     query_points_cell_along(&points->y, points->y.at[row],
								     cells->y)) *
						    cells->kinds +
					    kind);
		if (marks->weight[row] == 0)
			cells->counts[cells->of[row]]++;
		else
			total++;
	}
	for (size_t i = 0; i < all; i++)
		total += cells->counts[i] > OUTLIERS_MAX ? 1 : cells->counts[i];
	return total;
}

/* Enlarges the cells until all marks fit. This always ends, because selected and frontier rows are fewer. */
static void thin(const struct points *points, struct marks *marks)
{
	size_t kinds = points_color_count(points);
	struct cells cells = { CELLS_X, CELLS_Y, kinds < CELL_KINDS ? kinds : CELL_KINDS, NULL,
			       NULL };

	cells.of = pl_alloc_array(points->row_count, sizeof(*cells.of));
	cells.counts = pl_alloc_array(cells.x * cells.y * cells.kinds, sizeof(*cells.counts));
	while (count_cells(points, marks, &cells) > points->limit && cells.x > 1) {
		cells.x = cells.x * 3 / 4;
		cells.y = (cells.y * 3 + 3) / 4;
		cells.y = cells.y < cells.x ? cells.y : cells.x;
	}
	/* starting with the newest */
	for (size_t row = points->row_count; row-- > 0;) {
		uint32_t *count = &cells.counts[cells.of[row]];
		if (marks->weight[row] > 0)
			continue;
		marks->weight[row] = *count > OUTLIERS_MAX ? *count : *count > 0;
		*count = *count > OUTLIERS_MAX ? 0 : *count - (*count > 0);
	}
	free(cells.of);
	free(cells.counts);
}

static size_t choose(const struct points *points, const struct frontier *frontier,
		     struct marks *marks)
{
	size_t count = 0;

	marks->weight = pl_alloc_array(points->row_count, sizeof(*marks->weight));
	if (points_are_thinned(points)) {
		keep_frontier(points, frontier, marks);
		thin(points, marks);
	}
	for (size_t row = 0; row < points->row_count; row++) {
		if (!points_are_thinned(points))
			marks->weight[row] = 1;
		count += marks->weight[row] > 0;
	}
	return count;
}

/* ---- writing ----------------------------------------------------------------------------------------- */

static void begin_list(const char *key, struct pl_buf *out)
{
	query_out_key(out, key);
	pl_buf_add_char(out, '[');
}

static void write_numbers(const struct points *points, const char *key, const double *numbers,
			  const uint32_t *rows, size_t count, struct pl_buf *out)
{
	begin_list(key, out);
	for (size_t i = 0; i < count; i++) {
		query_out_next(out);
		query_out_f64_rounded(out, numbers[rows[i]], points->digits);
	}
	pl_buf_add_char(out, ']');
}

void query_points_write_positions(const char *key, const uint32_t *positions, const uint32_t *rows,
				  size_t count, struct pl_buf *out)
{
	if (positions == NULL) {
		query_out_key(out, key);
		pl_buf_add_text(out, "null");
		return;
	}
	begin_list(key, out);
	for (size_t i = 0; i < count; i++) {
		query_out_next(out);
		query_out_i64(out, positions[rows[i]]);
	}
	pl_buf_add_char(out, ']');
}

/* Values that are not recorded are null, too, because labels are only displayed. */
static void write_values(const struct points *points, const char *key,
			 const struct mirror_column *column, const uint32_t *rows, size_t count,
			 struct pl_buf *out)
{
	begin_list(key, out);
	for (size_t i = 0; i < count; i++) {
		query_out_next(out);
		if (column == NULL) {
			pl_buf_add_text(out, "null");
			continue;
		}
		struct mirror_value value = mirror_column_at(column, points->rows[rows[i]]);
		query_out_value(out, &value);
	}
	pl_buf_add_char(out, ']');
}

static void write_frontier_rows(const char *key, const struct frontier_rows *list, size_t group,
				const struct marks *marks, const uint32_t *position_of,
				struct pl_buf *out)
{
	begin_list(key, out);
	for (size_t i = group > 0 ? list->ends[group - 1] : 0; i < list->ends[group]; i++) {
		if (marks->weight[list->rows[i]] == 0)
			continue;
		query_out_next(out);
		query_out_i64(out, position_of[list->rows[i]]);
	}
	pl_buf_add_char(out, ']');
}

static void write_frontier(const struct frontier *frontier, const struct marks *marks,
			   const uint32_t *position_of, struct pl_buf *out)
{
	query_points_write_kinds("frontier_by", &frontier->by, out);
	out_count(out, "frontier_group_count", frontier->all_group_count);
	query_out_key(out, "frontier");
	if (!frontier->has_directions) {
		pl_buf_add_text(out, "null");
		return;
	}
	pl_buf_add_char(out, '[');
	for (size_t i = 0; i < frontier->group_count; i++) {
		query_out_next(out);
		pl_buf_addf(out, "{\"color\":%zu", frontier->groups[i].color);
		if (frontier->by.column != NULL)
			out_count(out, "by", frontier->groups[i].by);
		write_frontier_rows("marks", &frontier->trusted, i, marks, position_of, out);
		write_frontier_rows("with_untrusted", &frontier->all, i, marks, position_of, out);
		pl_buf_add_char(out, '}');
	}
	pl_buf_add_char(out, ']');
}

void query_points_write_ids(const struct points *points, const uint32_t *rows, size_t count,
			    struct pl_buf *out)
{
	begin_list("id", out);
	for (size_t i = 0; i < count; i++) {
		query_out_next(out);
		query_out_i64(out, mirror_view_id(points->view, points->rows[rows[i]]));
	}
	pl_buf_add_char(out, ']');
}

void query_points_write_about(struct points *points, const uint32_t *rows, size_t count,
			      struct pl_buf *out)
{
	write_values(points, "verdict", mirror_view_column(points->view, VERDICT_FIELD), rows,
		     count, out);
	write_values(points, "simulated", mirror_view_column(points->view, SIMULATED_FIELD), rows,
		     count, out);
	query_out_key(out, "labels");
	pl_buf_add_char(out, '{');
	for (size_t i = 0;
	     i < points->label_count && query_points_is_in_time(points, POINTS_LABELS); i++) {
		bool is_repeat = false;
		for (size_t k = 0; k < i; k++)
			is_repeat = is_repeat || points->labels[k] == points->labels[i];
		if (!is_repeat)
			write_values(points, points->labels[i]->field->id, points->labels[i], rows,
				     count, out);
	}
	pl_buf_add_char(out, '}');
}

void query_points_write_marks(struct points *points, struct pl_buf *out)
{
	auto_frontier frontier = { 0 };
	struct marks marks = { 0 };

	if (query_points_is_in_time(points, POINTS_FRONTIER))
		find_frontier(points, &frontier);
	size_t count = choose(points, &frontier, &marks), at = 0;
	auto_free uint32_t *rows = pl_alloc_array(count, sizeof(*rows));
	auto_free uint32_t *position_of = pl_alloc_array(points->row_count, sizeof(*position_of));
	auto_free uint32_t *weight = marks.weight;

	for (size_t row = 0; row < points->row_count; row++) {
		position_of[row] = (uint32_t)at;
		if (marks.weight[row] > 0)
			rows[at++] = (uint32_t)row;
	}
	query_out_key(out, "marks");
	pl_buf_add_char(out, '{');
	query_points_write_ids(points, rows, count, out);
	write_numbers(points, "x", points->x.at, rows, count, out);
	write_numbers(points, "y", points->y.at, rows, count, out);
	query_points_write_positions("color", points->colors.of, rows, count, out);
	query_points_write_positions("shape", points->shapes.of, rows, count, out);
	if (points->sizes.column != NULL)
		write_numbers(points, "size", points->sizes.numbers, rows, count, out);
	query_points_write_positions("count", weight, rows, count, out);
	query_points_write_about(points, rows, count, out);
	pl_buf_add_char(out, '}');
	write_frontier(&frontier, &marks, position_of, out);
	out_count(out, "frontier_more_count", marks.frontier_more);
}
