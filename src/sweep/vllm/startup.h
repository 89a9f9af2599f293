/*
 * `startup`: selects the parameters that `vllm bench startup` accepts. The files often contain server arguments, of
 * which there are more.
 */
#pragma once

#include "base/json.h"

#include <stdbool.h>

/*
 * Returns the combinations with only the keys that are its options, 'config' or the name. *ret_notes: a text per
 * combination with other keys, "Ignoring unsupported startup params for NAME: a, b". strict: that is an error. New
 * references.
 */
int sweep_vllm_startup_keep(const json_t *combinations, bool strict, json_t **ret,
			    json_t **ret_notes, struct pl_err *err) PL_MUST_CHECK;
