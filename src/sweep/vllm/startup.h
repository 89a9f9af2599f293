/*
 * `startup`: which parameters `vllm bench startup` takes. Files are often those of a server, which has
 * more.
 */
#pragma once

#include "base/json.h"

#include <stdbool.h>

/*
 * Combinations with the keys that are its options, 'config' or the name. *ret_notes: a text for each
 * combination that had others, "Ignoring unsupported startup params for NAME: a, b". strict: that is an
 * error. New references.
 */
int sweep_vllm_startup_keep(const json_t *combinations, bool strict, json_t **ret,
			    json_t **ret_notes, struct pl_err *err) PL_MUST_CHECK;
