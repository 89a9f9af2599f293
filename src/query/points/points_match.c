/*
 * Matched cells of a chart. Its groups are the kinds of its color, or of the axis for bars without a color. Only drawn
 * rows can be counterparts, so matching comes after all other exclusions.
 */
#include "query/points/points_priv.h"

#include <stdlib.h>

#include "base/text.h"
#include "query/groups/compared_priv.h"
#include "query/groups/matching_priv.h"

#define VALUES_LISTED 20 /* per field; a response has no more */

/* Returns the group by kind, `*ret_count` for kinds without a known value; free(). */
static uint32_t *number_groups(const struct points_kinds *kinds, size_t *ret_count)
{
	uint32_t *groups = pl_alloc_array(kinds->count, sizeof(*groups)), count = 0;
	bool is_whole = true;

	for (size_t i = 0; i < kinds->count; i++) {
		groups[i] = kinds->items[i].state == POINTS_MISSING ? UINT32_MAX : count++;
		is_whole = is_whole && kinds->items[i].state != POINTS_OTHER;
	}
	*ret_count = is_whole ? count : 0;
	return groups;
}

static void keep(struct points *points, const uint64_t *rows)
{
	size_t retained = 0;

	for (size_t i = 0; i < points->row_count; i++) {
		size_t row = points->rows[i];
		if (rows[row / MIRROR_WORD_ROWS] >> row % MIRROR_WORD_ROWS & 1)
			points->rows[retained++] = row;
	}
	points->left_out[POINTS_UNMATCHED] = points->row_count - retained;
	points->row_count = retained;
}

int query_points_match(struct points *points, const struct mirror_column *column,
		       struct pl_err *err)
{
	auto_free uint64_t *rows = pl_alloc_array(mirror_view_words(points->view), sizeof(*rows));
	auto_free uint32_t *group_of = pl_alloc_array(points->row_count, sizeof(*group_of));
	struct points_kinds kinds = { 0 };
	struct matching matching;
	size_t count;

	query_points_kinds_make(points, column, POINTS_COLOR_NUMBERS, &kinds);
	auto_free uint32_t *groups = number_groups(&kinds, &count);
	for (size_t i = 0; i < points->row_count; i++) {
		size_t row = points->rows[i];
		rows[row / MIRROR_WORD_ROWS] |= UINT64_C(1) << row % MIRROR_WORD_ROWS;
		group_of[i] = groups[kinds.of[i]];
	}
	query_points_kinds_done(&kinds);
	int result = query_matching_keep_groups(points->view, rows, group_of, count, &matching,
						err);
	points->matched = query_matching_json(&matching);
	if (result == 0)
		keep(points, rows);
	return result;
}

/* ---- differences ------------------------------------------------------------------------------------- */

struct alike {
	const struct points *points;
	struct facet_rows *rows;
	struct tally tally;
};

static bool is_of(const struct mirror_column *column, const char *id)
{
	return column != NULL && pl_text_equal(column->field->id, id);
}

static bool is_in_list(const json_t *ids, const char *id)
{
	PL_JSON_EACH(one, ids) {
		if (pl_text_equal(json_string_value(one), id))
			return true;
	}
	return false;
}

static bool is_shown(void *context, const char *id)
{
	const struct points *points = ((struct alike *)context)->points;

	for (size_t i = 0; i < points->axis_count; i++) {
		if (is_of(points->axes[i].column, id))
			return true;
	}
	return is_of(points->x.column, id) || is_of(points->y.column, id) ||
	       is_of(points->value.column, id) || is_of(points->colors.column, id) ||
	       is_of(points->shapes.column, id) ||
	       is_in_list(json_object_get(points->matched, "inputs"), id) ||
	       is_in_list(json_object_get(points->matched, "unmatched_inputs"), id);
}

static void values_of(void *context, size_t side, const struct res_field *field,
		      struct res_compare_values *ret)
{
	struct alike *alike = context;
	const struct mirror_column *column = mirror_view_column(alike->points->view, field->id);

	(void)side;
	if (column != NULL)
		query_compared_values(&alike->tally, column, alike->rows, VALUES_LISTED, ret);
}

/*
 * Returns the numbers that groups and cells summarize, by row; a row with NaN is in none of them. NULL: every row is
 * drawn.
 */
static const double *summarized(const struct points *points)
{
	if (points->form == POINTS_GROUPS)
		return points->y.at;
	return points->form == POINTS_GRID ? points->value.at : NULL;
}

json_t *query_points_cautions(const struct points *points)
{
	const double *numbers = summarized(points);
	auto_free uint64_t *rows = pl_alloc_array(mirror_view_words(points->view), sizeof(*rows));

	for (size_t i = 0; i < points->row_count; i++) {
		if (numbers == NULL || !isnan(numbers[i]))
			rows[points->rows[i] / MIRROR_WORD_ROWS] |= UINT64_C(1)
								    << points->rows[i] %
									       MIRROR_WORD_ROWS;
	}
	auto_facet_rows struct facet_rows *counted = query_facet_rows_new(points->view, rows);
	struct alike alike = { .points = points, .rows = counted };
	json_t *cautions = res_compare_cautions(
		&(struct res_compare_source){ .context = &alike,
					      .fields = mirror_view_fields(points->view),
					      .side_count = 1,
					      .values = values_of,
					      .is_shown = is_shown });
	query_tally_done(&alike.tally);
	return cautions;
}
