/*
 * Baselines: sets of public results, drawn next to the results of users and never among them (docs/reference/baselines.md).
 * - A set is {name, rows: [ROW]} in the form of api/openapi.yaml (Baseline). Its name is unique.
 * - Replacing or removing a set counts as a change of the data, so that answers which contain it are computed again.
 */
#pragma once

#include "base/json.h"
#include "store/store.h"

#define STORE_BASELINES_MAX 100

/* Stores a set, or replaces the one of this name. *ret_id: 0 if there are STORE_BASELINES_MAX others. On disk when it returns. */
int store_baseline_put(struct store *store, const char *name, const json_t *rows, int64_t *ret_id,
		       struct pl_err *err) PL_MUST_CHECK;
/* *ret: [ID], the oldest first: a new reference. All sets together may exceed the memory: get one at a time. */
int store_baseline_ids(struct store *store, json_t **ret, struct pl_err *err) PL_MUST_CHECK;
/* *ret: {id, name, created_at, changed_at, rows}, a new reference, or NULL: none has the id. */
int store_baseline_get(struct store *store, int64_t id, json_t **ret,
		       struct pl_err *err) PL_MUST_CHECK;
int store_baseline_remove(struct store *store, int64_t id, bool *ret_found,
			  struct pl_err *err) PL_MUST_CHECK;
