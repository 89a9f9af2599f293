/*
 * Presets: saved filters, each with its columns, order and chart.
 * - A preset is JSON in the form of api/openapi.yaml. Clients send {name, description, filter, columns, sort, chart,
 *   is_default}; responses add {id, created_at, created_by, changed_at, changed_by}.
 * - Names are unique, ignoring case. At most one preset is the default: making another one the default takes it from
 *   the former.
 * - Only the form of a filter is checked, not its fields, because these depend on the stored results. A filter with an
 *   unknown field is reported when it is used.
 * - When a function returns, its change is on disk.
 */
#pragma once

#include "base/json.h"
#include "store/saved/outcome.h"
#include "store/store.h"

#define STORE_PRESETS_MAX 1000

/*
 * id 0: creates a preset. `author`: the user, or NULL. Members that the JSON lacks are unset, also if they had a value before. *ret: the preset as
 * in a response, a new reference, if the outcome is OK.
 */
int store_preset_put(struct store *store, int64_t id, const json_t *preset, const char *author,
		     enum store_saved_outcome *ret_outcome, json_t **ret,
		     struct pl_err *err) PL_MUST_CHECK;
int store_preset_remove(struct store *store, int64_t id, enum store_saved_outcome *ret_outcome,
			struct pl_err *err) PL_MUST_CHECK;

/* *ret: a new reference; NULL: no preset has this id. */
int store_preset_get(struct store *store, int64_t id, json_t **ret,
		     struct pl_err *err) PL_MUST_CHECK;
/* Returns all presets, the oldest first, as an array: a new reference. */
int store_preset_list(struct store *store, json_t **ret, struct pl_err *err) PL_MUST_CHECK;
