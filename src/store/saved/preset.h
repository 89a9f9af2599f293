/*
 * Presets: a filter with the columns, order and chart that go with it, kept under a name.
 *
 * - A preset is JSON in the form of api/openapi.yaml: {name, description, filter, columns, sort, chart,
 *   is_default} comes in, {id, created, changed} stand in front of and behind that when it is told.
 * - A name is there once, whatever the case of its letters; one preset at most is the default: one that is
 *   to be it takes that from the one that was.
 * - Of a filter its form is checked, not its fields: these come and go with results, and a filter that
 *   names one which is not there says so when it is used.
 * - As of all that is stored: what was answered is on the disk.
 */
#pragma once

#include "base/json.h"
#include "store/store.h"

#define STORE_PRESETS_MAX 1000

enum store_preset_outcome {
	STORE_PRESET_KEPT,
	STORE_PRESET_NAMED, /* another one has the name */
	STORE_PRESET_FULL,  /* there are STORE_PRESETS_MAX of them */
	STORE_PRESET_NONE,  /* there is none by that id */
};

/*
 * id 0: a new one. What the JSON lacks is as if nothing had been chosen, also where there was something
 * before. *ret: the preset as it is told, a new reference, where the outcome is KEPT.
 */
int store_preset_put(struct store *store, int64_t id, const json_t *preset,
		     enum store_preset_outcome *ret_outcome, json_t **ret,
		     struct pl_err *err) PL_MUST_CHECK;
int store_preset_remove(struct store *store, int64_t id, enum store_preset_outcome *ret_outcome,
			struct pl_err *err) PL_MUST_CHECK;

/* *ret: a new reference; NULL: there is none by that id. */
int store_preset_get(struct store *store, int64_t id, json_t **ret,
		     struct pl_err *err) PL_MUST_CHECK;
/* All of them, the oldest first, as an array: a new reference. */
int store_preset_list(struct store *store, json_t **ret, struct pl_err *err) PL_MUST_CHECK;
