/*
 * What changed from one release of vLLM to another in the arguments of its server, and in the keys
 * of those that are JSON objects.
 */
#pragma once

#include "base/json.h"
#include "vllm/catalog.h"
#include "vllm/version.h"

/* A release and what it has. */
struct vllm_release {
	struct vllm_version version;
	const struct vllm_catalog *catalog;
};

/*
 * An object of lists; names in the catalogue's order:
 *
 *   new      {name, flag, group, type, default, choices, help}
 *   gone     {name, flag, group, gone_in, replaced_by, map, told_by, note}: replaced_by as in
 *            vllm/replaced.h, for the newer release; map: how a value became the new one's (same,
 *            negated, constant, values, other; null: nothing replaced it)
 *   changed  {name, flag, group, changes: [{key, old, new}]}, key one of those of
 *            vllm_arg_to_json(): default, choices, flag, negative_flag, aliases, type, cli_style …
 *   keys     {new, gone, changed} of the same: `name` is "argument.key", there is no flag; of
 *            arguments that both have
 *
 * New reference.
 */
json_t *vllm_release_diff(const struct vllm_release *since, const struct vllm_release *until);

/*
 * Defaults that change for what `values` does not set: an array of {key, old, new, group}; a key of
 * a JSON argument as "argument.key". Those that decide what is measured (memory, scheduling,
 * parallelism, the model) come first, those that were unset and still are last. New reference.
 */
json_t *vllm_release_defaults(const struct vllm_release *since, const struct vllm_release *until,
			      const json_t *values);
