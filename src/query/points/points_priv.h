/*
 * A question of query/points/points.h while it is answered: what the rows have, by their place in `rows`.
 */
#pragma once

#include "query/faults.h"
#include "query/filter.h"
#include "query/points/points.h"
#include "tbl/request_bounds.h"

#include <math.h>

#define POINTS_NO_KIND        UINT32_MAX
#define POINTS_COLOUR_NUMBERS 8 /* different ones that stand each for itself; more are ranges */

enum points_form {
	POINTS_POINTS,
	POINTS_GROUPS,
	POINTS_BINS,
	POINTS_NEAR,
	POINTS_GRID,
	POINTS_PARALLEL,
	POINTS_FORM_COUNT
};

/* What is made while there is time, in this order. */
enum points_part {
	POINTS_COLOUR,
	POINTS_SHAPE,
	POINTS_SIZE,
	POINTS_FRONTIER,
	POINTS_LABELS,
	POINTS_DIFFERENCES,
	POINTS_PART_COUNT
};

/* What one field has in the rows. */
struct points_cells {
	const struct mirror_column
		*column; /* NULL: it was not asked for, and nothing else is set */
	uint32_t *codes; /* of the first one of the same value */
	double *numbers; /* of a number itself, of a time milliseconds since 1970, else NaN */
};
void query_points_cells_done(struct points_cells *cells);

enum points_state { POINTS_VALUE, POINTS_RANGE, POINTS_NULL, POINTS_MISSING, POINTS_OTHER };

struct points_kind {
	enum points_state state;
	uint32_t code;             /* of a value that is no finite number */
	struct mirror_value value; /* of POINTS_VALUE */
	double low, high;          /* of POINTS_RANGE */
	size_t count;
	size_t rank; /* SIZE_MAX: none */
};

/* The values of a field as few things to tell apart, in order. */
struct points_kinds {
	const struct mirror_column *column; /* NULL: as of cells */
	struct points_kind *items;
	size_t count;
	uint32_t *of; /* by row */
};
void query_points_kinds_done(struct points_kinds *kinds);

/* Why a row is not drawn; those of an axis begin with the first one of it. */
enum points_reason {
	POINTS_SIMULATED,
	POINTS_X_MISSING,
	POINTS_X_NULL,
	POINTS_X_WORD,
	POINTS_X_INFINITE,
	POINTS_X_OTHER,
	POINTS_Y_MISSING,
	POINTS_Y_NULL,
	POINTS_Y_WORD,
	POINTS_Y_INFINITE,
	POINTS_Y_OTHER,
	POINTS_TOO_FEW,
	POINTS_UNMATCHED,
	POINTS_REASON_COUNT
};
#define POINTS_AXIS_REASONS (POINTS_Y_MISSING - POINTS_X_MISSING)

enum points_axis_kind { POINTS_NUMBERS, POINTS_TIMES, POINTS_KINDS };

enum points_role { POINTS_ROLE_X, POINTS_ROLE_Y, POINTS_ROLE_VALUE, POINTS_ROLE_COUNT };

/* Axes that the server may choose. */
struct points_choice {
	enum points_form form;
	const struct mirror_column *columns[POINTS_ROLE_COUNT];
	size_t row_count; /* rows that have a place on all of them */
	bool varies;      /* x and y have more than one value in those rows */
};

struct points_axis {
	const char *name; /* "x" */
	const struct mirror_column *column;
	enum points_axis_kind kind;
	bool asks_log, can_be_log, is_log; /* can_be_log: if its values need it */
	size_t not_positive;               /* rows for which it is not */
	double least, most;                /* of the rows that are drawn; least > most: none */
	struct points_cells cells;
	struct points_kinds kinds; /* of POINTS_KINDS */
	double *at;                /* by row; NaN: it has no place */
	size_t gaps
		[POINTS_AXIS_REASONS]; /* rows without one, of a chart that draws them all the same */
};

struct points {
	struct mirror_view *view;
	struct place place;
	struct mirror_ids ids;
	struct query_filter *filter;

	enum points_form form;
	struct points_axis x, y;
	struct points_axis value; /* of POINTS_GRID */
	struct points_axis axes[BOUND_AXES_MAX];
	size_t axis_count;
	const struct mirror_column *colour, *shape, *size;
	struct points_choice choices[BOUND_CHOICES_MAX];
	size_t choice_count;
	const struct mirror_column *colour_choices[BOUND_COLOURS_MAX];
	size_t colour_choice_count;
	const struct mirror_column *labels[BOUND_LABELS_MAX];
	size_t label_count;
	int64_t selected[BOUND_SELECTED_MAX];
	size_t selected_count;
	int64_t near;
	bool with_simulated;
	bool asks_match;
	bool count_only; /* no marks, figures, colours or cautions */
	json_t *matched; /* NULL: no cells were matched */
	size_t limit;
	int digits;           /* significant ones of positions and sizes that are not whole */
	json_int_t budget_ms; /* 0: none */
	int64_t began_ns;
	bool not_ready[POINTS_PART_COUNT];
	struct pl_err ended; /* INTERRUPTED: there is no answer */

