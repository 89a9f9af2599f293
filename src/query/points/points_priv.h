/* The state of a query of query/points/points.h. Arrays by row use the index into `rows`. */
#pragma once

#include "query/filter.h"
#include "query/pointer.h"
#include "query/points/points.h"
#include "tbl/request_bounds.h"

#include <math.h>

#define POINTS_NO_KIND UINT32_MAX
#define POINTS_COLOR_NUMBERS \
	8 /* maximum of distinct numbers shown individually; more become ranges */

enum points_form {
	POINTS_POINTS,
	POINTS_GROUPS,
	POINTS_BINS,
	POINTS_NEIGHBORS,
	POINTS_GRID,
	POINTS_PARALLEL,
	POINTS_FORM_COUNT
};

/* The optional parts, computed in this order while time remains. */
enum points_part {
	POINTS_COLOR,
	POINTS_SHAPE,
	POINTS_SIZE,
	POINTS_FRONTIER,
	POINTS_LABELS,
	POINTS_DIFFERENCES,
	POINTS_PART_COUNT
};

/* The values of one field in the rows. */
struct points_cells {
	const struct mirror_column *column; /* NULL: not requested, and nothing else is set */
	uint32_t *codes;                    /* code of the first entry with the same value */
	double *numbers; /* the number, or the milliseconds of a time since 1970, else NaN */
};
void query_points_cells_done(struct points_cells *cells);

enum points_state { POINTS_VALUE, POINTS_RANGE, POINTS_NULL, POINTS_MISSING, POINTS_OTHER };

struct points_kind {
	enum points_state state;
	uint32_t code;             /* of a value that is not a finite number */
	struct mirror_value value; /* of POINTS_VALUE */
	double low, high;          /* of POINTS_RANGE */
	size_t count;
	size_t rank; /* SIZE_MAX: none */
};

/* The values of a field as a few distinguishable kinds, in order. */
struct points_kinds {
	const struct mirror_column *column; /* NULL: as in cells */
	struct points_kind *items;
	size_t count;
	uint32_t *of; /* by row */
};
void query_points_kinds_done(struct points_kinds *kinds);

/* Why a row is not drawn. The reasons of an axis start with its `missing`. */
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

/* Axes from which the server may choose. */
struct points_choice {
	enum points_form form;
	const struct mirror_column *columns[POINTS_ROLE_COUNT];
	size_t row_count; /* rows with a position on all of them */
	bool varies;      /* x and y have more than one value in those rows */
};

struct points_axis {
	const char *name; /* "x" */
	const struct mirror_column *column;
	enum points_axis_kind kind;
	bool asks_log, can_be_log, is_log; /* can_be_log: if its values require it */
	size_t not_positive;               /* rows whose value is not positive */
	double least, most;                /* of the drawn rows; least > most: none */
	struct points_cells cells;
	struct points_kinds kinds; /* of POINTS_KINDS */
	double *at;                /* by row; NaN: no position */
	size_t gaps
		[POINTS_AXIS_REASONS]; /* rows without a position, in a chart that draws them anyway */
};

struct points {
	struct mirror_view *view;
	struct query_pointer pointer;
	struct mirror_ids ids;
	struct query_filter *filter;

	enum points_form form;
	struct points_axis x, y;
	struct points_axis value; /* of POINTS_GRID */
	struct points_axis axes[BOUND_AXES_MAX];
	size_t axis_count;
	const struct mirror_column *color, *shape, *size;
	struct points_choice choices[BOUND_CHOICES_MAX];
	size_t choice_count;
	const struct mirror_column *colour_choices[BOUND_COLOURS_MAX];
	size_t color_choice_count;
	const struct mirror_column *labels[BOUND_LABELS_MAX];
	size_t label_count;
	int64_t selected[BOUND_SELECTED_MAX];
	size_t selected_count;
	int64_t subject;
	bool with_simulated;
	bool asks_match;
	bool count_only; /* no marks, statistics, colors or cautions */
	json_t *matched; /* NULL: no cells were matched */
	size_t limit;
	int digits;           /* significant digits of positions and sizes that are not whole */
	json_int_t budget_ms; /* 0: none */
	int64_t began_ns;
	bool not_ready[POINTS_PART_COUNT];
	struct pl_err ended; /* INTERRUPTED: there is no response */

