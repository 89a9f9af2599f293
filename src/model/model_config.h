/*
 * From config.json to facts: the keys that model families use for the same thing.
 */
#ifndef MODEL_MODEL_CONFIG_H
#define MODEL_MODEL_CONFIG_H

#include "model/model_facts.h"

/* The facts that `facts->config` holds; `facts->model_type` and the rest are set. */
void md_model_config_read(struct md_model_facts *facts);
/* `overrides` laid over `config`: objects key by key, anything else replaced. */
void md_model_config_override(json_t *config, const json_t *overrides);
/* quant_method and its bits out of a quantization configuration (NULL: none). */
void md_model_config_quantization(struct md_model_facts *facts, const json_t *quantization);
/* As vLLM spells it: lower case, "compressed-tensors". The caller's (free()). */
char *md_quantization_name(const char *text);

#endif
