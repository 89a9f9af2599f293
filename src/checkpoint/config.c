#include "checkpoint/config.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* No count of a model is larger; what is, is refused as not known. */
#define COUNT_MAX 1e9
/* More layers than any model's. */
#define LAYERS_MAX 4096
/* No sequence is longer. */
#define LENGTH_MAX 1e12

static const struct ckpt_type model_types[] = {
#define MODEL(name_, attention_, window_, period_, mlp_, biases_, norms_, final_, qk_, tied_) \
	{ .name = name_,                                                                      \
	  .attention = CKPT_ATTENTION_##attention_,                                           \
	  .window = CKPT_WINDOW_##window_,                                                    \
	  .period = period_,                                                                  \
	  .mlp = CKPT_MLP_##mlp_,                                                             \
	  .biases = CKPT_BIASES_##biases_,                                                    \
	  .norms = norms_,                                                                    \
	  .final_norm = final_,                                                               \
	  .qk_norm = CKPT_QK_NORM_##qk_,                                                      \
	  .tied = tied_ },
#define DEFAULT(type, key, value)
#include "tbl/model_types.h"
#undef DEFAULT
#undef MODEL
};

static const struct {
	const char *type;
	const char *key;
	int64_t value;
} defaults[] = {
#define MODEL(name, attention, window, period, mlp, biases, norms, final_norm, qk_norm, tied)
#define DEFAULT(type_, key_, value_) { type_, key_, value_ },
#include "tbl/model_types.h"
#undef DEFAULT
#undef MODEL
};

const struct ckpt_type *ckpt_type_find(const char *name)
{
	for (size_t i = 0; name != NULL && i < PL_ARRAY_SIZE(model_types); i++) {
		if (strcmp(model_types[i].name, name) == 0)
			return &model_types[i];
	}
	return NULL;
}

/* "Qwen3MoeForCausalLM" is of the family "qwen3_moe"; NULL: of none with a row. */
static const char *type_of_architecture(const char *architecture)
{
	const char *end = architecture != NULL ? strstr(architecture, "For") : NULL;

	if (architecture != NULL && end == NULL)
		end = strstr(architecture, "LMHead");
	for (size_t i = 0; end != NULL && i < PL_ARRAY_SIZE(model_types); i++) {
		const char *at = architecture;
		for (const char *name = model_types[i].name; at < end && *name != '\0'; name++) {
			if (*name == '_')
				continue;
			if (tolower((unsigned char)*at) != *name)
				break;
			at++;
			if (at == end && name[1] == '\0')
				return model_types[i].name;
		}
	}
	return NULL;
}

/* A count from 1, 0 where it is none. */
static int64_t count_of(const json_t *json)
{
	double value = json_number_value(json);

	return value >= 1 && value <= COUNT_MAX ? (int64_t)value : 0;
}

static int64_t default_of(const struct ckpt_facts *facts, const char *key)
{
	for (size_t i = 0; facts->model_type != NULL && i < PL_ARRAY_SIZE(defaults); i++) {
		if (strcmp(defaults[i].type, facts->model_type) == 0 &&
		    strcmp(defaults[i].key, key) == 0)
			return defaults[i].value;
	}
	return 0;
}

/* The first of `keys` (separated by blanks) that holds a count; the family's default of the
 * first. */
static int64_t count_at(const struct ckpt_facts *facts, const json_t *part, const char *keys)
{
	char key[64];

	for (const char *at = keys; *at != '\0';) {
		size_t len = strcspn(at, " ");
		snprintf(key, sizeof(key), "%.*s", (int)len, at);
		int64_t count = count_of(json_object_get(part, key));
		if (count > 0)
			return count;
		at += len + (at[len] == ' ');
	}
	snprintf(key, sizeof(key), "%.*s", (int)strcspn(keys, " "), keys);
	if (json_object_get(part, key) != NULL)
		return 0;
	return default_of(facts, key);
}

static const char *text_at(const json_t *part, const char *key)
{
	return json_string_value(json_object_get(part, key));
}

