/* Between sweep.c (plans in the database) and sweep_runs.c (results beside them). */
#pragma once

#include "store/sweep.h"

/*
 * The runs of a plan with the results that are there, and behind them results of runs that it does not
 * have. New reference to an array. -1: as store_query_apply().
 */
int sweep_runs(const struct store_snapshot *snapshot, const char *id, const json_t *plan,
	       const json_t *metrics, json_t **ret, struct res_schema_faults *faults,
	       struct pl_err *err) PL_MUST_CHECK;
