/*
 * Conflicts between a model's files and the arguments that vLLM would report only after it has
 * loaded the model. Facts that are known by name and may be another checkpoint's only cause
 * warnings (ckpt_case_of_facts).
 */
#include "checkpoint/checks.h"

#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "checkpoint/config.h"
#include "checkpoint/known.h"
#include "vllm/python_literal.h"

#define ADAPTER_BYTES_MAX (1u << 20)
#define DIVISOR_MAX       1024
#define LORA_RANK         16

static void add(const struct ckpt_case *server, struct option_problems *problems,
		enum option_severity severity, const char *arg, const char *rule, const char *found,
		const char *expected)
{
	ckpt_case_add(server, problems, severity, arg, rule, found, expected, NULL);
}

/* An unknown name may be a private model's: the most similar one is only mentioned. */
static void add_absent(const struct ckpt_case *server, struct option_problems *problems,
		       const char *found)
{
	const char *model = server->facts->model;
	auto_free char *nearest = strchr(model, '/') != NULL && model[0] != '/'
					  ? ckpt_known_nearest(model)
					  : NULL;

	if (model[0] == '/') {
		add(server, problems, OPTION_WARNING, "model", "model_not_found", found,
		    "a directory with the model's config.json");
		return;
	}
	auto_free char *message = pl_asprintf("%s is not on this host, so vLLM will download it",
					      found);
	ckpt_case_warn(server, problems, "model", "model_not_found", message, nearest);
}

/* load_format dummy needs no weight files. */
static void check_found(const struct ckpt_case *server, struct option_problems *problems)
{
	const struct ckpt_facts *facts = server->facts;
	const char *load = ckpt_case_text(server, "load_format");
	auto_free char *found = pl_asprintf("'%s'", facts->model);

	if (facts->state == CKPT_MODEL_NOT_FOUND)
		add_absent(server, problems, found);
	if (facts->known != NULL) {
		auto_free char *message = pl_asprintf(
			"%s is not on this host, so vLLM will download it; the checks use "
			"ProfLLM's built-in data about this model",
			found);
		ckpt_case_warn(server, problems, "model", "model_not_found", message, NULL);
	}
	if (facts->state == CKPT_MODEL_NO_CONFIG)
		add(server, problems, OPTION_ERROR, "model", "model_not_found", facts->problem,
		    "a directory with the model's config.json");
	if (facts->state == CKPT_MODEL_BROKEN)
		add(server, problems, OPTION_ERROR, "model", "model_config_broken", facts->problem,
		    "a config.json that is a JSON object");
	if (load != NULL && strcmp(load, "dummy") == 0)
		return;
	if (facts->weights_problem != NULL)
		add(server, problems, OPTION_ERROR, "model", "weight_files_broken",
		    facts->weights_problem, "complete weight files");
	if (facts->weights.files > 0 && facts->weights.missing > 0) {
		auto_free char *count = pl_asprintf("%" PRId64 " weight files of the index are not "
						    "in '%s'",
						    facts->weights.missing, facts->folder);
		add(server, problems, OPTION_WARNING, "model", "weight_files_missing", count,
		    "all files that model.safetensors.index.json names");
	}
}

/*
 * Appends the valid divisors: "1, 2, 4, 7, 14 or 28". Delays the last one, because "or" precedes
 * it.
 */
static void add_divisors(struct pl_buf *buf, int64_t number, bool (*fits)(int64_t, int64_t),
			 int64_t other)
{
	int64_t last = 0;
	int count = 0;

	for (int64_t i = 1; i <= number && i <= DIVISOR_MAX; i++) {
		if (number % i != 0 || !fits(other, i))
			continue;
		if (last > 0)
			pl_buf_addf(buf, "%s%" PRId64, count > 1 ? ", " : "", last);
		last = i;
		count++;
	}
	pl_buf_addf(buf, "%s%" PRId64, count > 1 ? " or " : "", last);
}

static bool any_fits(int64_t heads, int64_t tensor)
{
	(void)heads;
	(void)tensor;
	return true;
}

