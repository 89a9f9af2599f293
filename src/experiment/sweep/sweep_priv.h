/* Shared by the files of this directory: a sweep while it is read, before it has cells. */
#pragma once

#include "experiment/section.h"
#include "experiment/sweep/sample.h"
#include "experiment/sweep/sweep.h"
#include "vllm/expr.h"

#define EXP_SWEEP_VALUES_MAX 10000 /* per axis */

/* Numbers from a smallest to a largest. */
struct exp_range {
	double from;
	double to;
	bool logarithmic;
	bool whole;
};

/* Keys that change together: one key, or those of a zip. */
struct exp_axis {
	struct exp_axis *next;
	const struct pl_yaml *at;
	const char **keys; /* [key_count] */
	size_t key_count;
	struct exp_setting *settings; /* [count * key_count], by step */
	size_t count;                 /* number of steps; 0: a range to be sampled */
	struct exp_range range;
	bool sampled;
};

struct exp_condition {
	struct exp_condition *next;
	const struct pl_yaml *at;
	const struct vllm_expr *expr;
};

struct exp_sample {
	const struct pl_yaml *at; /* NULL: all combinations */
	enum exp_sample_method method;
	int64_t count;
	int64_t seed;
	const struct pl_yaml *over; /* list of keys; NULL: all */
};

/* The section, or one of its sets. */
struct exp_part {
	const char *name; /* NULL: the section itself */
	const struct pl_yaml *at;
	struct exp_axis *axes;
	struct exp_condition *conditions;
	struct exp_sample sample;
};

/* A section being read. */
struct exp_sweep_reader {
	struct exp_sweep *sweep;
	const struct vllm_catalog *catalog;
	struct option_reader *reader;
	json_t *seen; /* object: points that already are cells */
	/*
	 * other values of the file, for conditions: {server, launch, benchmark}, as requested and
	 * with defaults
	 */
	json_t *requested;
	json_t *completed;
};

/* ---- axis.c ---- */

/*
 * Returns "server.tensor_parallel_size" for any spelling of it, allocated in the arena; NULL with a
 * problem.
 */
const char *exp_sweep_key(struct exp_sweep_reader *sweep, const char *section,
			  const struct pl_yaml *name);
/* Reads one key with a list, a range or a single value; NULL with a problem. */
struct exp_axis *exp_axis_read(struct exp_sweep_reader *sweep, const char *key,
			       const struct pl_yaml *at, const struct pl_yaml *value);
/* Combines several axes into one. */
struct exp_axis *exp_axis_zip(struct exp_sweep_reader *sweep, const struct pl_yaml *at,
			      const struct exp_axis *axes);
/* Makes one axis for `lengths: [128x128]`, several for `{input: …, output: …}`. */
struct exp_axis *exp_axis_lengths(struct exp_sweep_reader *sweep, const struct pl_yaml *at,
				  const struct pl_yaml *value);
/*
 * Reads `points: [{KEY: a, KEY: b}, …]`: all keys as one axis, one step per point; NULL with a
 * problem.
 */
struct exp_axis *exp_axis_points(struct exp_sweep_reader *sweep, const struct pl_yaml *at,
				 const struct pl_yaml *value);
/* Return step `index` of an axis, or the value at `share` (from 0 to below 1) of a range. */
const struct exp_setting *exp_axis_step(const struct exp_axis *axis, size_t index);
const struct exp_setting *exp_axis_share(struct exp_sweep_reader *sweep,
					 const struct exp_axis *axis, double share);

/* ---- range.c ---- */

struct exp_axis *exp_axis_range(struct exp_sweep_reader *sweep, const char *key,
				const struct pl_yaml *at, const struct pl_yaml *value);
bool exp_range_is_meant(const struct pl_yaml *value);
double exp_range_share(const struct exp_range *range, double share);
/* Makes a number node at the location of `at`. */
const struct pl_yaml *exp_number_node(struct exp_sweep_reader *sweep, double number, bool whole,
				      int digits, const struct pl_yaml *at);

/* ---- condition.c ---- */

/* Parses a text; NULL with a problem. */
struct exp_condition *exp_condition_read(struct exp_sweep_reader *sweep,
					 const struct pl_yaml *value);
/* Reports unknown names; returns false if there are any. */
bool exp_condition_check(struct exp_sweep_reader *sweep, const struct exp_condition *condition,
			 const struct exp_part *part);
bool exp_condition_holds(struct exp_sweep_reader *sweep, const struct exp_condition *condition,
			 const struct exp_sweep_cell *cell);

/* ---- cells.c ---- */

/* Adds the cells of a part; invalid ones are problems. */
void exp_cells_make(struct exp_sweep_reader *sweep, struct exp_part *part);
/* Sets labels that distinguish each cell from all others. */
void exp_cells_label(struct exp_sweep *sweep);
