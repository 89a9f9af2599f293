/*
 * Sweeps: what there was to run, as `profllm sweep run` tells it (SweepPlan in api/openapi.yaml), kept under
 * the sweep's id; and with it the results that carry the sweep's tags.
 *
 * - A plan that comes again takes the place of the one before. What a result tells counts more than what a
 *   plan says of a run: plans come now and then, results as soon as they stand.
 * - Results of a sweep without a plan are its runs, and what is missing is not known.
 */
#pragma once

#include "schema/schema.h"
#include "mirror/mirror.h"
#include "store/store.h"

#define STORE_SWEEPS_MAX 10000

/* Letters, digits and "._-", at most 100. */
bool store_sweep_is_id(const char *id);
/* *ret_fits false: there are STORE_SWEEPS_MAX others. On the disk when it returns. */
int store_sweep_put(struct store *store, const char *id, const json_t *plan, bool *ret_fits,
		    struct pl_err *err) PL_MUST_CHECK;
/* *ret_found false: there was none. Results stay. */
int store_sweep_remove(struct store *store, const char *id, bool *ret_found,
		       struct pl_err *err) PL_MUST_CHECK;
/*
 * SweepHeads of api/openapi.yaml as an array, the newest first: of sweeps that told what they are to run, and behind them of
 * those of which there are results alone. For a store opened with_columns. New reference.
 */
int store_sweep_list(struct store *store, json_t **ret, struct pl_err *err) PL_MUST_CHECK;

/*
 * A sweep with all its runs (Sweep in api/openapi.yaml); `metrics`: array of the fields of which each run
 * shows its value. *ret NULL: there is neither a plan nor a result by that id. -1: as query_apply()
 * (query/query.h).
 */
int store_sweep_get(struct store *store, const char *id, const json_t *metrics, json_t **ret,
		    struct schema_faults *faults, struct pl_err *err) PL_MUST_CHECK;
