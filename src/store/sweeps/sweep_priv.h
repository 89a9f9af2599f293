/* Shared by sweep.c (plans in the database), sweep_runs.c (their results) and sweep_list.c (the list). */
#pragma once

#include "store/sweeps/sweep.h"

/*
 * Returns the runs of a plan with their results, followed by results of runs that are not in the plan, as a new
 * reference to an array. -1: as query_apply().
 */
int store_sweep_runs(const struct mirror_snapshot *snapshot, const char *id, const json_t *plan,
		     const json_t *metrics, json_t **ret, struct schema_faults *faults,
		     struct pl_err *err) PL_MUST_CHECK;
/*
 * The same for the given results, the newest first: {id, run_id, cells: {ID: value}}. Uses run.status and the tags
 * sweep_cell, sweep_repeat and so on.
 */
json_t *store_sweep_runs_joined(const json_t *plan, const json_t *results);

/*
 * *ret: the plan with `created_at` and `changed_at`, a new reference; an empty object if there is none. -1 with
 * *ret_damaged: the database has a plan that cannot be read.
 */
int store_sweep_read_plan(struct store *store, const char *id, json_t **ret, bool *ret_damaged,
			  struct pl_err *err) PL_MUST_CHECK;

/*
 * Adds the outcome of their runs (counts, models, gpus, simulated) to heads of plans, and appends heads of sweeps with
 * results alone. *kept caches data between calls; it starts as NULL (json_decref()).
 */
int store_sweep_list_results(struct store *store, const struct mirror_snapshot *snapshot,
			     json_t *heads, json_t **retained, struct pl_err *err) PL_MUST_CHECK;
