/*
 * Conversion of a server argument's row to JSON and back, in the format of `profllm params --json`
 * and overlay files: name, flag, aliases, negative_flag, group, type, choices, default, …, fields.
 */
#pragma once

#include "base/json.h"
#include "vllm/catalog.h"

/* Values that do not apply are null, or omitted if few rows have them. Returns a new reference. */
json_t *vllm_arg_to_json(const struct option_row *arg);
/*
 * Converts any row of an option in the same way: without `fields`, but with the keys that no server
 * argument has (`later`, `ours`, `file_choices`, …), with `of` for a key of an object, and with the
 * bounds of a duration as texts. Omits an unknown default. Returns a new reference.
 */
json_t *vllm_option_to_json(const struct option_row *row);
/*
 * Returns one value of the row, for example "default"; JSON null if there is none. New reference.
 */
json_t *vllm_arg_json_value(const struct option_row *arg, const char *key);

/*
 * Sets the values in the entry and leaves the others unchanged; texts are copied into `arena`. The
 * name and the fields cannot be set.
 */
int vllm_arg_set_json(struct option_row *arg, const json_t *entry, struct pl_arena *arena,
		      struct pl_err *err) PL_MUST_CHECK;
