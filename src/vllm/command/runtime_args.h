/* The options of `docker run` and `podman run` in a list of words. */
#pragma once

#include "base/json.h"

/*
 * Calls `option` with each option in the list: its name without dashes, and its value or NULL. An unknown option is
 * assumed to have a value, as most have. Returns the first word that is neither an option nor a value, borrowed; NULL: none.
 */
const char *vllm_runtime_args_each(const json_t *args,
				   void (*option)(void *data, const char *name, const char *value),
				   void *data);
/* Returns whether the option (a name without dashes) takes no value. */
bool vllm_runtime_is_switch(const char *name);
