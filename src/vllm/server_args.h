/*
 * A set of values for vLLM's server arguments, as the server's command line and as a result has it.
 */
#pragma once

#include "base/json.h"
#include "vllm/catalog.h"

#include <stdbool.h>

/*
 * `values`: object name -> typed JSON value of what the user set (snake_case names).
 * Appends to argv (array of strings, new copies) as vLLM's parser wants it; `model` becomes the
 * positional word in front; secret arguments (api_key, hf_token) are left out: see *ret_env,
 * an object of environment variables that carry them (new reference).
 */
int vllm_args_to_argv(const struct vllm_catalog *catalog, const json_t *values, json_t *argv,
		      json_t **ret_env, struct pl_err *err) PL_MUST_CHECK;

/*
 * config.server: every argument with its value (secrets as "***"), the default of the catalogue's
 * release, or null. `env`: object of the variables that the server gets beside ours, which some
 * defaults are read from; NULL: none. *ret_source: explicit, default, unknown (it has one that depends
 * on others) or absent (the release does not have the argument).
 */
void vllm_args_effective(const struct vllm_catalog *catalog, const json_t *values,
			 const json_t *env, json_t **ret_config, json_t **ret_source);

/* An item of lora_modules: "name=path", or an object (or its text) with both. */
#define VLLM_ADAPTER_EXPECTED "name=path, or a JSON object with name and path"
bool vllm_is_adapter(const json_t *module);
