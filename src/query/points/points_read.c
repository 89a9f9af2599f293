/*
 * Copies rows out of their segments once; everything else uses their index. Rows that cannot be drawn are removed,
 * reason by reason, before kinds are made, because kinds only describe drawn rows. Axes and a color that the user did
 * not choose are those that the filtered rows have.
 */
#include "query/points/points_priv.h"

#include <stdlib.h>
#include <string.h>

#include "query/facets/tally_priv.h"

#define SIMULATED_FIELD "environment.engine.simulated"
#define AXIS_NUMBERS    60 /* maximum of distinct numbers shown individually if numbers are kinds */
#define COLUMNS_MAX     (BOUND_CHOICES_MAX * POINTS_ROLE_COUNT)
/* A choice earlier in the list wins if it has this share of the rows of the best one. */
#define SHARE_OF    4
#define SHARE_LEAST 3

/* ---- axes ------------------------------------------------------------------------------------------ */

static enum points_axis_kind axis_kind_of(enum points_form form, enum points_role role,
					  const struct mirror_column *column)
{
	unsigned words = 1u << MIRROR_NO | 1u << MIRROR_YES | 1u << MIRROR_TEXT | 1u << MIRROR_JSON;
	enum res_field_type type = column->field->type;

	if (form == POINTS_GROUPS && role == POINTS_ROLE_X)
		return POINTS_KINDS;
	if (form == POINTS_GRID && role != POINTS_ROLE_VALUE)
		return POINTS_KINDS;
	if (type == RES_FIELD_NUMBER || type == RES_FIELD_COUNT)
		return POINTS_NUMBERS;
	if (type == RES_FIELD_TIME)
		return POINTS_TIMES;
	/* for an unlisted field: by its values */
	return mirror_column_has(column, MIRROR_NUMBER) && !(column->classes & words)
		       ? POINTS_NUMBERS
		       : POINTS_KINDS;
}

static enum points_axis_kind kind_of(const struct points *points, const struct points_axis *axis)
{
	enum points_role role = axis == &points->x       ? POINTS_ROLE_X
				: axis == &points->value ? POINTS_ROLE_VALUE
							 : POINTS_ROLE_Y;

	return axis_kind_of(points->form, role, axis->column);
}

/* Returns the position of a number or a time; else the reason, relative to POINTS_X_MISSING. */
static double position_of_number(const struct points_axis *axis, size_t row, unsigned *ret_reason)
{
	const struct mirror_value *value = mirror_column_value(axis->column,
							       axis->cells.codes[row]);
	double number = axis->cells.numbers[row];
	bool fits = axis->kind == POINTS_TIMES ? value->is_time : value->class == MIRROR_NUMBER;

	*ret_reason = value->class == MIRROR_MISSING ? POINTS_X_MISSING
		      : value->class == MIRROR_NULL  ? POINTS_X_NULL
		      : !fits                        ? POINTS_X_WORD
						     : POINTS_X_INFINITE;
	return fits && isfinite(number) ? number : NAN;
}

/* Unset is a kind like any value. Values that are not recorded, or did not fit, have no position. */
static double position_of_kind(const struct points_axis *axis, size_t row, unsigned *ret_reason)
{
	uint32_t kind = axis->kinds.of[row];
	enum points_state state = axis->kinds.items[kind].state;

	*ret_reason = state == POINTS_MISSING ? POINTS_X_MISSING : POINTS_X_OTHER;
	return state == POINTS_MISSING || state == POINTS_OTHER ? NAN : kind;
}

/* Keeps the rows with a position. */
static void drop_without(struct points *points, struct points_axis *axis, const unsigned *reasons)
{
	size_t retained = 0, first = axis == &points->x ? 0 : POINTS_Y_MISSING - POINTS_X_MISSING;

	for (size_t i = 0; i < points->row_count; i++) {
		if (isnan(axis->at[i])) {
			points->left_out[first + reasons[i]]++;
			continue;
		}
		points->rows[retained++] = points->rows[i];
	}
	points->row_count = retained;
}

