/*
 * The facts of a model that rules between arguments use (tbl/constraints.h, env.NAME). A fact is unknown if
 * the model was not read, or if its facts are known by name and may be those of another checkpoint.
 */
#pragma once

struct ckpt_facts;

/* Returns the number of experts, 0 for a model that has none, NaN if unknown. */
double ckpt_rule_experts(const struct ckpt_facts *facts);
/* Returns the quantization method by vLLM's name, or NULL. Borrowed from `facts` or constant. */
const char *ckpt_rule_quantization(const struct ckpt_facts *facts);
/* Returns "w8a8_int8" or "wna16" if all groups of a compressed-tensors checkpoint have it, or NULL. */
const char *ckpt_rule_scheme(const struct ckpt_facts *facts);
