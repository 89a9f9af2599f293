/* Converts config.json to facts; model families use different keys for the same property. */
#pragma once

#include "checkpoint/facts.h"

/* Reads the facts in `facts->config`; `facts->model_type` and all others are set. */
void ckpt_config_read(struct ckpt_facts *facts);
/* Merges `overrides` into `config`: objects key by key, anything else is replaced. */
void ckpt_config_override(json_t *config, const json_t *overrides);
/* Reads quant_method and its bits from a quantization configuration (NULL: none). */
void ckpt_config_quantization(struct ckpt_facts *facts, const json_t *quantization);
/* Returns vLLM's spelling: lower case, "compressed-tensors". The caller frees it with free(). */
char *ckpt_quantization_name(const char *text);
