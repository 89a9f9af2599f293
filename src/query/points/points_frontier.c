/*
 * The frontiers of a chart's points: per group, the rows that no other row of the group dominates.
 *
 * A group is one kind of color. If the rows are of several models, and the color is not the model, it is one kind of
 * color and one model, because moving to another model is not a trade-off that a user can choose.
 */
#include "query/points/points_priv.h"

#include <stdlib.h>

#include "base/text.h"

#define GROUPS_MAX      8 /* as many as the web UI has colors */
#define MODEL_FIELD     "server.model"
#define VERDICT_FIELD   "quality.verdict"
#define SIMULATED_FIELD "environment.engine.simulated"
#define TRUSTED         "trusted"

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

void query_points_frontier_done(struct points_frontier *frontier)
{
	query_points_kinds_done(&frontier->by);
	free(frontier->groups);
	free(frontier->trusted.rows);
	free(frontier->trusted.ends);
	free(frontier->all.rows);
	free(frontier->all.ends);
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
	const struct points_frontier_group *one = a, *other = b;

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
static void make_groups(struct search *search, struct points_frontier *frontier)
{
	const struct points *points = search->points;
	size_t bys = frontier->by.column != NULL ? frontier->by.count : 1;
	size_t pairs = points_color_count(points) * bys, real = 0;
	auto_free bool *is_simulated = find_rows(points, SIMULATED_FIELD, is_yes);
	auto_free size_t *position_of = pl_alloc_array(pairs, sizeof(*position_of));

	frontier->groups = pl_alloc_array(pairs, sizeof(*frontier->groups));
	for (size_t i = 0; i < pairs; i++)
		frontier->groups[i] = (struct points_frontier_group){ i / bys, i % bys, 0 };
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
		const struct points_frontier_group *group = &frontier->groups[i];
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
static void find_rows_of(const struct search *search, bool trusted_only,
			 struct points_frontier_rows *ret)
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

void query_points_frontier_find(const struct points *points, struct points_frontier *ret)
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
	make_groups(&search, ret);
	find_rows_of(&search, true, &ret->trusted);
	find_rows_of(&search, false, &ret->all);
}