/* The language model's part of a configuration. */
static const json_t *text_part(const json_t *config)
{
	static const char *const keys[] = { "text_config", "llm_config", "language_config",
					    "thinker_config" };

	for (size_t i = 0; i < PL_ARRAY_SIZE(keys); i++) {
		const json_t *part = json_object_get(config, keys[i]);
		if (json_is_object(part))
			return strcmp(keys[i], "thinker_config") == 0 ? text_part(part) : part;
	}
	return config;
}

static bool is_multimodal(const json_t *config)
{
	static const char *const keys[] = { "vision_config", "audio_config",    "visual",
					    "vision_tower",  "mm_vision_tower", "thinker_config",
					    "vision_encoder" };

	for (size_t i = 0; i < PL_ARRAY_SIZE(keys); i++) {
		const json_t *part = json_object_get(config, keys[i]);
		if (part != NULL && !json_is_null(part))
			return true;
	}
	return false;
}

void ckpt_config_override(json_t *config, const json_t *overrides)
{
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)overrides, key, value)
	{
		json_t *old = json_object_get(config, key);
		if (json_is_object(old) && json_is_object(value))
			ckpt_config_override(old, value);
		else
			json_object_set(config, key, value);
	}
}

static void read_sizes(struct ckpt_facts *facts, const json_t *part)
{
	facts->hidden_size = count_at(facts, part, "hidden_size n_embd d_model");
	facts->layers = count_at(facts, part, "num_hidden_layers n_layer n_layers num_layers");
	facts->heads = count_at(facts, part, "num_attention_heads n_head n_heads num_heads");
	facts->kv_heads = count_at(facts, part,
				   "num_key_value_heads n_head_kv num_kv_heads "
				   "multi_query_group_num");
	facts->head_dim = count_at(facts, part, "head_dim kv_channels");
	facts->vocab_size = count_at(facts, part, "vocab_size padded_vocab_size");
	facts->intermediate = count_at(facts, part,
				       "intermediate_size n_inner ffn_dim ffn_hidden_size");
	if (pl_text_equal(facts->model_type, "falcon") &&
	    !json_is_true(json_object_get(part, "new_decoder_architecture")))
		facts->kv_heads = json_is_false(json_object_get(part, "multi_query")) ? facts->heads
										      : 1;
	if (pl_text_equal(facts->model_type, "mpt")) {
		int64_t kv = count_of(pl_json_get_path(part, "attn_config.kv_n_heads"));
		facts->kv_heads = kv > 0 ? kv : facts->heads;
	}
	if (facts->kv_heads == 0)
		facts->kv_heads = facts->heads;
	if (facts->head_dim == 0 && facts->heads > 0)
		facts->head_dim = facts->hidden_size / facts->heads;
	if (facts->intermediate == 0 && facts->type != NULL && facts->type->mlp == CKPT_MLP_PLAIN)
		facts->intermediate = 4 * facts->hidden_size;
	if (pl_text_equal(facts->model_type, "gpt2"))
		facts->positions = count_at(facts, part, "n_positions");
	if (pl_text_equal(facts->model_type, "opt"))
		facts->positions = count_at(facts, part, "max_position_embeddings") + 2;
}

static bool is_in_list(const json_t *list, int64_t number)
{
	for (size_t i = 0; i < json_array_size(list) && i < LAYERS_MAX; i++) {
		if (json_integer_value(json_array_get(list, i)) == number)
			return true;
	}
	return false;
}

