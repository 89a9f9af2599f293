/*
 * Conversion of server arguments to a release's form: arguments that it has removed are replaced if
 * their whole replacement is known (vllm/replaced.h).
 */
#pragma once

#include "vllm/replaced.h"

/*
 * Changes `values` (typed, by argument), and `given` (its objects as written, or NULL) if it
 * contains the argument. Leaves a setting unchanged if the user must choose a part of its
 * replacement, or has already set that to another value. Returns the changes: an array of {key,
 * value, replaced_by}. New reference. Ignores `replacing->values`.
 */
json_t *vllm_renew(const struct vllm_replacing *replacing, json_t *values, json_t *given);