/* vLLM gives each GPU whole KV heads, or a copy of one. */
static bool kv_fits(int64_t heads, int64_t tensor)
{
	if (heads == 0)
		return true;
	return heads >= tensor ? heads % tensor == 0 : tensor % heads == 0;
}

/* Reports only the first error: the divisors shown for it are also valid for the KV heads. */
static void check_heads(const struct ckpt_case *server, struct option_problems *problems)
{
	const struct ckpt_facts *facts = server->facts;
	int64_t tensor = ckpt_case_int(server, "tensor_parallel_size", 1);
	bool latent = facts->type != NULL && facts->type->attention == CKPT_ATTENTION_LATENT;
	auto_buf right = PL_BUF(8192);

	if (facts->heads == 0 || tensor <= 1)
		return;
	auto_free char *found = pl_asprintf("%" PRId64, tensor);
	if (facts->heads % tensor != 0) {
		add_divisors(&right, facts->heads, latent ? any_fits : kv_fits, facts->kv_heads);
		auto_free char *expected = pl_asprintf("a divisor of the model's %" PRId64
						       " attention heads: %s",
						       facts->heads, pl_buf_text(&right));
		add(server, problems, OPTION_ERROR, "tensor_parallel_size",
		    "attention_heads_divide_by_tp", found, expected);
		return;
	}
	if (latent || kv_fits(facts->kv_heads, tensor))
		return;
	add_divisors(&right, facts->heads, kv_fits, facts->kv_heads);
	auto_free char *expected = pl_asprintf("a divisor or a multiple of the model's %" PRId64
					       " KV heads: %s",
					       facts->kv_heads, pl_buf_text(&right));
	add(server, problems, facts->type != NULL ? OPTION_ERROR : OPTION_WARNING,
	    "tensor_parallel_size", "kv_heads_divide_by_tp", found, expected);
}

static void check_layers(const struct ckpt_case *server, struct option_problems *problems)
{
	int64_t stages = ckpt_case_int(server, "pipeline_parallel_size", 1);
	int64_t layers = server->facts->layers;

	if (layers == 0 || stages <= layers)
		return;
	auto_free char *found = pl_asprintf("%" PRId64, stages);
	auto_free char *expected = pl_asprintf(
		"at most %" PRId64 ", because each stage needs a layer of the model", layers);
	add(server, problems, OPTION_ERROR, "pipeline_parallel_size", "layers_fill_pp", found,
	    expected);
}

static void check_length(const struct ckpt_case *server, struct option_problems *problems)
{
	const struct ckpt_facts *facts = server->facts;
	int64_t len = ckpt_case_int(server, "max_model_len", -1);
	int64_t limit = facts->max_len;
	const char *key = facts->max_len_key;

	if (ckpt_case_is_true(server, "disable_sliding_window") && facts->sliding_window > 0 &&
	    facts->sliding_window < limit) {
		limit = facts->sliding_window;
		key = "sliding_window";
	}
	/* older releases had a separate argument for RoPE scaling */
	if (limit == 0 || len <= limit || len <= facts->model_max_length ||
	    json_is_object(json_object_get(server->values, "rope_scaling")))
		return;
	auto_free char *found = pl_asprintf("%" PRId64, len);
	auto_free char *right = pl_asprintf("%" PRId64, limit);
	auto_free char *expected = pl_asprintf(
		"at most %s, the model's %s%s", right, key,
		facts->max_len_scaled && limit == facts->max_len ? " with its RoPE scaling" : "");
	/* Interprets it like vLLM's own switches. */
	const char *text = ckpt_case_env(server, "VLLM_ALLOW_LONG_MAX_MODEL_LEN");
	ckpt_case_add(server, problems,
		      (text != NULL && (strcmp(text, "1") == 0 || strcasecmp(text, "true") == 0))
			      ? OPTION_WARNING
			      : OPTION_ERROR,
		      "max_model_len", "max_model_len_within_model", found, expected, right);
}

