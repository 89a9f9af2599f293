/* Whether a reported value can be the requested one. */
#pragma once

#include "base/json.h"

#include <stdbool.h>

struct option_row;

/* Returns whether vLLM resolves the value itself, or its meaning is uncertain. */
bool vllm_value_is_open(const struct option_row *row, const json_t *requested);
/*
 * Returns true unless both are certain and differ. `none_counts`: None is a value, not a missing
 * one. For an object *ret_key is the key that differs (borrowed from `asked`), otherwise NULL.
 */
bool vllm_same_value(const struct option_row *row, const json_t *requested, const json_t *reported,
		     bool none_counts, const char **ret_key);
