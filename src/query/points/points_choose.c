/*
 * Axes and a color that the user did not choose: those that the filtered rows have.
 */
#include "query/points/points_priv.h"

#include <stdlib.h>

#include "query/out_priv.h"

#define COLUMNS_MAX (BOUND_CHOICES_MAX * POINTS_ROLE_COUNT)
/* A choice earlier in the list wins if it has this share of the rows of the best one. */
#define SHARE_OF    4
#define SHARE_LEAST 3

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
		kinds[role] = query_points_axis_kind_of(choice->form, role, column);
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

void query_points_choose_axes(struct points *points)
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

void query_points_choose_color(struct points *points)
{
	for (size_t i = 0; i < points->color_choice_count && points->color == NULL; i++) {
		const struct mirror_column *column = points->colour_choices[i];
		if (column != points->x.column && tells_apart(points, column))
			points->color = column;
	}
}

void query_points_write_choices(const struct points *points, struct pl_buf *out)
{
	static const char *const keys[POINTS_ROLE_COUNT] = { "x", "y", "value" };

	query_out_key(out, "choices");
	pl_buf_add_char(out, '[');
	for (size_t i = 0; i < points->choice_count; i++) {
		const struct points_choice *choice = &points->choices[i];
		query_out_next(out);
		pl_buf_add_text(out, "{\"form\":");
		query_out_text(out, query_points_form_name(choice->form));
		for (enum points_role role = 0; role < POINTS_ROLE_COUNT; role++) {
			if (choice->columns[role] == NULL)
				continue;
			query_out_key(out, keys[role]);
			query_out_text(out, choice->columns[role]->field->id);
		}
		out_count(out, "count", choice->row_count);
		pl_buf_add_char(out, '}');
	}
	pl_buf_add_char(out, ']');
}
