/* Values of vLLM's server arguments, converted to the server's command line and to a result. */
#pragma once

#include "base/json.h"
#include "vllm/catalog.h"

#include <stdbool.h>

/*
 * Converts `values`, an object name -> typed JSON value of what the user set (snake_case names).
 * Appends the arguments for vLLM's parser to argv (array of strings, new copies); `model` becomes
 * the leading positional argument. Secret arguments (api_key, hf_token) are omitted: *ret_env is an
 * object of environment variables with their values (new reference).
 */
int vllm_args_to_argv(const struct vllm_catalog *catalog, const json_t *values, json_t *argv,
		      json_t **ret_env, struct pl_err *err) PL_MUST_CHECK;

/*
 * Builds config.server: every argument with its value (secrets as "***"), the default of the
 * catalogue's release, or null. `env`: object of the variables that the server gets in addition to
 * ours, because some defaults depend on them; NULL: none. *ret_source: explicit, default, unknown
 * (its default depends on other arguments) or absent (the release lacks the argument).
 */
void vllm_args_effective(const struct vllm_catalog *catalog, const json_t *values,
			 const json_t *env, json_t **ret_config, json_t **ret_source);

/* An item of lora_modules: "name=path", or an object (or its text) with both. */
#define VLLM_ADAPTER_EXPECTED "name=path, or a JSON object with name and path"
bool vllm_is_adapter(const json_t *module);
