/*
 * vLLM's own YAML of arguments: what a pair of it is on vLLM's command line.
 *
 * - true is the flag alone; false its negative flag, where "--no-" and the key as it is written is
 *   one, and nothing elsewhere; an empty list is nothing.
 */
#pragma once

#include "option/value.h"

#include <stdbool.h>

struct vllm_catalog;

/* Does vLLM turn this key with `false` into a flag? */
bool vllm_config_false_counts(const struct vllm_catalog *catalog, const char *name);
/* Is the pair no word at all? Where that is a surprise, a warning says so, of `key`. A name that is
 * no argument is left to the caller. */
bool vllm_config_is_left_out(const struct vllm_catalog *catalog, struct option_reader *reader,
			     const struct pl_yaml *name, const struct pl_yaml *node,
			     const char *key);