static void read_experts(struct ckpt_facts *facts, const json_t *part)
{
	int64_t dense = count_of(json_object_get(part, "first_k_dense_replace"));
	int64_t step = count_of(json_object_get(part, "decoder_sparse_step"));
	int64_t shared = count_of(json_object_get(part, "n_shared_experts"));

	facts->experts = count_at(facts, part,
				  "num_local_experts num_experts n_routed_experts moe_num_experts");
	if (facts->experts <= 1 || facts->layers > LAYERS_MAX) {
		facts->experts = 0;
		return;
	}
	facts->expert_intermediate = count_of(json_object_get(part, "moe_intermediate_size"));
	if (facts->expert_intermediate == 0)
		facts->expert_intermediate = facts->intermediate;
	facts->shared_intermediate = count_at(
		facts, part, "shared_expert_intermediate_size shared_intermediate_size");
	facts->shared_gate = facts->shared_intermediate > 0 &&
			     json_object_get(part, "shared_expert_intermediate_size") != NULL;
	if (facts->shared_intermediate == 0)
		facts->shared_intermediate = shared * facts->expert_intermediate;
	for (int64_t i = 0; i < facts->layers; i++) {
		if (i >= dense && (step <= 1 || (i + 1) % step == 0) &&
		    !is_in_list(json_object_get(part, "mlp_only_layers"), i))
			facts->expert_layers++;
	}
}

static void read_latent(struct ckpt_facts *facts, const json_t *part)
{
	facts->q_lora_rank = count_of(json_object_get(part, "q_lora_rank"));
	facts->kv_lora_rank = count_of(json_object_get(part, "kv_lora_rank"));
	facts->rope_dim = count_of(json_object_get(part, "qk_rope_head_dim"));
	facts->nope_dim = count_of(json_object_get(part, "qk_nope_head_dim"));
	facts->value_dim = count_of(json_object_get(part, "v_head_dim"));
}

static void refuse_model(struct ckpt_facts *facts, const char *why)
{
	if (facts->not_modelled == NULL)
		facts->not_modelled = pl_strdup(why);
}

/* layer_types, where the file has it, says of each layer what it is. */
static void read_layer_types(struct ckpt_facts *facts, const json_t *types)
{
	facts->sliding_layers = 0;
	for (size_t i = 0; i < json_array_size(types); i++) {
		const char *name = json_string_value(json_array_get(types, i));
		if (pl_text_equal(name, "sliding_attention"))
			facts->sliding_layers++;
		else if (!pl_text_equal(name, "full_attention"))
			refuse_model(facts, "it has layers that are not full or sliding attention");
	}
	if ((int64_t)json_array_size(types) != facts->layers)
		refuse_model(facts, "layer_types does not name every layer");
}

static void read_windows(struct ckpt_facts *facts, const json_t *part)
{
	const json_t *types = json_object_get(part, "layer_types");
	const struct ckpt_type *type = facts->type;
	int64_t period = count_at(facts, part, "sliding_window_pattern");
	int64_t top = count_of(json_object_get(part, "max_window_layers"));
	bool off = json_is_false(json_object_get(part, "use_sliding_window"));

	if (type == NULL)
		return;
	if (period == 0)
		period = type->period;
	facts->sliding_window = off ? 0 : count_at(facts, part, "sliding_window");
	if (type->window == CKPT_WINDOW_ALL)
		facts->sliding_layers = facts->layers;
	if (type->window == CKPT_WINDOW_PERIOD && period > 0)
		facts->sliding_layers = facts->layers - facts->layers / period;
	if (type->window == CKPT_WINDOW_TOP &&
	    json_is_true(json_object_get(part, "use_sliding_window")))
		facts->sliding_layers = facts->layers > top ? facts->layers - top : 0;
	if (json_is_array(types))
		read_layer_types(facts, types);
	if (facts->sliding_window == 0)
		facts->sliding_layers = 0;
	if (facts->sliding_layers == 0)
		facts->sliding_window = 0;
}

/* RoPE scaling multiplies the limit, except where the file's limit has it already. */
static void scale_limit(struct ckpt_facts *facts, const json_t *rope)
{
	const char *type = text_at(rope, "rope_type");
	double factor = json_number_value(json_object_get(rope, "factor"));
	int64_t original = count_of(json_object_get(rope, "original_max_position_embeddings"));

	if (type == NULL)
		type = text_at(rope, "type");
	if (type == NULL || strcmp(type, "su") == 0 || strcmp(type, "longrope") == 0 ||
	    strcmp(type, "llama3") == 0)
		return;
	if (strcmp(type, "yarn") == 0 && original > 0)
		facts->max_len = original;
	facts->max_len_scaled = facts->max_len_scaled || factor > 0;
	if (factor > 0 && (double)facts->max_len * factor <= LENGTH_MAX)
		facts->max_len = (int64_t)((double)facts->max_len * factor);
}