static void position_all(struct points *points, struct points_axis *axis, unsigned *ret_reasons)
{
	query_points_cells_done(&axis->cells);
	query_points_kinds_done(&axis->kinds);
	free(axis->at);
	axis->at = NULL;
	query_points_cells_read(points, axis->column, &axis->cells);
	axis->at = pl_alloc_array(points->row_count, sizeof(*axis->at));
	if (axis->kind == POINTS_KINDS)
		query_points_kinds_of_cells(points, &axis->cells, AXIS_NUMBERS, &axis->kinds);
	for (size_t i = 0; i < points->row_count; i++)
		axis->at[i] = axis->kind == POINTS_KINDS
				      ? position_of_kind(axis, i, &ret_reasons[i])
				      : position_of_number(axis, i, &ret_reasons[i]);
}

#define WIDE_TIMES 100 /* an axis with at least this ratio is log by default */

/* Keeps rows without a position. */
static void position_axis(struct points *points, struct points_axis *axis)
{
	auto_free unsigned *reasons = pl_alloc_array(points->row_count, sizeof(*reasons));

	axis->kind = kind_of(points, axis);
	position_all(points, axis, reasons);
	/* An axis is log only if all its values are positive. */
	axis->least = INFINITY;
	axis->most = -INFINITY;
	axis->not_positive = 0;
	for (size_t i = 0; i < points->row_count; i++) {
		if (isnan(axis->at[i]))
			continue;
		axis->least = fmin(axis->least, axis->at[i]);
		axis->most = fmax(axis->most, axis->at[i]);
		axis->not_positive += axis->at[i] <= 0;
	}
	bool is_wide = axis->can_be_log && axis->least > 0 && isfinite(axis->most) &&
		       axis->most >= axis->least * WIDE_TIMES;
	axis->is_log = (axis->asks_log || is_wide) && axis->kind == POINTS_NUMBERS &&
		       axis->not_positive == 0;
	if (!axis->asks_log || axis->kind != POINTS_NUMBERS)
		axis->not_positive = 0;
	memset(axis->gaps, 0, sizeof(axis->gaps));
	for (size_t i = 0; i < points->row_count; i++) {
		if (isnan(axis->at[i]))
			axis->gaps[reasons[i] - POINTS_X_MISSING]++;
	}
}

/* Removes rows without a position on one axis, then on the other. */
static void drop_without_position(struct points *points)
{
	struct points_axis *axes[] = { &points->x, &points->y };
	bool with_y = points->form != POINTS_GROUPS && points->form != POINTS_BINS;

	for (size_t i = 0; i < PL_ARRAY_SIZE(axes); i++) {
		auto_free unsigned *reasons = pl_alloc_array(points->row_count, sizeof(*reasons));
		if (axes[i]->column == NULL || (i == 1 && !with_y))
			continue;
		axes[i]->kind = kind_of(points, axes[i]);
		position_all(points, axes[i], reasons);
		drop_without(points, axes[i], reasons);
	}
}

/* A line needs two positions: removes rows with fewer. */
static void drop_without_two(struct points *points)
{
	auto_free unsigned char *positions = pl_alloc(points->row_count);
	size_t retained = 0;

	for (size_t i = 0; i < points->axis_count; i++) {
		position_axis(points, &points->axes[i]);
		for (size_t row = 0; row < points->row_count; row++)
			positions[row] += !isnan(points->axes[i].at[row]);
	}
	for (size_t row = 0; row < points->row_count; row++) {
		if (positions[row] >= BOUND_AXES_MIN)
			points->rows[retained++] = points->rows[row];
	}
	points->left_out[POINTS_TOO_FEW] = points->row_count - retained;
	points->row_count = retained;
}

/* ---- choices of axes and of a color ---------------------------------------------------------------- */

/* The columns of the choices in the rows, each read once. */
struct cache {
	const struct points *points;
	struct points_cells items[COLUMNS_MAX];
	size_t count;
};

static void cache_done(struct cache *cache)
{
	for (size_t i = 0; i < cache->count; i++)
		query_points_cells_done(&cache->items[i]);
}
#define auto_cache __attribute__((cleanup(cache_done), unused)) struct cache

static const struct points_cells *cells_of(struct cache *cache, const struct mirror_column *column)
{
	for (size_t i = 0; i < cache->count; i++) {
		if (cache->items[i].column == column)
			return &cache->items[i];
	}
	query_points_cells_read(cache->points, column, &cache->items[cache->count]);
	return &cache->items[cache->count++];
}