	size_t count; /* rows that match the filter */
	size_t simulated;
	size_t left_out[POINTS_REASON_COUNT];
	size_t *rows; /* places of the drawn rows in the view */
	size_t row_count;
	struct points_kinds colors, shapes;
	struct points_cells sizes;
};

/* Returns false if the time is used up, and marks the part as not ready, or if queries were ended. */
bool query_points_is_in_time(struct points *points, enum points_part part);

/* ---- points_kinds.c: values of the rows ---- */

void query_points_cells_read(const struct points *points, const struct mirror_column *column,
			     struct points_cells *ret);
/* For the current rows. More than `numbers_max` distinct numbers become ranges. */
void query_points_kinds_make(const struct points *points, const struct mirror_column *column,
			     size_t numbers_max, struct points_kinds *ret);
void query_points_kinds_of_cells(const struct points *points, const struct points_cells *cells,
				 size_t numbers_max, struct points_kinds *ret);

/* ---- points_read.c ---- */

/* Reads the rows of the filter that are drawn, and the axes of the form. -1: INTERRUPTED. */
int query_points_rows_read(struct points *points, struct pl_err *err) PL_MUST_CHECK;

/* ---- points_write.c ---- */

/* {form, x, y, value, count} of each choice, with its key. */
void query_points_write_choices(const struct points *points, struct pl_buf *out);
const char *query_points_form_name(enum points_form form);

/* ---- points_match.c ---- */

/* Removes rows without a counterpart in every kind of the column. -1: INTERRUPTED. */
int query_points_match(struct points *points, const struct mirror_column *column,
		       struct pl_err *err) PL_MUST_CHECK;
/* Returns the differences between the drawn rows that should match. New reference. */
json_t *query_points_cautions(const struct points *points);

/* ---- points_marks.c ---- */

/* Returns which of the cells along the drawn axis contains a position. */
size_t query_points_cell_along(const struct points_axis *axis, double at, size_t cells);
bool query_points_is_selected(const struct points *points, int64_t id);
void query_points_write_ids(const struct points *points, const uint32_t *rows, size_t count,
			    struct pl_buf *out);
/* NULL: null. */
void query_points_write_positions(const char *key, const uint32_t *positions, const uint32_t *rows,
				  size_t count, struct pl_buf *out);
/* verdict, simulated, labels */
void query_points_write_about(struct points *points, const uint32_t *rows, size_t count,
			      struct pl_buf *out);

/* ---- the forms: their own members of the answer ---- */

void query_points_write_marks(struct points *points, struct pl_buf *out);
void query_points_write_groups(struct points *points, struct pl_buf *out);
void query_points_write_bins(struct points *points, struct pl_buf *out);
void query_points_write_neighbors(struct points *points, struct pl_buf *out);
void query_points_write_grid(struct points *points, struct pl_buf *out);
void query_points_write_parallel(struct points *points, struct pl_buf *out);
/* Writes an object; omits counts of 0. */
void query_points_write_reasons(const char *const *names, const size_t *counts, size_t count,
				struct pl_buf *out);
/* Writes null if the kinds have no column. */
void query_points_write_kinds(const char *key, const struct points_kinds *kinds,
			      struct pl_buf *out);
/* Writes it without its key. */
void query_points_write_axis(const struct points_axis *axis, struct pl_buf *out);

/* Returns the color kind of a row; 0 for every row of a chart without colors. */
static inline size_t points_color_of(const struct points *points, size_t row)
{
	return points->colors.column != NULL ? points->colors.of[row] : 0;
}

static inline size_t points_color_count(const struct points *points)
{
	return points->colors.column != NULL ? points->colors.count : 1;
}

/* Returns whether the chart is thinned. */
static inline bool points_are_thinned(const struct points *points)
{
	return (points->form == POINTS_POINTS || points->form == POINTS_PARALLEL) &&
	       points->row_count > points->limit;
}