static void read_limit(struct ckpt_facts *facts, const json_t *part)
{
	static const char *const keys[] = {
		"max_position_embeddings", "n_positions",         "max_seq_len",    "seq_length",
		"model_max_length",        "max_sequence_length", "max_seq_length", "seq_len"
	};
	const json_t *rope = json_object_get(part, "rope_parameters");
	const char *name;
	json_t *nested;

	for (size_t i = 0; i < PL_ARRAY_SIZE(keys); i++) {
		int64_t limit = count_at(facts, part, keys[i]);
		if (limit > 0 && (facts->max_len == 0 || limit < facts->max_len)) {
			facts->max_len = limit;
			snprintf(facts->max_len_key, sizeof(facts->max_len_key), "%s", keys[i]);
		}
	}
	facts->model_max_length = count_of(json_object_get(part, "model_max_length"));
	if (!json_is_object(rope))
		rope = json_object_get(part, "rope_scaling");
	if (facts->max_len == 0 ||
	    strstr(facts->model_type != NULL ? facts->model_type : "", "gemma3") != NULL)
		return;
	scale_limit(facts, rope);
	json_object_foreach((json_t *)rope, name, nested)
	{
		if (json_is_object(nested))
			scale_limit(facts, nested);
	}
}

char *ckpt_quantization_name(const char *text)
{
	char *name = pl_strdup(text);

	for (char *at = name; *at != '\0'; at++)
		*at = (char)tolower((unsigned char)*at);
	if (strcmp(name, "compressed_tensors") == 0)
		strcpy(name, "compressed-tensors");
	return name;
}

/* Bits of a weight with the scale (and zero point) that a group of them shares. */
static double grouped_bits(const json_t *quantization)
{
	double bits = json_number_value(json_object_get(quantization, "bits"));
	double group = json_number_value(json_object_get(quantization, "group_size"));

	if (bits == 0)
		bits = json_number_value(json_object_get(quantization, "w_bit"));
	if (group == 0)
		group = json_number_value(json_object_get(quantization, "q_group_size"));
	if (bits < 1 || bits > 16)
		return NAN;
	return group > 0 ? bits + (16 + bits) / group : bits;
}

static double compressed_bits(const json_t *quantization)
{
	const json_t *groups = json_object_get(quantization, "config_groups");
	double found = NAN;
	const char *name;
	json_t *group;

	json_object_foreach((json_t *)groups, name, group)
	{
		double bits = json_number_value(pl_json_get_path(group, "weights.num_bits"));
		double size = json_number_value(pl_json_get_path(group, "weights.group_size"));
		if (bits < 1 || (!isnan(found) && found != bits))
			return NAN;
		found = size > 0 ? bits + 16 / size : bits;
	}
	return found;
}

static double bits_of(const char *method, const json_t *quantization)
{
	const char *algorithm = text_at(quantization, "quant_algo");

	if (pl_text_starts(method, "awq") || pl_text_starts(method, "gptq"))
		return grouped_bits(quantization);
	if (strcmp(method, "fp8") == 0 || strcmp(method, "fbgemm_fp8") == 0)
		return 8;
	if (strcmp(method, "compressed-tensors") == 0)
		return compressed_bits(quantization);
	if (strcmp(method, "mxfp4") == 0)
		return 4.25;
	if (strcmp(method, "bitsandbytes") == 0)
		return json_is_true(json_object_get(quantization, "load_in_4bit")) ? 4.5 : 8;
	if (pl_text_starts(method, "modelopt") && algorithm != NULL)
		return strcmp(algorithm, "NVFP4") == 0 ? 4.5
		       : strcmp(algorithm, "FP8") == 0 ? 8
						       : NAN;
	return NAN;
}

