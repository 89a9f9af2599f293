/*
 * Differences between two releases of vLLM in the arguments of its server and in the keys of those
 * that are JSON objects.
 */
#pragma once

#include "base/json.h"
#include "vllm/catalog.h"
#include "vllm/version.h"

/* A release and its catalogue. */
struct vllm_release {
	struct vllm_version version;
	const struct vllm_catalog *catalog;
};

/*
 * Returns an object of lists; names are in the catalogue's order:
 *
 *   new      {name, flag, group, type, default, choices, help}
 *    removed  {name, flag, group, removed_in, replaced_by, map, told_by, note}: replaced_by as in
 *            vllm/replaced.h, for the newer release; map: how a value is converted to the new one's
 *            (same, negated, constant, values, other; null: nothing replaced it)
 *   changed  {name, flag, group, changes: [{key, old, new}]}, key is one of those of
 *            vllm_arg_to_json(): default, choices, flag, negative_flag, aliases, type, cli_style …
 *   keys     {new, removed, changed} in the same format, for arguments in both releases: `name` is
 *            "argument.key", without flag
 *
 * New reference.
 */
json_t *vllm_release_diff(const struct vllm_release *since, const struct vllm_release *until);

/*
 * Returns the changed defaults of arguments that `values` does not set: an array of {key, old, new,
 * group}; a key of a JSON argument as "argument.key". Those that affect the measurement (memory,
 * scheduling, parallelism, the model) come first, those that were and still are unset last. New
 * reference.
 */
json_t *vllm_release_defaults(const struct vllm_release *since, const struct vllm_release *until,
			      const json_t *values);
