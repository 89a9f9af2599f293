/*
 * A question of store/points.h while it is answered: what the rows have, by their place in `rows`.
 */
#pragma once

#include "store/faults_priv.h"
#include "store/filter.h"
#include "store/points.h"

#include <math.h>

#define POINTS_LABELS_MAX   20
#define POINTS_SELECTED_MAX 200
#define POINTS_NO_KIND      UINT32_MAX

enum points_form { POINTS_POINTS, POINTS_GROUPS, POINTS_BINS, POINTS_NEAR, POINTS_FORM_COUNT };

/* What one field has in the rows. */
struct points_cells {
	const struct store_column *column; /* NULL: it was not asked for, and nothing else is set */
	uint32_t *codes;                   /* of the first one of the same value */
	double *numbers; /* of a number itself, of a time milliseconds since 1970, else NaN */
};
void points_cells_done(struct points_cells *cells);

enum points_state { POINTS_VALUE, POINTS_RANGE, POINTS_NULL, POINTS_MISSING, POINTS_OTHER };

struct points_kind {
	enum points_state state;
	uint32_t code;            /* of a value that is no finite number */
	struct store_value value; /* of POINTS_VALUE */
	double low, high;         /* of POINTS_RANGE */
	size_t count;
	size_t rank; /* SIZE_MAX: none */
};

/* The values of a field as few things to tell apart, in order. */
struct points_kinds {
	const struct store_column *column; /* NULL: as of cells */
	struct points_kind *items;
	size_t count;
	uint32_t *of; /* by row */
};
void points_kinds_done(struct points_kinds *kinds);

enum points_axis_kind { POINTS_NUMBERS, POINTS_TIMES, POINTS_KINDS };

struct points_axis {
	const char *name; /* "x" */
	const struct store_column *column;
	enum points_axis_kind kind;
	bool asks_log, is_log;
	size_t not_positive; /* rows for which it is not */
	double least, most;  /* of the rows that are drawn; least > most: none */
	struct points_cells cells;
	struct points_kinds kinds; /* of POINTS_KINDS */
	double *at;                /* by row; NaN: it has no place */
};

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
	POINTS_REASON_COUNT
};

struct points {
	struct store_view *view;
	struct place place;
	struct store_ids ids;
	struct store_filter *filter;

	enum points_form form;
	struct points_axis x, y;
	const struct store_column *colour, *shape, *size;
	const struct store_column *labels[POINTS_LABELS_MAX];
	size_t label_count;
	int64_t selected[POINTS_SELECTED_MAX];
	size_t selected_count;
	int64_t near;
	bool with_simulated;
	size_t limit;

	size_t count; /* rows of the filter */
	size_t simulated;
	size_t left_out[POINTS_REASON_COUNT];
	size_t *rows; /* places in the view; those that are drawn */
	size_t row_count;
	struct points_kinds colours, shapes;
	struct points_cells sizes;
};

/* ---- points_read.c: what the rows have ---- */

void points_cells_read(const struct points *points, const struct store_column *column,
		       struct points_cells *ret);
/* Of the rows as they are by now. Numbers are ranges where more than `numbers_max` are different. */
void points_kinds_make(const struct points *points, const struct store_column *column,
		       size_t numbers_max, struct points_kinds *ret);
/* The rows that the filter means and that are to be drawn, with the axes of the form. */
void points_rows_read(struct points *points);
/* Of y, while rows without it are among them: those of groups. */
void points_axis_place(struct points *points, struct points_axis *axis);

/* ---- the forms: their own members of the answer ---- */

void points_write_marks(struct points *points, struct pl_buf *out);
void points_write_groups(struct points *points, struct pl_buf *out);
void points_write_bins(struct points *points, struct pl_buf *out);
void points_write_near(struct points *points, struct pl_buf *out);

/* Is it drawn thinned? */
static inline bool points_are_thinned(const struct points *points)
{
	return points->form == POINTS_POINTS && points->row_count > points->limit;
}
