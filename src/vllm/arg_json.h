/*
 * A row of the server arguments as a JSON object and back, as `profllm params --json` and overlay
 * files have it: name, flag, aliases, negative_flag, group, type, choices, default, …, fields.
 */
#pragma once

#include "base/json.h"
#include "vllm/catalog.h"

/* What does not apply is null, or left out where few rows have it. New reference. */
json_t *vllm_arg_to_json(const struct option_row *arg);
/* Any row of an option so: less `fields`, with what is said of no server argument (`later`, `ours`,
 * `file_choices`, …), `of` for a key of an object, and texts as the bounds of a duration. A default
 * that is not known is left out. New reference. */
json_t *vllm_option_to_json(const struct option_row *row);
/* One value of it, "default" say; JSON null where there is none. New reference. */
json_t *vllm_arg_json_value(const struct option_row *arg, const char *key);

/* Sets what the entry says and leaves the rest as it is; texts go into `arena`. The name and the
 * fields cannot be set. */
int vllm_arg_set_json(struct option_row *arg, const json_t *entry, struct pl_arena *arena,
		      struct pl_err *err) PL_MUST_CHECK;