static bool can_position(const struct points_cells *cells, enum points_axis_kind kind, size_t row)
{
	const struct mirror_value *value = mirror_column_value(cells->column, cells->codes[row]);

	if (kind == POINTS_KINDS)
		return value->class != MIRROR_MISSING;
	if (kind == POINTS_TIMES)
		return value->is_time;
	return value->class == MIRROR_NUMBER && isfinite(cells->numbers[row]);
}

static bool differs(const struct points_cells *cells, size_t row, size_t other)
{
	double one = cells->numbers[row], two = cells->numbers[other];

	return cells->codes[row] != cells->codes[other] || one < two || one > two;
}

/*
 * Counts the rows that have a position on every axis, and determines whether x and y have more than one value in them.
 */
static void count_rows(struct cache *cache, struct points_choice *choice)
{
	const struct points_cells *cells[POINTS_ROLE_COUNT] = { NULL };
	enum points_axis_kind kinds[POINTS_ROLE_COUNT] = { POINTS_NUMBERS };
	bool varies[POINTS_ROLE_COUNT] = { false };
	size_t first = SIZE_MAX;

	for (enum points_role role = 0; role < POINTS_ROLE_COUNT; role++) {
		const struct mirror_column *column = choice->columns[role];
		varies[role] = column == NULL || role == POINTS_ROLE_VALUE;
		if (column == NULL)
			continue;
		cells[role] = cells_of(cache, column);
		kinds[role] = axis_kind_of(choice->form, role, column);
	}
	choice->row_count = 0;
	for (size_t row = 0; row < cache->points->row_count; row++) {
		bool has_position = true;
		for (enum points_role role = 0; role < POINTS_ROLE_COUNT && has_position; role++)
			has_position = cells[role] == NULL ||
				       can_position(cells[role], kinds[role], row);
		if (!has_position)
			continue;
		first = first < row ? first : row;
		choice->row_count++;
		for (enum points_role role = 0; role < POINTS_ROLE_COUNT; role++)
			varies[role] = varies[role] || differs(cells[role], row, first);
	}
	choice->varies = varies[POINTS_ROLE_X] && varies[POINTS_ROLE_Y];
}

static bool has_share(const struct points_choice *choice, size_t of)
{
	return choice->row_count > 0 && choice->row_count * SHARE_OF >= of * SHARE_LEAST;
}

static size_t most_rows(const struct points *points, bool varying)
{
	size_t most = 0;

	for (size_t i = 0; i < points->choice_count; i++) {
		const struct points_choice *choice = &points->choices[i];
		if (choice->row_count > most && (choice->varies || !varying))
			most = choice->row_count;
	}
	return most;
}

/* Returns the first choice with enough rows, preferably with axes that have several values; else the first of all. */
static const struct points_choice *best_of(const struct points *points)
{
	size_t most_varying = most_rows(points, true), most = most_rows(points, false);

	for (size_t i = 0; i < points->choice_count; i++) {
		if (points->choices[i].varies && has_share(&points->choices[i], most_varying))
			return &points->choices[i];
	}
	for (size_t i = 0; i < points->choice_count; i++) {
		if (has_share(&points->choices[i], most))
			return &points->choices[i];
	}
	return &points->choices[0];
}

static void choose_axes(struct points *points)
{
	auto_cache cache = { .points = points };
	const struct points_choice *chosen = NULL;

	for (size_t i = 0; i < points->choice_count && chosen == NULL; i++) {
		struct points_choice *choice = &points->choices[i];
		count_rows(&cache, choice);
		/* no other choice can win against it */
		if (i == 0 && !points->count_only && choice->varies &&
		    has_share(choice, points->row_count))
			chosen = choice;
	}
	if (points->count_only)
		return;
	if (chosen == NULL)
		chosen = best_of(points);
	points->form = chosen->form;
	points->x.column = chosen->columns[POINTS_ROLE_X];
	points->y.column = chosen->columns[POINTS_ROLE_Y];
	points->value.column = chosen->columns[POINTS_ROLE_VALUE];
}

/* Returns whether the rows have at least two values, not counting unset and not recorded. */
static bool tells_apart(const struct points *points, const struct mirror_column *column)
{
	struct points_cells cells = { 0 };
	size_t first = SIZE_MAX;
	bool result = false;

	query_points_cells_read(points, column, &cells);
	for (size_t row = 0; row < points->row_count && !result; row++) {
		enum mirror_class class = mirror_column_value(column, cells.codes[row])->class;
		if (class == MIRROR_MISSING || class == MIRROR_NULL)
			continue;
		first = first < row ? first : row;
		result = differs(&cells, row, first);
	}
	query_points_cells_done(&cells);
	return result;
}

