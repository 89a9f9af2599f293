/*
 * Layers differ: some have a window or a chunk, some keep one state instead of keys and values,
 * some have separate sizes. The result is counts of layers and sizes in the facts, so neither the
 * parameter count nor the KV cache examines layers again.
 */
#include "checkpoint/config_priv.h"

#include <math.h>
#include <string.h>

#include "base/text.h"

static bool is_off(const json_t *part, const char *key)
{
	return json_is_false(json_object_get(part, key));
}

static int64_t count_in(const json_t *part, const char *key)
{
	return ckpt_count_of(json_object_get(part, key));
}

/*
 * layer_types, if present, gives the kind of each layer. It overrides every rule: periods apply
 * only to files without it.
 */
static void read_layer_types(struct ckpt_facts *facts, const json_t *types)
{
	facts->sliding_layers = 0;
	facts->chunk_layers = 0;
	facts->recurrent.layers = 0;
	for (size_t i = 0; i < json_array_size(types); i++) {
		const char *name = json_string_value(json_array_get(types, i));
		if (pl_text_equal(name, "sliding_attention"))
			facts->sliding_layers++;
		else if (pl_text_equal(name, "chunked_attention") &&
			 ckpt_has_trait(facts, CKPT_TRAIT_CHUNKS))
			facts->chunk_layers++;
		else if (pl_text_equal(name, "linear_attention") &&
			 ckpt_has_trait(facts, CKPT_TRAIT_DELTA))
			facts->recurrent.layers++;
		else if (!pl_text_equal(name, "full_attention"))
			ckpt_refuse(facts,
				    "some of its layers use neither full nor sliding attention");
	}
	if ((int64_t)json_array_size(types) == facts->layers)
		return;
	facts->sliding_layers = facts->chunk_layers = facts->recurrent.layers = 0;
	ckpt_refuse(facts, "layer_types does not name every layer");
}

/* One layer of each period is full. */
static void read_windows(struct ckpt_facts *facts, const json_t *part)
{
	const struct ckpt_type *type = facts->type;
	int64_t period = ckpt_count_at(facts, part, "sliding_window_pattern");
	int64_t top = count_in(part, "max_window_layers");

	if (period == 0)
		period = type->period;
	facts->sliding_window = is_off(part, "use_sliding_window")
					? 0
					: ckpt_count_at(facts, part, "sliding_window");
	if (type->window == CKPT_WINDOW_ALL)
		facts->sliding_layers = facts->layers;
	if (type->window == CKPT_WINDOW_PERIOD && period > 0)
		facts->sliding_layers = facts->layers - facts->layers / period;
	if (type->window == CKPT_WINDOW_TOP && pl_json_get_true(part, "use_sliding_window"))
		facts->sliding_layers = facts->layers > top ? facts->layers - top : 0;
}

/* Llama 4: all but every fourth layer attend within a chunk; those without RoPE see everything. */
static void read_chunks(struct ckpt_facts *facts, const json_t *part)
{
	const json_t *rope = json_object_get(part, "no_rope_layers");
	int64_t period = count_in(part, "no_rope_layer_interval");

	if (period == 0)
		period = facts->type->period;
	facts->chunk_tokens = count_in(part, "attention_chunk_size");
	facts->chunk_layers = facts->layers - facts->layers / period;
	if ((int64_t)json_array_size(rope) != facts->layers)
		return;
	facts->chunk_layers = 0;
	for (size_t i = 0; i < json_array_size(rope); i++)
		facts->chunk_layers += json_integer_value(json_array_get(rope, i)) != 0;
}

/*
 * Gated delta rule (Qwen3-Next, Qwen3.5): transformers, models/qwen3_next. For one layer: a
 * convolution over q, k and v keeps its last inputs, the rule itself one matrix per head.
 */
static void read_delta(struct ckpt_facts *facts, const json_t *part)
{
	struct ckpt_recurrent *recurrent = &facts->recurrent;
	double hidden = (double)facts->hidden_size;
	double heads = (double)count_in(part, "linear_num_value_heads");
	double key_dim = (double)count_in(part, "linear_key_head_dim");
	double value_dim = (double)count_in(part, "linear_value_head_dim");
	double keys = (double)count_in(part, "linear_num_key_heads") * key_dim;
	double values = heads * value_dim;
	double width = 2 * keys + values;
	double kernel = (double)count_in(part, "linear_conv_kernel_dim");
	int64_t period = count_in(part, "full_attention_interval");

	if (period == 0)
		period = facts->type->period;
	recurrent->layers = facts->layers - facts->layers / period;
	if (keys == 0 || values == 0 || kernel == 0)
		ckpt_refuse_count(facts, "the sizes of its linear attention are unknown");
	/* in: q, k, v, a gate of v's width, two numbers a head; out */
	recurrent->linear = hidden * (width + values + 2 * heads) + values * hidden;
	recurrent->rest = width * kernel + 2 * heads + value_dim;
	recurrent->conv_numbers = width * (kernel - 1);
	recurrent->state_numbers = heads * key_dim * value_dim;
}

/* Mamba 2: transformers, models/nemotron_h. The state takes as many numbers for each channel as
 * the model has states. */
