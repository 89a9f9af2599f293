/* Between sweep.c (plans in the database), store_sweep_runs.c (results beside them) and sweep_list.c (of all of them). */
#pragma once

#include "store/sweeps/sweep.h"

/*
 * The runs of a plan with the results that are there, and behind them results of runs that it does not
 * have. New reference to an array. -1: as query_apply().
 */
int store_sweep_runs(const struct mirror_snapshot *snapshot, const char *id, const json_t *plan,
		     const json_t *metrics, json_t **ret, struct schema_faults *faults,
		     struct pl_err *err) PL_MUST_CHECK;
/*
 * The same of results that are at hand, the newest first: {id, run_id, cells: {ID: value}}, of which run.status and
 * tags.sweep_cell, _repeat and the like are looked at.
 */
json_t *store_sweep_runs_joined(const json_t *plan, const json_t *results);

/* *ret: the plan with `created` and `changed`; an empty object where there is none. New reference. */
int store_sweep_read_plan(struct store *store, const char *id, json_t **ret,
			  struct pl_err *err) PL_MUST_CHECK;

/*
 * Into heads of plans what came of their runs (counts, models, gpus, simulated), and behind them heads of sweeps of which
 * there are results alone. *kept, which begins as NULL, is what the list before has left (json_decref()).
 */
int store_sweep_list_results(struct store *store, const struct mirror_snapshot *snapshot,
			     json_t *heads, json_t **kept, struct pl_err *err) PL_MUST_CHECK;
