/* Shared by the grid (grid.c), the repeats (repeats.c), the files (files.c) and the response (missing.c). */
#pragma once

#include "base/json.h"
#include "mirror/view.h"
#include "query/request_priv.h"

#define AXES_MAX       8
#define AXIS_VALUES    200 /* distinct values of an axis */
#define GRID_CELLS_MAX 100000
#define NO_CELL        SIZE_MAX

/* One varying field of the rows. */
struct grid_field {
	const struct mirror_column *column;
	uint8_t *codes;              /* of each row: index in `values`; owned */
	struct mirror_value *values; /* distinct, sorted; owned */
	size_t count;
	size_t leader; /* index of the field that determines this one; SIZE_MAX: it is an axis */
};

struct grid {
	const struct mirror_view *view;
	size_t row_count;
	size_t *places;            /* of the rows; owned */
	double *seconds;           /* total duration of each row, NaN: not recorded; owned */
	struct grid_field *fields; /* owned */
	size_t field_count;
	size_t field_room;
	json_t *skipped; /* [{field, label, reason}] */

	size_t axes[AXES_MAX]; /* indices of fields */
	size_t axis_count;
	double size; /* number of cells, may be above GRID_CELLS_MAX: then the rest is not set */
	size_t strides[AXES_MAX];
	size_t *cell_of; /* of each row; owned */
	size_t *newest;  /* row with the greatest id of each cell; NO_CELL: none; owned */
	double *median;  /* of the seconds of each cell; owned */
	size_t *runs;    /* number of rows with seconds of each cell; owned */
	size_t present;
};
void query_grid_done(struct grid *grid);

/* Adds the fields that vary among the rows; `chosen`: only these, in their order. */
void query_grid_fields(struct grid *grid, const struct request_fields *chosen);
/* Adds nothing, but says which other inputs vary: [{field, label}]. New reference. */
json_t *query_grid_others(const struct grid *grid);
/* Makes the axes and the cells. `chosen`: no field follows another one. -1: INTERRUPTED. */
int query_grid_make(struct grid *grid, bool chosen, struct pl_err *err) PL_MUST_CHECK;

static inline size_t grid_code(const struct grid *grid, size_t cell, size_t axis)
{
	return cell / grid->strides[axis] % grid->fields[grid->axes[axis]].count;
}
/* Returns whether an experiment file can set the field. */
bool query_grid_is_settable(const struct res_field *field);
/* Returns the values of a cell in the order of the axes. New reference. */
json_t *query_grid_values(const struct grid *grid, size_t cell);
/* New reference; null for a value that is not recorded. */
json_t *query_grid_value(const struct mirror_value *value);

/* The duration of a cell, from the present cells that differ in the fewest axes. */
struct grid_estimate {
	size_t nearest; /* row of the newest of them */
	double seconds; /* median of their medians; NaN: unknown */
	double low, high;
	size_t runs;
};
void query_grid_estimate(const struct grid *grid, size_t cell, struct grid_estimate *ret);

/* ---- files ------------------------------------------------------------------------------------ */

/* Experiment files under construction: points with the same rest of the experiment share one. */
struct grid_files {
	const struct grid *grid;
	bool varies_seed;
	json_t *items; /* [{key, experiment, on, kind, repeats, points, cells, seconds, version}] */
};
void query_files_done(struct grid_files *files);
/*
 * Adds the cell with the other settings of the experiment of `row`. is_repeat: it is measured already; such cells have files of
 * their own. *ret_file: index of the file; -1: the result contains no experiment.
 */
int query_files_add(struct grid_files *files, size_t cell, size_t row, bool is_repeat, int64_t runs,
		    double seconds, int64_t *ret_file, struct pl_err *err) PL_MUST_CHECK;
/*
 * Returns [FILE] as in missing.h. *ret_invalid: {"CELL": [{key, message}]} of the points that the argument rules refuse.
 * Both are new references.
 */
json_t *query_files_write(const struct grid_files *files, json_t **ret_invalid);

/* ---- repeats ---------------------------------------------------------------------------------- */

/*
 * Returns [REPEAT] of missing.h, without `file`, with `cell` and `row` (index) of each: best gain per minute first.
 * pareto: a response of query_pareto().
 */
json_t *query_repeats(const struct grid *grid, const json_t *pareto);