void ckpt_config_quantization(struct ckpt_facts *facts, const json_t *quantization)
{
	const char *method = text_at(quantization, "quant_method");
	const char *algorithm = text_at(quantization, "quant_algo");
	const char *cache = text_at(quantization, "kv_cache_quant_algo");

	if (method == NULL && algorithm != NULL)
		method = "modelopt";
	if (method == NULL)
		return;
	free(facts->quantization);
	facts->quantization = ckpt_quantization_name(method);
	facts->quant_bits = bits_of(facts->quantization, quantization);
	facts->quant_experts = strcmp(facts->quantization, "mxfp4") == 0;
	double bits = json_number_value(pl_json_get_path(quantization, "kv_cache_scheme.num_bits"));
	facts->kv_fp8 = bits == 8 || pl_text_equal(cache, "FP8");
}

static void read_quantization(struct ckpt_facts *facts, const json_t *part)
{
	const json_t *given[] = {
		json_object_get(facts->config, "quantization_config"),
		json_object_get(facts->config, "compression_config"),
		json_object_get(part, "quantization_config"),
	};

	for (size_t i = 0; i < PL_ARRAY_SIZE(given) && facts->quantization == NULL; i++)
		ckpt_config_quantization(facts, given[i]);
}

/* What a row of the table cannot express. */
static void check_modelled(struct ckpt_facts *facts, const json_t *part)
{
	static const char *const foreign[] = { "num_kv_shared_layers",   "index_topk",
					       "cross_attention_layers", "hybrid_override_pattern",
					       "attn_type_list",         "block_configs",
					       "linear_attn_config" };
	auto_free char *unknown = pl_asprintf("the family '%s' is not modelled",
					      facts->model_type != NULL ? facts->model_type : "");
	auto_free char *missing = NULL;

	if (facts->type == NULL)
		refuse_model(facts, unknown);
	for (size_t i = 0; i < PL_ARRAY_SIZE(foreign); i++) {
		const json_t *value = json_object_get(part, foreign[i]);
		if (value == NULL || json_is_null(value) ||
		    (json_is_integer(value) && json_integer_value(value) == 0))
			continue;
		free(missing);
		missing = pl_asprintf("'%s' is not modelled", foreign[i]);
		refuse_model(facts, missing);
	}
	if (facts->layers == 0 || facts->heads == 0 || facts->head_dim == 0 ||
	    facts->hidden_size == 0)
		refuse_model(facts, "config.json does not give its layers, heads and sizes");
	if (facts->type != NULL && facts->type->attention == CKPT_ATTENTION_LATENT &&
	    (facts->kv_lora_rank == 0 || facts->rope_dim == 0))
		refuse_model(facts, "config.json does not give its latent sizes");
}

void ckpt_config_read(struct ckpt_facts *facts)
{
	const json_t *config = facts->config;
	const json_t *part = text_part(config);
	const json_t *tied = json_object_get(part, "tie_word_embeddings");
	const char *type = text_at(part, "model_type");
	const char *dtype = text_at(config, "torch_dtype");

	facts->architecture = pl_strdup(
		json_string_value(json_array_get(json_object_get(config, "architectures"), 0)));
	if (type == NULL)
		type = text_at(config, "model_type");
	if (type == NULL)
		type = type_of_architecture(facts->architecture);
	/* the text part of Gemma 3 where its file does not name it */
	facts->model_type = pl_strdup(pl_text_equal(type, "gemma3") ? "gemma3_text" : type);
	facts->type = ckpt_type_find(facts->model_type);
	facts->multimodal = is_multimodal(config);
	if (dtype == NULL)
		dtype = text_at(config, "dtype");
	if (dtype == NULL)
		dtype = text_at(part,
				text_at(part, "torch_dtype") != NULL ? "torch_dtype" : "dtype");
	facts->dtype = ckpt_dtype_find(dtype);
	if (tied == NULL)
		tied = json_object_get(config, "tie_word_embeddings");
	facts->tied = tied != NULL ? json_is_true(tied) : facts->type != NULL && facts->type->tied;
	read_sizes(facts, part);
	read_experts(facts, part);
	read_latent(facts, part);
	read_windows(facts, part);
	read_limit(facts, part);
	read_quantization(facts, part);
	check_modelled(facts, part);
}
