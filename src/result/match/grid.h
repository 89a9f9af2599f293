/*
 * Two releases over a grid of configurations: is B faster than A? Runs are matched by their inputs.
 * Each matched configuration gives one difference ln(B/A) per metric, between the medians of its
 * runs, and the configurations are the sample: few runs of each suffice.
 *
 *  {a, b: {name, runs},
 *   effect: number or null (null: the default of each metric),
 *   axes:   [{field, label, values}], inputs that differ between the matched configurations
 *   cells:  [{key, label, inputs: {field: value} of the axes, a_count, b_count, a_ids, b_ids}],
 *   unmatched: {a, b: [{key, label, count, ids, differs: [field]}], a_count, b_count},
 *   metrics: [{field, label, unit, direction, effect, count, faster, slower, equal, ratio, low, high,
 *              signed_rank: {w, p, exact}, sign_p, finding, sentence,
 *              cells: {a: [], b: [], log_ratio: []}: one value per cell, null if it has none}]}
 *
 * - ids: of the last added runs, the last one first, at most ids_max; missing if that is 0.
 * - name: null if unknown, then no cell may be added.
 * - key: the inputs that the user set, as canonical JSON, without those that may vary.
 * - differs: the inputs in which an unmatched configuration differs from the most similar one of the
 *   other side.
 * - ratio, low, high: the geometric mean of the ratios and its 95 % interval over configurations.
 * - finding: better, worse, higher, lower, no_difference, no_interval, no_value: from the interval.
 * - faster and slower: configurations in which B is better and worse (higher and lower for a metric
 *   without a direction).
 * - The result does not depend on the order of runs.
 */
#pragma once

#include "result/fields/fields.h"

struct res_grid;

enum res_grid_side { RES_GRID_A, RES_GRID_B, RES_GRID_SIDES };

struct res_grid_options {
	const struct res_field *metrics; /* borrowed */
	size_t metric_count;
	double effect; /* least difference that matters; 0: the default of each metric */
	const char *names[RES_GRID_SIDES];
	/* inputs that do not count for the match: ids, or sections such as "server.compilation_config" */
	const char *const *vary;
	size_t vary_count;
	size_t unmatched_max; /* listed configurations of each side; 0: all */
	size_t ids_max;       /* listed runs of each cell and side; 0: none */
	/* Returns false once the time is over: the remaining metrics, and then the lists of `unmatched`, are omitted. NULL: never. */
	bool (*goes_on)(void *data);
	void *data;
};

struct res_grid *res_grid_new(const struct res_fields *fields,
			      const struct res_grid_options *options);
void res_grid_free(struct res_grid *grid);
PL_AUTO_DEFINE(struct res_grid, res_grid_free);
#define auto_grid PL_AUTO(res_grid_free)

/* Adds a run: its inputs by field id (takes the reference), and its metrics; NaN: none. */
void res_grid_add(struct res_grid *grid, enum res_grid_side side, json_t *inputs,
		  const double *values);
/* The same in two steps, for many runs with the same inputs: returns their cell, and adds a run to it. */
size_t res_grid_cell(struct res_grid *grid, enum res_grid_side side, json_t *inputs);
void res_grid_add_run(struct res_grid *grid, enum res_grid_side side, size_t cell,
		      const double *values);
/* Lists an experiment among the runs of the cell. */
void res_grid_add_id(struct res_grid *grid, enum res_grid_side side, size_t cell, int64_t id);
/* Adds a run of a result document. */
void res_grid_add_document(struct res_grid *grid, enum res_grid_side side, const json_t *document);

/* Returns a new reference. */
json_t *res_grid_json(const struct res_grid *grid);

/* ---- the match, also for other commands ----------------------------------------------------- */

/*
 * Returns the inputs of a document that make it comparable: those that the user set, the hash of the
 * dataset, the GPUs, and whether the engine is simulated. New reference.
 */
json_t *res_match_inputs(const struct res_fields *fields, const json_t *document);
/* Returns the key: canonical JSON of the inputs without those of `vary`. free(). */
char *res_match_key(const json_t *inputs, const char *const *vary, size_t vary_count);
/* Returns "max_concurrency=16 num_prompts=100": the inputs of `axes` (field to anything). free(). */
char *res_match_label(const json_t *inputs, const json_t *axes);
/* Returns {field: [values, sorted by text]} for those inputs that differ in a list of inputs. New reference. */
json_t *res_match_axes(const json_t *list);
/* Returns the fields in which two inputs differ, an array. New reference. */
json_t *res_match_differences(const json_t *one, const json_t *other);
