/* Whether a reported value can be the asked one. */
#pragma once

#include "base/json.h"

#include <stdbool.h>

struct option_row;

/* Is it a value that vLLM resolves itself, or one of which nothing sure can be said? */
bool vllm_asked_is_open(const struct option_row *row, const json_t *asked);
/* True unless both are sure and differ. `none_counts`: None is a value, not a blank. For an object
 * *ret_key is the key that differs (borrowed from `asked`), else NULL. */
bool vllm_same_value(const struct option_row *row, const json_t *asked, const json_t *reported,
		     bool none_counts, const char **ret_key);