/* If max_model_len is set, rule budget_ge_len_unchunked reports the same. */
static void check_budget(const struct ckpt_case *server, struct option_problems *problems)
{
	int64_t tokens = ckpt_case_int(server, "max_num_batched_tokens", 0);
	int64_t len = ckpt_case_max_len(server);

	if (tokens <= 0 || tokens >= len || !ckpt_case_is_false(server, "enable_chunked_prefill") ||
	    json_is_number(json_object_get(server->values, "max_model_len")))
		return;
	auto_free char *found = pl_asprintf("%" PRId64, tokens);
	auto_free char *right = pl_asprintf("%" PRId64, len);
	auto_free char *expected = pl_asprintf(
		"at least %s, the maximum length of the model; enable chunked prefill or lower "
		"max_model_len",
		right);
	ckpt_case_add(server, problems, OPTION_ERROR, "max_num_batched_tokens",
		      "batched_tokens_reach_model", found, expected, right);
}

/* Methods for the same checkpoints; the first is the name in a checkpoint. */
static const char *const families[] = {
	"awq awq_marlin cpu_awq ipex moe_wna16 inc",
	"gptq gptq_marlin gptq_bitblas marlin moe_wna16 ipex inc bitblas",
	"compressed-tensors",
	"fp8 deepseek_fp8",
	"fbgemm_fp8",
	"modelopt modelopt_fp4 modelopt_mxfp8 modelopt_mixed",
	"mxfp4 gpt_oss_mxfp4",
	"bitsandbytes",
	"quark",
	"auto-round inc",
	"torchao",
	"hqq",
	"aqlm",
};

static bool has_word(const char *words, const char *word)
{
	return pl_text_has_word(words, ' ', word);
}

static bool is_known_method(const char *method)
{
	for (size_t i = 0; i < PL_ARRAY_SIZE(families); i++) {
		if (has_word(families[i], method))
			return true;
	}
	return has_word("fp8_per_tensor fp8_per_block ptpc_fp8 mxfp8 experts_int8 gguf", method);
}

/* A method that is not known is compared by its name. */
static bool same_family(const char *a, const char *b)
{
	for (size_t i = 0; i < PL_ARRAY_SIZE(families); i++) {
		if (has_word(families[i], a) && has_word(families[i], b))
			return true;
	}
	return strcmp(a, b) == 0;
}

/* Methods that read the output of a quantizer; the others quantize while loading. */
static bool needs_checkpoint(const char *method)
{
	return has_word("awq awq_marlin gptq gptq_marlin compressed-tensors modelopt modelopt_fp4 "
			"fbgemm_fp8 quark hqq aqlm auto-round",
			method);
}

static void check_quantization(const struct ckpt_case *server, struct option_problems *problems)
{
	static const char rule[] = "quantization_matches_model";
	const struct ckpt_facts *facts = server->facts;
	const char *given = ckpt_case_text(server, "quantization");

	if (given == NULL)
		return;
	auto_free char *method = ckpt_quantization_name(given);
	auto_free char *found = pl_asprintf("'%s'", given);
	if (facts->quantization == NULL && needs_checkpoint(method) && !facts->quant_file) {
		auto_free char *expected = pl_asprintf("null, because the checkpoint is not "
						       "quantized and %s needs a quantized one",
						       method);
		add(server, problems, OPTION_ERROR, "quantization", rule, found, expected);
		return;
	}
	if (facts->quantization == NULL || same_family(facts->quantization, method))
		return;
	auto_free char *expected = pl_asprintf("'%s', the value of the checkpoint, or unset",
					       facts->quantization);
	bool sure = is_known_method(method) && is_known_method(facts->quantization);
	ckpt_case_add(server, problems, sure ? OPTION_ERROR : OPTION_WARNING, "quantization", rule,
		      found, expected, facts->quantization);
}

static void check_dtype_of_gpu(const struct ckpt_case *server, struct option_problems *problems)
{
	const char *given = ckpt_case_text(server, "dtype");
	enum ckpt_dtype dtype = ckpt_dtype_find(given);
	int capability = server->hardware != NULL ? server->hardware->gpu.capability : 0;

	if (dtype == CKPT_DTYPE_BF16 && capability > 0 && capability < 80)
		ckpt_case_add(
			server, problems, OPTION_ERROR, "dtype", "dtype_suits_gpu", given,
			"float16 or float32: the GPU has no bfloat16 (compute capability below "
			"8.0)",
			"half");
}

