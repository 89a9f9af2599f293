/*
 * vLLM's YAML file of arguments: how a pair is converted to vLLM's command line.
 *
 * - true becomes the flag alone. false becomes the negative flag if "--no-" and the key as written
 *   is one, otherwise nothing. An empty list becomes nothing.
 */
#pragma once

#include "option/value.h"

#include <stdbool.h>

struct vllm_catalog;

/* Returns whether vLLM converts this key with `false` to a flag. */
bool vllm_config_false_counts(const struct vllm_catalog *catalog, const char *name);
/*
 * Returns whether the pair is dropped. Adds a warning about `key` if that is surprising. The caller
 * handles names that are not arguments.
 */
bool vllm_config_is_left_out(const struct vllm_catalog *catalog, struct option_reader *reader,
			     const struct pl_yaml *name, const struct pl_yaml *node,
			     const char *key);
