/* The lines of a scaling analysis: configurations that are equal but for their size (query/configurations/scaling.h). */
#pragma once

#include "query/configurations/configurations_priv.h"
#include "result/scaling/scaling.h"

#define LINES_SIZES_MAX 64 /* listed of each axis: the smallest */

enum lines_axis {
#define AXIS(id, multiplies) LINES_AXIS_##id,
#include "tbl/scaling_axes.h"
	LINES_AXIS_COUNT
};
const char *query_lines_axis_name(enum lines_axis axis);
bool query_lines_axis_multiplies(enum lines_axis axis);
/* `name` is valid by the contract; NULL: gpus. */
enum lines_axis query_lines_axis(const char *name);

enum lines_source {
	LINES_SOURCE_UNKNOWN,
	LINES_SOURCE_ARGUMENTS,
	LINES_SOURCE_RECORDED,
	LINES_SOURCE_REMOTE,
	LINES_SOURCE_NONE,
};
/* "unknown", "arguments", "recorded", "remote", "none" */
const char *query_lines_source_name(enum lines_source source);

/* The sizes of one configuration; NaN: unknown. */
struct lines_sizes {
	struct res_scaling_layout layout;
	double of[LINES_AXIS_COUNT];
	double gpus;
	double gpus_recorded;
	enum lines_source source;
};

/* Runs of the same size, layout, GPUs and values of `vary`: index and place of each as in struct configurations. */
struct lines_point {
	struct lines_sizes sizes;
	double size;         /* on the axis */
	size_t row;          /* place of the newest run */
	size_t first, count; /* in lines.runs */
};

struct line {
	char *key;
	size_t row; /* place of one of its runs */
	size_t group;
	size_t first, count; /* in lines.points */
	size_t size_count;
	size_t run_count;
};

struct lines {
	const struct configurations *configurations; /* borrowed, as are the columns */
	enum lines_axis axis;
	struct request_fields vary;

	struct line *items; /* with several sizes, in the order of the response */
	size_t count;
	struct lines_point *points; /* of all lines, also of those with one size */
	size_t *runs;               /* index in the bitmap */
	size_t *places;             /* of the row */
	size_t run_count;           /* of the lines with several sizes */
	size_t single_count;        /* lines with one size */
	size_t unsized;             /* rows */
	double sizes[LINES_AXIS_COUNT][LINES_SIZES_MAX]; /* ascending, distinct, of all rows */
	size_t sizes_count[LINES_AXIS_COUNT];
	size_t more_sizes_count[LINES_AXIS_COUNT]; /* distinct sizes that are not listed */
};
void query_lines_done(struct lines *lines);
/* Collects the ids of the fields that sizes are made of. */
void query_lines_ids(struct mirror_ids *ids);
/* Makes the lines of configurations with axis and vary. -1: INTERRUPTED. */
int query_lines_make(struct lines *lines, struct pl_err *err) PL_MUST_CHECK;

/* ---- labels ------------------------------------------------------------------------------------- */

/* Returns [[{field, label, value}]]: for each of the first lines the fields in which these differ. New reference. */
json_t *query_lines_fields(const struct lines *lines, size_t count);
/* Returns the fields of `vary` at a place as [{field, label, value}]. New reference. */
json_t *query_lines_varied(const struct lines *lines, size_t place);
/* Returns "Model a, dtype b"; "all results" without fields. free(). */
char *query_lines_label(const json_t *fields);
