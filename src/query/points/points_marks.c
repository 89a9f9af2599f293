/* Marks: every row, or with too many rows the required ones and one for each cell of the plane. */
#include "query/points/points_priv.h"

#include <stdlib.h>
#include <string.h>

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

static void keep_rows(const struct points *points, const struct points_frontier_rows *list,
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
static void keep_frontier(const struct points *points, const struct points_frontier *frontier,
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

static size_t choose(const struct points *points, const struct points_frontier *frontier,
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

static void write_frontier_rows(const char *key, const struct points_frontier_rows *list,
				size_t group, const struct marks *marks,
				const uint32_t *position_of, struct pl_buf *out)
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

static void write_frontier(const struct points_frontier *frontier, const struct marks *marks,
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

static void write_labels(struct points *points, const uint32_t *rows, size_t count,
			 struct pl_buf *out)
{
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
	write_labels(points, rows, count, out);
}

void query_points_write_marks(struct points *points, struct pl_buf *out)
{
	auto_points_frontier frontier = { 0 };
	struct marks marks = { 0 };

	if (query_points_is_in_time(points, POINTS_FRONTIER))
		query_points_frontier_find(points, &frontier);
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
