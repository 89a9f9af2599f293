/*
 * From config.json to facts: the keys that model families use for the same thing.
 */
#pragma once

#include "checkpoint/facts.h"

/* The facts that `facts->config` holds; `facts->model_type` and the rest are set. */
void ckpt_config_read(struct ckpt_facts *facts);
/* `overrides` laid over `config`: objects key by key, anything else replaced. */
void ckpt_config_override(json_t *config, const json_t *overrides);
/* quant_method and its bits out of a quantization configuration (NULL: none). */
void ckpt_config_quantization(struct ckpt_facts *facts, const json_t *quantization);
/* As vLLM spells it: lower case, "compressed-tensors". The caller's (free()). */
char *ckpt_quantization_name(const char *text);