static void choose_color(struct points *points)
{
	for (size_t i = 0; i < points->color_choice_count && points->color == NULL; i++) {
		const struct mirror_column *column = points->colour_choices[i];
		if (column != points->x.column && tells_apart(points, column))
			points->color = column;
	}
}

/* ---- rows ------------------------------------------------------------------------------------------ */

static bool is_simulated(const struct mirror_column *column, size_t row)
{
	struct mirror_value value;

	if (column == NULL)
		return false;
	value = mirror_column_at(column, row);
	return value.class == MIRROR_YES;
}

static void take_rows(struct points *points)
{
	const uint64_t *rows = query_filter_rows(points->filter);
	size_t words = mirror_view_words(points->view);

	points->count = mirror_kernels()->count(rows, words);
	points->rows = pl_alloc_array(points->count, sizeof(*points->rows));
	for (size_t word = 0; word < words; word++) {
		for (uint64_t bits = rows[word]; bits != 0; bits &= bits - 1)
			points->rows[points->row_count++] = word * MIRROR_WORD_ROWS +
							    (size_t)__builtin_ctzll(bits);
	}
}

/* Removes simulated rows if there are others and they were not requested. */
static void drop_simulated(struct points *points)
{
	const struct mirror_column *column = mirror_view_column(points->view, SIMULATED_FIELD);
	size_t retained = 0;

	for (size_t i = 0; i < points->row_count; i++)
		points->simulated += is_simulated(column, points->rows[i]);
	if (points->with_simulated || points->simulated == points->row_count)
		return;
	for (size_t i = 0; i < points->row_count; i++) {
		if (!is_simulated(column, points->rows[i]))
			points->rows[retained++] = points->rows[i];
	}
	points->left_out[POINTS_SIMULATED] = points->row_count - retained;
	points->row_count = retained;
}

/* Returns the field whose kinds are the groups for matching; NULL: none. */
static const struct mirror_column *groups_column(const struct points *points)
{
	return points->color == NULL && points->form == POINTS_GROUPS ? points->x.column
								      : points->color;
}

static bool has_axes(const struct points *points)
{
	return points->x.column != NULL || points->y.column != NULL || points->axis_count > 0;
}

/* Removes rows without a position, then those without a match. */
static int drop_rows(struct points *points, struct pl_err *err)
{
	const struct mirror_column *groups;

	if (points->form == POINTS_PARALLEL)
		drop_without_two(points);
	else
		drop_without_position(points);
	if (points->color == NULL)
		choose_color(points);
	groups = groups_column(points);
	if (mirror_view_goes_on(points->view, err) < 0 ||
	    (points->asks_match && groups != NULL && query_points_match(points, groups, err) < 0))
		return -1;
	return 0;
}

int query_points_rows_read(struct points *points, struct pl_err *err)
{
	take_rows(points);
	if (mirror_view_goes_on(points->view, err) < 0)
		return -1;
	drop_simulated(points);
	if (points->choice_count > 0 && (!has_axes(points) || points->count_only))
		choose_axes(points);
	if (has_axes(points) && drop_rows(points, err) < 0)
		return -1;
	if (points->count_only)
		return mirror_view_settle(points->view, err);
	/* For the current rows. */
	struct points_axis *axes[] = { &points->x, &points->y, &points->value };
	for (size_t i = 0; i < PL_ARRAY_SIZE(axes); i++) {
		if (axes[i]->column != NULL)
			position_axis(points, axes[i]);
	}
	for (size_t i = 0; i < points->axis_count; i++)
		position_axis(points, &points->axes[i]);
	if (mirror_view_settle(points->view, err) < 0)
		return -1;
	if (points->color != NULL && query_points_is_in_time(points, POINTS_COLOR))
		query_points_kinds_make(points, points->color, POINTS_COLOR_NUMBERS,
					&points->colors);
	if (points->shape != NULL && query_points_is_in_time(points, POINTS_SHAPE))
		query_points_kinds_make(points, points->shape, POINTS_COLOR_NUMBERS,
					&points->shapes);
	if (points->size != NULL && query_points_is_in_time(points, POINTS_SIZE))
		query_points_cells_read(points, points->size, &points->sizes);
	return mirror_view_goes_on(points->view, err);
}
