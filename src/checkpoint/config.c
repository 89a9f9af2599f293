/*
 * config.json as facts. Families use different keys for one property (n_embd, d_model,
 * hidden_size), omit the defaults of their Python class, and may nest the language model in a
 * separate part; the result is one struct.
 *
 * Configurations that the rows of src/tbl/model_types.h cannot express are rejected by name
 * (ckpt_refuse): no KV cache is computed, and if the weights cannot be counted either
 * (ckpt_refuse_count), no count is made.
 */
#include "checkpoint/config.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "checkpoint/config_priv.h"
#include "checkpoint/known.h"

/* No count of a model is larger; larger ones are treated as unknown. */
#define COUNT_MAX 1e9
/* No sequence is longer. */
#define LENGTH_MAX 1e12

static const struct ckpt_type model_types[] = {
#define MODEL(name_, attention_, window_, period_, mlp_, biases_, norms_, final_, qk_, tied_, \
	      trait_)                                                                         \
	{ .name = name_,                                                                      \
	  .attention = CKPT_ATTENTION_##attention_,                                           \
	  .window = CKPT_WINDOW_##window_,                                                    \
	  .period = period_,                                                                  \
	  .mlp = CKPT_MLP_##mlp_,                                                             \
	  .biases = CKPT_BIASES_##biases_,                                                    \
	  .norms = norms_,                                                                    \
	  .final_norm = final_,                                                               \
	  .qk_norm = CKPT_QK_NORM_##qk_,                                                      \
	  .tied = tied_,                                                                      \
	  .trait = CKPT_TRAIT_##trait_ },
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
#define MODEL(name, attention, window, period, mlp, biases, norms, final_norm, qk_norm, tied, trait)
#define DEFAULT(type_, key_, value_) { type_, key_, value_ },
#include "tbl/model_types.h"
#undef DEFAULT
#undef MODEL
};

static const struct ckpt_type *type_of(const char *name)
{
	return PL_ROW_FIND(model_types, name, name);
}

bool ckpt_has_trait(const struct ckpt_facts *facts, enum ckpt_trait trait)
{
	return facts->type != NULL && facts->type->trait == trait;
}

/*
 * "Qwen3MoeForCausalLM" is of the family "qwen3_moe"; NULL: of none with a row. Only where no
 * model_type is given. Letters are compared without case and '_', from the front: the whole name
 * must fit.
 */
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

int64_t ckpt_count_of(const json_t *json)
{
	double value = json_number_value(json);

	return value >= 1 && value <= COUNT_MAX ? (int64_t)value : 0;
}

/* The first reason counts: those that follow are mostly of its making. */
void ckpt_refuse(struct ckpt_facts *facts, const char *why)
{
	if (facts->not_modelled == NULL)
		facts->not_modelled = pl_strdup(why);
}

