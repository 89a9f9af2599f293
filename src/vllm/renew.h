/*
 * A set of server arguments in a release's own form: what the release has no more is replaced, where
 * all of its replacement is known (vllm/replaced.h).
 */
#pragma once

#include "vllm/replaced.h"

/*
 * Changes `values` (typed, by argument), and `given` (its objects as they were written, or NULL) as
 * far as it has the argument. A setting stays where a part of its replacement is for people to
 * choose, or is set to something else already. Returns what was changed: an array of {key, value,
 * replaced_by}. New reference. `replacing->values` does not count.
 */
json_t *vllm_renew(const struct vllm_replacing *replacing, json_t *values, json_t *given);