/* The path of "name=path", of {"name": …, "path": …} or of such an object as text. */
static char *adapter_path(const json_t *module)
{
	const char *text = json_string_value(module);
	auto_json json_t *parsed = NULL;

	if (json_is_object(module))
		return pl_strdup(pl_json_get_text(module, "path"));
	if (text == NULL)
		return NULL;
	if (text[0] != '{')
		return strchr(text, '=') != NULL ? pl_strdup(strchr(text, '=') + 1) : NULL;
	if (pl_json_parse(text, strlen(text), "lora_modules", &parsed, PL_ERR_IGNORED) < 0)
		return NULL;
	return pl_strdup(pl_json_get_text(parsed, "path"));
}

/* 0: not known. The adapter is found as a model is: a folder, or one in the cache. */
static int64_t adapter_rank(const struct ckpt_case *server, const char *path)
{
	struct ckpt_source source = { .env = server->env };
	auto_free char *root = NULL;
	auto_free char *folder = ckpt_find(&source, path, &root);
	auto_free char *file = pl_asprintf("%s/adapter_config.json", folder);
	auto_free char *text = NULL;
	auto_json json_t *json = NULL;
	size_t len;

	if (folder == NULL ||
	    ckpt_read_plain(file, root, ADAPTER_BYTES_MAX, &text, &len, PL_ERR_IGNORED) < 0 ||
	    vllm_python_json(text, len, file, &json, PL_ERR_IGNORED) < 0)
		return 0;
	return pl_json_get_i64(json, "r");
}

/* The ranks that vLLM has slots for. */
static int64_t rank_for(int64_t rank)
{
	static const int64_t ranks[] = { 8, 16, 32, 64, 128, 256, 320, 512 };

	for (size_t i = 0; i < PL_ARRAY_SIZE(ranks); i++) {
		if (ranks[i] >= rank)
			return ranks[i];
	}
	return 0;
}

static void check_adapters(const struct ckpt_case *server, struct option_problems *problems)
{
	const json_t *modules = json_object_get(server->values, "lora_modules");
	int64_t most = ckpt_case_int(server, "max_lora_rank", LORA_RANK);

	for (size_t i = 0; i < json_array_size(modules); i++) {
		auto_free char *path = adapter_path(json_array_get(modules, i));
		int64_t rank = path != NULL ? adapter_rank(server, path) : 0;
		if (rank <= most)
			continue;
		int64_t right = rank_for(rank);
		auto_free char *found = pl_asprintf(
			"%" PRId64 " with adapter '%s' of rank %" PRId64, most, path, rank);
		auto_free char *expected = right > 0 ? pl_asprintf("%" PRId64, right)
						     : pl_strdup("an adapter of rank 512 or less");
		add(server, problems, OPTION_ERROR, "max_lora_rank", "lora_rank_within_max", found,
		    expected);
	}
}

/*
 * An assembled row may still have the right shape: heads and layers are checked with a separate
 * case.
 */
void ckpt_checks(const struct ckpt_case *server, struct option_problems *problems)
{
	struct ckpt_case of_facts = ckpt_case_of_facts(server);
	struct ckpt_case of_shape = ckpt_case_of_shape(server);

	check_dtype_of_gpu(server, problems);
	check_adapters(server, problems);
	if (server->facts == NULL)
		return;
	const struct ckpt_facts *facts = of_shape.facts;
	const char *given = ckpt_case_text(&of_shape, "dtype");
	if (ckpt_dtype_find(given) == CKPT_DTYPE_F16 && facts->model_type != NULL &&
	    has_word("gemma2 gemma3 gemma3_text plamo2 glm4", facts->model_type))
		ckpt_case_add(&of_shape, problems, OPTION_ERROR, "dtype", "dtype_suits_model",
			      given,
			      "bfloat16 or float32: vLLM does not serve this family in float16",
			      "bfloat16");
	check_found(server, problems);
	if (server->facts->state != CKPT_MODEL_READ)
		return;
	check_heads(&of_shape, problems);
	check_layers(&of_shape, problems);
	check_length(&of_facts, problems);
	check_budget(&of_facts, problems);
	check_quantization(&of_facts, problems);
}
