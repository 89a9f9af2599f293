/*
 * vLLM's server arguments: the rows of tbl/engine_args.h and a set of values for them.
 */
#ifndef VLLM_SERVER_ARGS_H
#define VLLM_SERVER_ARGS_H

#include "base/json.h"
#include "option/row.h"

#include <stdbool.h>
#include <stddef.h>

/* The vLLM release that defaults, choices and `in_reference` are read from. */
#define VLLM_REFERENCE_RELEASE "0.32.0"

/*
 * Rows that take the place of the reference release's: see vllm/overlay.h, which owns them. Once,
 * at start-up, before anything keeps a row; NULL brings the reference release's back.
 */
void vllm_args_install(const struct option_row *rows, size_t count);

size_t vllm_arg_count(void);
const struct option_row *vllm_arg_at(size_t i);
/* By name in snake_case or kebab-case, or by a long alias; NULL. */
const struct option_row *vllm_arg_find(const char *name);
/* Also knows short aliases ("tp"). NULL: none is near. */
const char *vllm_arg_nearest(const char *name);
/* The argument whose negative flag is "--no-x", given "no_x" or "no-x"; NULL. */
const struct option_row *vllm_arg_find_negative(const char *name);
/* The keys of JSON arguments, each behind the object that it stands in. */
size_t vllm_field_count(void);
const struct option_row *vllm_field_at(size_t i);
/*
 * `values`: object name -> typed JSON value of what the user set (snake_case names).
 * Appends to argv (array of strings, new copies) as vLLM's parser wants it; `model` becomes the
 * positional word in front; secret arguments (api_key, hf_token) are left out: see *ret_env,
 * an object of environment variables that carry them (new reference).
 */
int vllm_args_to_argv(const json_t *values, json_t *argv, json_t **ret_env,
		      struct pl_err *err) PL_MUST_CHECK;

/* config.server: every argument with its value (secrets as "***"), default or null; *ret_source:
 * explicit|default|unknown. */
void vllm_args_effective(const json_t *values, json_t **ret_config, json_t **ret_source);

/* An item of lora_modules: "name=path", or an object (or its text) with both. */
#define VLLM_ADAPTER_EXPECTED "name=path, or a JSON object with name and path"
bool vllm_is_adapter(const json_t *module);

#endif