void ckpt_refuse_count(struct ckpt_facts *facts, const char *why)
{
	facts->uncounted = true;
	ckpt_refuse(facts, why);
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

/* An assembled row does not have the values that a file may omit. */
static int64_t missing_at(struct ckpt_facts *facts, const char *key)
{
	int64_t value = default_of(facts, key);

	if (value == 0 || facts->known == NULL || !facts->known->derived)
		return value;
	auto_free char *why = pl_asprintf("its %s is unknown", key);
	ckpt_refuse(facts, why);
	return 0;
}

/*
 * Keys in order of precedence, the usual one first, which also determines the default. A key that
 * exists without a count (null, 0) means that there is none.
 */
int64_t ckpt_count_at(struct ckpt_facts *facts, const json_t *part, const char *keys)
{
	char key[64];

	for (const char *at = keys; *at != '\0';) {
		size_t len = strcspn(at, " ");
		snprintf(key, sizeof(key), "%.*s", (int)len, at);
		int64_t count = ckpt_count_of(json_object_get(part, key));
		if (count > 0)
			return count;
		at += len + (at[len] == ' ');
	}
	snprintf(key, sizeof(key), "%.*s", (int)strcspn(keys, " "), keys);
	if (json_object_get(part, key) != NULL)
		return 0;
	return missing_at(facts, key);
}

/* The language model's part of a configuration. A "thinker" of an omni model is itself such a
 * model, with the text inside. */
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

/* Merges objects and replaces everything else, as in --hf-overrides. */
void ckpt_config_override(json_t *config, const json_t *overrides)
{
	PL_JSON_EACH_MEMBER(key, value, overrides) {
		json_t *old = json_object_get(config, key);
		if (json_is_object(old) && json_is_object(value))
			ckpt_config_override(old, value);
		else
			json_object_set(config, key, value);
	}
}

/*
 * Applies the usual defaults for omitted keys: as many KV heads as heads, heads that fill the
 * hidden size, an MLP of four times its width.
 */
static void read_sizes(struct ckpt_facts *facts, const json_t *part)
{
	facts->hidden_size = ckpt_count_at(facts, part, "hidden_size n_embd d_model");
	facts->layers = ckpt_count_at(facts, part, "num_hidden_layers n_layer n_layers num_layers");
	facts->heads = ckpt_count_at(facts, part, "num_attention_heads n_head n_heads num_heads");
	facts->kv_heads = ckpt_count_at(facts, part,
					"num_key_value_heads n_head_kv num_kv_heads "
					"multi_query_group_num");
	facts->head_dim = ckpt_count_at(facts, part, "head_dim kv_channels");
	facts->vocab_size = ckpt_count_at(facts, part, "vocab_size padded_vocab_size");
	facts->intermediate = ckpt_count_at(facts, part,
					    "intermediate_size n_inner ffn_dim ffn_hidden_size");
	if (pl_text_equal(facts->model_type, "falcon") &&
	    !pl_json_get_true(part, "new_decoder_architecture"))
		facts->kv_heads = json_is_false(json_object_get(part, "multi_query")) ? facts->heads
										      : 1;
	if (pl_text_equal(facts->model_type, "mpt")) {
		int64_t kv = ckpt_count_of(pl_json_get_path(part, "attn_config.kv_n_heads"));
		facts->kv_heads = kv > 0 ? kv : facts->heads;
	}
	if (facts->kv_heads == 0)
		facts->kv_heads = facts->heads;
	if (facts->head_dim == 0 && facts->heads > 0)
		facts->head_dim = facts->hidden_size / facts->heads;
	if (facts->intermediate == 0 && facts->type != NULL && facts->type->mlp == CKPT_MLP_PLAIN)
		facts->intermediate = 4 * facts->hidden_size;
	if (pl_text_equal(facts->model_type, "gpt2"))
		facts->positions = ckpt_count_at(facts, part, "n_positions");
	if (pl_text_equal(facts->model_type, "opt"))
		facts->positions = ckpt_count_at(facts, part, "max_position_embeddings") + 2;
	if (ckpt_has_trait(facts, CKPT_TRAIT_ENCODER)) {
		facts->positions = ckpt_count_at(facts, part, "max_position_embeddings");
		facts->token_types = ckpt_count_at(facts, part, "type_vocab_size");
	}
}

static bool is_in_list(const json_t *list, int64_t number)
{
	for (size_t i = 0; i < json_array_size(list) && i < CKPT_LAYERS_MAX; i++) {
		if (json_integer_value(json_array_get(list, i)) == number)
			return true;
	}
	return false;
}

/*
 * Determines the layers with experts: those after the leading dense ones, each `step`-th, except
 * those that the file lists as dense.
 */
static void read_experts(struct ckpt_facts *facts, const json_t *part)
{
	int64_t dense = ckpt_count_of(json_object_get(part, "first_k_dense_replace"));
	int64_t step = ckpt_count_at(facts, part, "decoder_sparse_step interleave_moe_layer_step");
	int64_t shared = ckpt_count_of(json_object_get(part, "n_shared_experts"));

	facts->experts = ckpt_count_at(
		facts, part, "num_local_experts num_experts n_routed_experts moe_num_experts");
	if (facts->experts <= 1 || facts->layers > CKPT_LAYERS_MAX) {
		facts->experts = 0;
		return;
	}
	facts->expert_intermediate = ckpt_count_of(json_object_get(part, "moe_intermediate_size"));
	if (facts->expert_intermediate == 0)
		facts->expert_intermediate = facts->intermediate;
	facts->shared_intermediate = ckpt_count_at(
		facts, part,
		"shared_expert_intermediate_size shared_intermediate_size "
		"moe_shared_expert_intermediate_size");
	facts->shared_gate = facts->shared_intermediate > 0 &&
			     json_object_get(part, "shared_expert_intermediate_size") != NULL;
	if (facts->shared_intermediate == 0)
		facts->shared_intermediate = shared * facts->expert_intermediate;
	/* Llama 4's shared expert is as wide as one of the others, its dense layers wider */
	if (ckpt_has_trait(facts, CKPT_TRAIT_CHUNKS)) {
		facts->shared_intermediate = facts->expert_intermediate;
		facts->intermediate = ckpt_count_at(facts, part, "intermediate_size_mlp");
	}
	for (int64_t i = 0; i < facts->layers; i++) {
		if (i >= dense && (step <= 1 || (i + 1) % step == 0) &&
		    !is_in_list(json_object_get(part, "mlp_only_layers"), i))
			facts->expert_layers++;
	}
}

/* RoPE scaling multiplies the limit, except where the file's limit has it already. */
static void scale_limit(struct ckpt_facts *facts, const json_t *rope)
{
	const char *type = pl_json_get_text(rope, "rope_type");
	double factor = pl_json_get_f64(rope, "factor");
	int64_t original = ckpt_count_of(json_object_get(rope, "original_max_position_embeddings"));

	if (type == NULL)
		type = pl_json_get_text(rope, "type");
	if (type == NULL || strcmp(type, "su") == 0 || strcmp(type, "longrope") == 0 ||
	    strcmp(type, "llama3") == 0)
		return;
	if (strcmp(type, "yarn") == 0 && original > 0)
		facts->max_len = original;
	facts->max_len_scaled = facts->max_len_scaled || factor > 0;
	if (factor > 0 && (double)facts->max_len * factor <= LENGTH_MAX)
		facts->max_len = (int64_t)((double)facts->max_len * factor);
}

/* Takes the smallest limit if a file has several, and records its key for messages. */
static void read_limit(struct ckpt_facts *facts, const json_t *part)
{
	static const char *const keys[] = {
		"max_position_embeddings", "n_positions",         "max_seq_len",    "seq_length",
		"model_max_length",        "max_sequence_length", "max_seq_length", "seq_len"
	};
	const json_t *rope = json_object_get(part, "rope_parameters");

	for (size_t i = 0; i < PL_ARRAY_SIZE(keys); i++) {
		int64_t limit = ckpt_count_at(facts, part, keys[i]);
		if (limit > 0 && (facts->max_len == 0 || limit < facts->max_len)) {
			facts->max_len = limit;
			snprintf(facts->max_len_key, sizeof(facts->max_len_key), "%s", keys[i]);
		}
	}
	facts->model_max_length = ckpt_count_of(json_object_get(part, "model_max_length"));
	if (!json_is_object(rope))
		rope = json_object_get(part, "rope_scaling");
	if (facts->max_len == 0 ||
	    strstr(facts->model_type != NULL ? facts->model_type : "", "gemma3") != NULL)
		return;
	scale_limit(facts, rope);
	PL_JSON_EACH_MEMBER(name, nested, rope) {
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

/* NAN where groups of layers differ: an average needs to know how many are of each. */
static double compressed_bits(const json_t *quantization)
{
	const json_t *groups = json_object_get(quantization, "config_groups");
	double found = NAN;

	PL_JSON_EACH_MEMBER(name, group, groups) {
		double bits = json_number_value(pl_json_get_path(group, "weights.num_bits"));
		double size = json_number_value(pl_json_get_path(group, "weights.group_size"));
		if (bits < 1 || (!isnan(found) && found != bits))
			return NAN;
		found = size > 0 ? bits + 16 / size : bits;
	}
	return found;
}

/* mxfp4: 4 bits and an 8-bit scale for each 32; NVFP4: 4 bits and an 8-bit scale for each 16. */
static double bits_of(const char *method, const json_t *quantization)
{
	const char *algorithm = pl_json_get_text(quantization, "quant_algo");

	if (pl_text_starts(method, "awq") || pl_text_starts(method, "gptq")) {
		/* Bits of a weight with the scale (and zero point) that a group of them shares. A group has one
		 * 16-bit scale and one zero point of `bits`. */
		double bits = pl_json_get_f64(quantization, "bits");
		double group = pl_json_get_f64(quantization, "group_size");
		if (bits == 0)
			bits = pl_json_get_f64(quantization, "w_bit");
		if (group == 0)
			group = pl_json_get_f64(quantization, "q_group_size");
		if (bits < 1 || bits > 16)
			return NAN;
		return group > 0 ? bits + (16 + bits) / group : bits;
	}
	if (strcmp(method, "fp8") == 0 || strcmp(method, "fbgemm_fp8") == 0)
		return 8;
	if (strcmp(method, "compressed-tensors") == 0)
		return compressed_bits(quantization);
	if (strcmp(method, "mxfp4") == 0)
		return 4.25;
	if (strcmp(method, "bitsandbytes") == 0)
		return pl_json_get_true(quantization, "load_in_4bit") ? 4.5 : 8;
	if (pl_text_starts(method, "modelopt") && algorithm != NULL)
		return strcmp(algorithm, "NVFP4") == 0 ? 4.5
		       : strcmp(algorithm, "FP8") == 0 ? 8
						       : NAN;
	return NAN;
}

void ckpt_config_quantization(struct ckpt_facts *facts, const json_t *quantization)
{
	const char *method = pl_json_get_text(quantization, "quant_method");
	const char *algorithm = pl_json_get_text(quantization, "quant_algo");
	const char *cache = pl_json_get_text(quantization, "kv_cache_quant_algo");

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

/*
 * Returns whether the key describes something that no row has; lists of ones mean the usual form.
 */
static bool is_foreign(const json_t *value)
{
	size_t ones = 0;

	while (ones < json_array_size(value) &&
	       json_integer_value(json_array_get(value, ones)) == 1)
		ones++;
	return value != NULL && !json_is_null(value) &&
	       !(json_is_integer(value) && json_integer_value(value) == 0) &&
	       !(ones > 0 && ones == json_array_size(value));
}

/* Rejects configurations that a row of the table cannot express. */
static void check_modelled(struct ckpt_facts *facts, const json_t *part)
{
	static const struct {
		const char *key;
		enum ckpt_trait trait; /* supported by families with it in their rows */
	} foreign[] = {
		{ "num_kv_shared_layers", CKPT_TRAIT_PLAIN },
		{ "index_topk", CKPT_TRAIT_INDEXER },
		{ "cross_attention_layers", CKPT_TRAIT_PLAIN },
		{ "hybrid_override_pattern", CKPT_TRAIT_PATTERN },
		{ "attn_type_list", CKPT_TRAIT_PLAIN },
		{ "block_configs", CKPT_TRAIT_PLAIN },
		{ "linear_attn_config", CKPT_TRAIT_PLAIN },
	};
	auto_free char *unknown = pl_asprintf("the estimate does not cover the family '%s'",
					      facts->model_type != NULL ? facts->model_type : "");
	auto_free char *missing = NULL;

	if (facts->type == NULL)
		ckpt_refuse(facts, unknown);
	for (size_t i = 0; i < PL_ARRAY_SIZE(foreign); i++) {
		if (!is_foreign(json_object_get(part, foreign[i].key)) ||
		    (foreign[i].trait != CKPT_TRAIT_PLAIN &&
		     ckpt_has_trait(facts, foreign[i].trait)))
			continue;
		free(missing);
		missing = pl_asprintf("the estimate does not cover '%s'", foreign[i].key);
		ckpt_refuse(facts, missing);
	}
	if (facts->layers == 0 || facts->heads == 0 || facts->head_dim == 0 ||
	    facts->hidden_size == 0)
		ckpt_refuse(facts, "config.json does not give its layers, heads and sizes");
	if (facts->type != NULL && facts->type->attention == CKPT_ATTENTION_LATENT &&
	    (facts->kv_lora_rank == 0 || facts->rope_dim == 0))
		ckpt_refuse(facts, "config.json does not give its latent sizes");
}

void ckpt_config_read(struct ckpt_facts *facts)
{
	const json_t *config = facts->config;
	const json_t *part = text_part(config);
	const json_t *tied = json_object_get(part, "tie_word_embeddings");
	const char *type = pl_json_get_text(part, "model_type");
	const char *dtype = pl_json_get_text(config, "torch_dtype");

	facts->architecture = pl_strdup(
		json_string_value(json_array_get(json_object_get(config, "architectures"), 0)));
	if (type == NULL)
		type = pl_json_get_text(config, "model_type");
	if (type == NULL)
		type = type_of_architecture(facts->architecture);
	/* the text part of Gemma 3 where its file does not name it */
	facts->model_type = pl_strdup(pl_text_equal(type, "gemma3") ? "gemma3_text" : type);
	facts->type = type_of(facts->model_type);
	/* a separate text part implies other parts, even if they are not described */
	facts->multimodal = part != config || is_multimodal(config);
	if (dtype == NULL)
		dtype = pl_json_get_text(config, "dtype");
	if (dtype == NULL)
		dtype = pl_json_get_text(part, pl_json_get_text(part, "torch_dtype") != NULL
						       ? "torch_dtype"
						       : "dtype");
	facts->dtype = ckpt_dtype_find(dtype);
	if (tied == NULL)
		tied = json_object_get(config, "tie_word_embeddings");
	facts->tied = tied != NULL ? json_is_true(tied) : facts->type != NULL && facts->type->tied;
	read_sizes(facts, part);
	read_experts(facts, part);
	facts->q_lora_rank = ckpt_count_of(json_object_get(part, "q_lora_rank"));
	facts->kv_lora_rank = ckpt_count_of(json_object_get(part, "kv_lora_rank"));
	facts->rope_dim = ckpt_count_of(json_object_get(part, "qk_rope_head_dim"));
	facts->nope_dim = ckpt_count_of(json_object_get(part, "qk_nope_head_dim"));
	facts->value_dim = ckpt_count_of(json_object_get(part, "v_head_dim"));
	ckpt_layers_read(facts, part);
	read_limit(facts, part);
	const json_t *given[] = {
		json_object_get(facts->config, "quantization_config"),
		json_object_get(facts->config, "compression_config"),
		json_object_get(part, "quantization_config"),
	};
	for (size_t i = 0; i < PL_ARRAY_SIZE(given) && facts->quantization == NULL; i++)
		ckpt_config_quantization(facts, given[i]);
	check_modelled(facts, part);
}