static void read_mamba(struct ckpt_facts *facts, const json_t *part)
{
	struct ckpt_recurrent *recurrent = &facts->recurrent;
	double hidden = (double)facts->hidden_size;
	double heads = (double)count_in(part, "mamba_num_heads");
	double inner = heads * (double)count_in(part, "mamba_head_dim");
	double states = (double)count_in(part, "ssm_state_size");
	double width = inner + 2 * (double)count_in(part, "n_groups") * states;
	double kernel = (double)count_in(part, "conv_kernel");

	if (inner == 0 || states == 0 || width == inner || kernel == 0)
		ckpt_refuse_count(facts, "the sizes of its Mamba layers are unknown");
	recurrent->linear = hidden * (inner + width + heads) + inner * hidden;
	recurrent->rest = width * (kernel + (is_off(part, "use_conv_bias") ? 0 : 1)) + 3 * heads +
			  inner;
	recurrent->conv_numbers = width * (kernel - 1);
	recurrent->state_numbers = inner * states;
}

/* Number formats of the states: the argument comes above it (memory/kv.c). */
static void read_state_bytes(struct ckpt_facts *facts, const json_t *part)
{
	const char *name = pl_json_get_text(part, "mamba_ssm_dtype");

	if (name == NULL)
		name = pl_json_get_text(part, "mamba_ssm_cache_dtype");
	if (name != NULL)
		facts->recurrent.state_bytes = ckpt_dtype_bits(ckpt_dtype_find(name)) / 8.0;
	/* a row does not contain it, and the formats differ */
	else if (facts->known != NULL)
		facts->recurrent.state_bytes = NAN;
}

/* Nemotron H: a letter a layer, which is one of M (Mamba), E (experts), * (attention), - (MLP). */
static void read_pattern(struct ckpt_facts *facts, const json_t *part)
{
	const char *pattern = pl_json_get_text(part, "hybrid_override_pattern");

	if (pattern == NULL || (int64_t)strlen(pattern) != facts->layers ||
	    strspn(pattern, "ME*-") != strlen(pattern)) {
		ckpt_refuse_count(facts, "hybrid_override_pattern does not name every layer");
		return;
	}
	facts->attention_layers = 0;
	facts->expert_layers = 0;
	facts->dense_layers = 0;
	for (const char *at = pattern; *at != '\0'; at++) {
		facts->recurrent.layers += *at == 'M';
		facts->expert_layers += *at == 'E';
		facts->attention_layers += *at == '*';
		facts->dense_layers += *at == '-';
	}
	read_mamba(facts, part);
}

/*
 * Gemma 4: full layers have fewer and wider heads. The additional parts of the small models are not
 * modelled.
 */
static void read_global(struct ckpt_facts *facts, const json_t *part)
{
	facts->global_layers = facts->layers - facts->sliding_layers;
	facts->global_head_dim = count_in(part, "global_head_dim");
	if (!is_off(part, "attention_k_eq_v"))
		facts->global_kv_heads = count_in(part, "num_global_key_value_heads");
	if (facts->global_kv_heads == 0)
		facts->global_kv_heads = facts->kv_heads;
	facts->dense_layers = facts->layers;
	if (facts->global_head_dim == 0)
		ckpt_refuse_count(facts, "the sizes of its full layers are unknown");
	if (count_in(part, "hidden_size_per_layer_input") > 0)
		ckpt_refuse_count(facts, "the estimate does not cover its per-layer embeddings");
}

/*
 * The order matters: first a rule of the family, then the file's list of layers, then the remaining
 * attention layers.
 */
void ckpt_layers_read(struct ckpt_facts *facts, const json_t *part)
{
	const json_t *types = json_object_get(part, "layer_types");
	const json_t *crossing = json_object_get(part, "cross_attention_layers");

	facts->attention_layers = facts->layers;
	facts->dense_layers = facts->layers - facts->expert_layers;
	if (facts->type == NULL)
		return;
	read_windows(facts, part);
	if (ckpt_has_trait(facts, CKPT_TRAIT_CHUNKS))
		read_chunks(facts, part);
	if (ckpt_has_trait(facts, CKPT_TRAIT_DELTA))
		read_delta(facts, part);
	if (json_is_array(types))
		read_layer_types(facts, types);
	if (ckpt_has_trait(facts, CKPT_TRAIT_DELTA))
		facts->attention_layers = facts->layers - facts->recurrent.layers;
	if (ckpt_has_trait(facts, CKPT_TRAIT_PATTERN))
		read_pattern(facts, part);
	if (facts->recurrent.layers > 0)
		read_state_bytes(facts, part);
	if (ckpt_has_trait(facts, CKPT_TRAIT_GLOBAL))
		read_global(facts, part);
	if (ckpt_has_trait(facts, CKPT_TRAIT_CROSS))
		facts->cross_layers = (int64_t)json_array_size(crossing);
	facts->index_heads = count_in(part, "index_n_heads");
	facts->index_dim = count_in(part, "index_head_dim");
	if (ckpt_has_trait(facts, CKPT_TRAIT_INDEXER) &&
	    (facts->index_heads == 0 || facts->index_dim == 0))
		ckpt_refuse_count(facts, "the sizes of its indexer are unknown");
	if (facts->sliding_layers + facts->chunk_layers > facts->attention_layers) {
		facts->sliding_layers = facts->chunk_layers = 0;
		ckpt_refuse(facts, "it has more sliding-window layers than attention layers");
	}
	if (facts->sliding_window == 0)
		facts->sliding_layers = 0;
	if (facts->sliding_layers == 0)
		facts->sliding_window = 0;
	if (facts->chunk_tokens == 0)
		facts->chunk_layers = 0;
}
