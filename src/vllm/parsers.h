/*
 * The tool and reasoning parsers of vLLM: the rows of tbl/parsers.h. vLLM rejects another name only
 * after it has loaded the model.
 */
#pragma once

#include "vllm/rules.h"

/*
 * Adds a problem for each parser in `values` that the target does not register. An error if the server
 * would not start; a warning if the release is assumed or was not read, or if a plugin may register it.
 * Silent for releases that are not in the table. `place` may be NULL.
 */
void vllm_parsers_check(const json_t *values, const json_t *env, const struct vllm_target *target,
			vllm_rule_locate_fn *location, void *user,
			struct option_problems *problems);
