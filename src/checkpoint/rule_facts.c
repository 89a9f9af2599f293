/*
 * Each function returns only what vLLM derives from the same keys. A configuration that mentions
 * experts in an unknown way counts neither as dense nor as a mixture of experts.
 */
#include "checkpoint/rule_facts.h"

#include <math.h>
#include <string.h>

#include "base/text.h"
#include "checkpoint/facts.h"

#define MODELOPT_FP8_BITS 8
#define MODELOPT_FP4_BITS 4.5

static bool is_known(const struct ckpt_facts *facts, bool is_shape)
{
	return facts->state == CKPT_MODEL_READ && !ckpt_facts_are_doubtful(facts, is_shape);
}

/* Returns whether the value of such a key means that there are none. */
static bool is_none(const json_t *value)
{
	return json_is_null(value) || json_is_false(value) ||
	       (json_is_integer(value) && json_integer_value(value) == 0) ||
	       (json_is_array(value) && json_array_size(value) == 0);
}

/* Returns whether a key mentions experts, here or in a nested object. */
static bool mentions_experts(const json_t *config)
{
	PL_JSON_EACH_MEMBER(key, value, config) {
		bool is_named = strstr(key, "expert") != NULL || strstr(key, "moe") != NULL ||
				strcmp(key, "block_configs") == 0;
		if ((is_named && !is_none(value)) || mentions_experts(value))
			return true;
	}
	return false;
}

double ckpt_rule_experts(const struct ckpt_facts *facts)
{
	if (!is_known(facts, true))
		return NAN;
	if (facts->experts > 0)
		return (double)facts->experts;
	return facts->type != NULL && !mentions_experts(facts->config) ? 0 : NAN;
}

/* ModelOpt checkpoints share a method, and their algorithm decides which of vLLM's it is. */
const char *ckpt_rule_quantization(const struct ckpt_facts *facts)
{
	if (!is_known(facts, false) || !pl_text_equal(facts->quantization, "modelopt"))
		return is_known(facts, false) ? facts->quantization : NULL;
	return facts->quant_bits == MODELOPT_FP8_BITS   ? "modelopt"
	       : facts->quant_bits == MODELOPT_FP4_BITS ? "modelopt_fp4"
							: NULL;
}

/* NULL: neither of the two. */
static const char *scheme_of(const json_t *group)
{
	const json_t *weights = json_object_get(group, "weights");
	const json_t *inputs = json_object_get(group, "input_activations");
	int64_t bits = pl_json_get_i64(weights, "num_bits");

	if (!pl_text_equal(pl_json_get_text(weights, "type"), "int"))
		return NULL;
	if (inputs == NULL || json_is_null(inputs))
		return bits == 4 || bits == 8 ? "wna16" : NULL;
	return bits == 8 && pl_json_get_i64(inputs, "num_bits") == 8 &&
			       pl_text_equal(pl_json_get_text(inputs, "type"), "int")
		       ? "w8a8_int8"
		       : NULL;
}

const char *ckpt_rule_scheme(const struct ckpt_facts *facts)
{
	const json_t *quantization = json_object_get(facts->config, "quantization_config");
	const char *scheme = NULL;

	if (!pl_text_equal(ckpt_rule_quantization(facts), "compressed-tensors"))
		return NULL;
	PL_JSON_EACH_MEMBER(name, group, json_object_get(quantization, "config_groups")) {
		const char *one = scheme_of(group);
		if (one == NULL || (scheme != NULL && strcmp(one, scheme) != 0))
			return NULL;
		scheme = one;
	}
	return scheme;
}