	size_t count; /* rows of the filter */
	size_t simulated;
	size_t left_out[POINTS_REASON_COUNT];
	size_t *rows; /* places in the view; those that are drawn */
	size_t row_count;
	struct points_kinds colours, shapes;
	struct points_cells sizes;
};

/* False: the time is over, and the part is named as one that is not ready; or questions have ended. */
bool query_points_is_in_time(struct points *points, enum points_part part);

/* ---- points_kinds.c: what the rows have ---- */

void query_points_cells_read(const struct points *points, const struct mirror_column *column,
			     struct points_cells *ret);
/* Of the rows as they are by now. Numbers are ranges where more than `numbers_max` are different. */
void query_points_kinds_make(const struct points *points, const struct mirror_column *column,
			     size_t numbers_max, struct points_kinds *ret);
void query_points_kinds_of_cells(const struct points *points, const struct points_cells *cells,
				 size_t numbers_max, struct points_kinds *ret);

/* ---- points_read.c ---- */

/* The rows that the filter means and that are to be drawn, with the axes of the form. -1: INTERRUPTED. */
int query_points_rows_read(struct points *points, struct pl_err *err) PL_MUST_CHECK;

enum points_axis_kind query_points_axis_kind_of(enum points_form form, enum points_role role,
						const struct mirror_column *column);

/* ---- points_choose.c ---- */

/* Sets form, x, y and value to the choice that suits the rows; if only counts are asked for, counts all choices. */
void query_points_choose_axes(struct points *points);
/* Sets the colour to the first choice that tells rows apart; it stays NULL if none does. */
void query_points_choose_colour(struct points *points);
/* {form, x, y, value, count} of each choice, with its key. */
void query_points_write_choices(const struct points *points, struct pl_buf *out);
const char *query_points_form_name(enum points_form form);

/* ---- query_points_match.c ---- */

/* Rows go of which not every kind of the column has the like. -1: INTERRUPTED. */
int query_points_match(struct points *points, const struct mirror_column *column,
		       struct pl_err *err) PL_MUST_CHECK;
/* What is not alike in the rows that are drawn. New reference. */
json_t *query_points_cautions(const struct points *points);

/* ---- points_frontier.c ---- */

/* Rows of the frontiers of all groups, one group after the other. */
struct points_frontier_rows {
	uint32_t *rows;
	uint32_t *ends; /* by group */
	size_t count;
};

struct points_frontier_group {
	size_t colour, by; /* kinds */
	size_t row_count;
};

struct points_frontier {
	bool has_directions;    /* false: a field has no direction, and all else is empty */
	struct points_kinds by; /* the models; column NULL: groups are the kinds of colour alone */
	struct points_frontier_group *groups;
	size_t group_count;
	size_t all_group_count; /* before the smallest groups were dropped */
	struct points_frontier_rows trusted;
	struct points_frontier_rows all; /* as if every result was trusted */
};

void query_points_frontier_find(const struct points *points, struct points_frontier *ret);
void query_points_frontier_done(struct points_frontier *frontier);
#define auto_points_frontier \
	__attribute__((cleanup(query_points_frontier_done), unused)) struct points_frontier

/* ---- points_marks.c ---- */

/* Which of so many cells along the axis as drawn. */
size_t query_points_cell_along(const struct points_axis *axis, double at, size_t cells);
bool query_points_is_selected(const struct points *points, int64_t id);
void query_points_write_ids(const struct points *points, const uint32_t *rows, size_t count,
			    struct pl_buf *out);
/* NULL: null. */
void query_points_write_places(const char *key, const uint32_t *places, const uint32_t *rows,
			       size_t count, struct pl_buf *out);
/* verdict, simulated, labels */
void query_points_write_about(struct points *points, const uint32_t *rows, size_t count,
			      struct pl_buf *out);

/* ---- the forms: their own members of the answer ---- */

void query_points_write_marks(struct points *points, struct pl_buf *out);
void query_points_write_groups(struct points *points, struct pl_buf *out);
void query_points_write_bins(struct points *points, struct pl_buf *out);
void query_points_write_near(struct points *points, struct pl_buf *out);
void query_points_write_grid(struct points *points, struct pl_buf *out);
void query_points_write_parallel(struct points *points, struct pl_buf *out);
/* An object; counts that are 0 are left out. */
void query_points_write_reasons(const char *const *names, const size_t *counts, size_t count,
				struct pl_buf *out);
/* Writes null if the kinds have no column. */
void query_points_write_kinds(const char *key, const struct points_kinds *kinds,
			      struct pl_buf *out);
/* Without its name. */
void query_points_write_axis(const struct points_axis *axis, struct pl_buf *out);

/* The kind of colour of a row; 0 for every row of a chart without colours. */
static inline size_t points_colour_of(const struct points *points, size_t row)
{
	return points->colours.column != NULL ? points->colours.of[row] : 0;
}

static inline size_t points_colour_count(const struct points *points)
{
	return points->colours.column != NULL ? points->colours.count : 1;
}

/* Is it drawn thinned? */
static inline bool points_are_thinned(const struct points *points)
{
	return (points->form == POINTS_POINTS || points->form == POINTS_PARALLEL) &&
	       points->row_count > points->limit;
}
