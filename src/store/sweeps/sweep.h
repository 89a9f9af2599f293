/*
 * Sweeps: the plan that `profllm sweep run` sends (SweepPlan in api/openapi.yaml), stored under the sweep's id, and the
 * results that carry the sweep's tags.
 * - A newer plan replaces the one before. Results take precedence over what a plan says of a run: plans are sent at
 *   intervals, results as soon as they exist.
 * - The runs of a sweep without a plan are its results; missing runs are then unknown.
 */
#pragma once

#include "mirror/mirror.h"
#include "schema/schema.h"
#include "store/store.h"

#define STORE_SWEEPS_MAX 10000

/* Letters, digits and "._-", at most 100. */
bool store_sweep_is_id(const char *id);
/* *ret_fits false: STORE_SWEEPS_MAX others exist. On disk when it returns. */
int store_sweep_put(struct store *store, const char *id, const json_t *plan, bool *ret_fits,
		    struct pl_err *err) PL_MUST_CHECK;
/* Removes the plan, not the results. *ret_found false: there was none. */
int store_sweep_remove(struct store *store, const char *id, bool *ret_found,
		       struct pl_err *err) PL_MUST_CHECK;
/*
 * Returns SweepHeads of api/openapi.yaml as an array, a new reference, the newest first: sweeps with a plan, followed
 * by sweeps with results alone. For a store opened with_columns.
 */
int store_sweep_list(struct store *store, json_t **ret, struct pl_err *err) PL_MUST_CHECK;

/*
 * Returns a sweep with all its runs (Sweep in api/openapi.yaml). `metrics` is an array of the fields to include for
 * each run. *ret NULL: this id has neither a plan nor a result. -1: as query_apply() (query/query.h).
 */
int store_sweep_get(struct store *store, const char *id, const json_t *metrics, json_t **ret,
		    struct schema_faults *faults, struct pl_err *err) PL_MUST_CHECK;
