#include "checkpoint/checks.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "unit/checkpoint/model_folder.h"
#include "unit/checkpoint/public_configs.h"

static json_t *parse(const char *text)
{
	struct pl_err err = PL_ERR_INIT;
	json_t *json = NULL;

	if (pl_json_parse(text, strlen(text), "test", &json, &err) < 0)
		fail_msg("%s", err.text);
	return json;
}

static void check(const char *config, const char *values, const char *env, const char *hardware,
		  struct option_problems *problems)
{
	auto_model_facts struct ckpt_facts *facts = ckpt_facts_parse(config, strlen(config), NULL);
	auto_json json_t *value_json = parse(values);
	auto_json json_t *env_json = parse(env);
	struct ckpt_hardware gpu;
	struct pl_err err = PL_ERR_INIT;
	struct ckpt_case server = CKPT_MODEL_CASE(.values = value_json, .env = env_json,
						  .facts = facts);

	if (hardware != NULL) {
		assert_int_equal(ckpt_hardware_find(hardware, &gpu, &err), 0);
		server.hardware = &gpu;
	}
	ckpt_checks(&server, problems);
}

#define QUANTIZED(method) \
	"{\"model_type\":\"llama\",\"quantization_config\":{\"quant_method\":\"" method "\"}}"

/* rule NULL: nothing is wrong. */
static void test_model_checks__rules(void **state)
{
	static const struct {
		const char *config;
		const char *values;
		const char *rule;
		const char *key;
		const char *says; /* in what was expected */
	} rows[] = {
		/* what vLLM 0.32.0 refused of the tiny model */
		{ TINY, "{\"tensor_parallel_size\":4}", "attention_heads_divide_by_tp",
		  "server.tensor_parallel_size", "the model's 2 attention heads: 1 or 2" },
		{ TINY, "{\"max_model_len\":100000}", "max_model_len_within_model",
		  "server.max_model_len", "at most 4096, the model's max_position_embeddings" },
		{ TINY, "{\"quantization\":\"awq\"}", "quantization_matches_model",
		  "server.quantization", "awq needs a quantized one" },
		{ TINY, "{\"enable_chunked_prefill\":false,\"max_num_batched_tokens\":64}",
		  "batched_tokens_reach_model", "server.max_num_batched_tokens", "at least 4096" },
		/* ... and what it took */
		{ TINY, "{\"tensor_parallel_size\":2,\"max_model_len\":4096}", NULL, NULL, NULL },
		{ TINY, "{\"max_num_batched_tokens\":64}", NULL, NULL, NULL },
		{ TINY,
		  "{\"enable_chunked_prefill\":false,\"max_num_batched_tokens\":64,"
		  "\"max_model_len\":64}",
		  NULL, NULL, NULL },

		{ QWEN2_7B, "{\"tensor_parallel_size\":8}", "attention_heads_divide_by_tp",
		  "server.tensor_parallel_size", "28 attention heads: 1, 2, 4 or 28" },
		/* 28 heads divide by 7, but 7 is neither a divisor nor a multiple of 4 KV heads */
		{ QWEN2_7B, "{\"tensor_parallel_size\":7}", "kv_heads_divide_by_tp",
		  "server.tensor_parallel_size", "4 KV heads: 1, 2, 4 or 28" },
		{ QWEN2_7B, "{\"tensor_parallel_size\":4}", NULL, NULL, NULL },
		{ LLAMA_31_8B, "{\"tensor_parallel_size\":16}", NULL, NULL, NULL },
		/* latent attention has no KV heads to share */
		{ DEEPSEEK_V3, "{\"tensor_parallel_size\":64}", NULL, NULL, NULL },
		{ TINY, "{\"pipeline_parallel_size\":3}", "layers_fill_pp",
		  "server.pipeline_parallel_size", "at most 2" },
		{ TINY, "{\"pipeline_parallel_size\":2}", NULL, NULL, NULL },

		{ LLAMA_31_8B, "{\"max_model_len\":131072}", NULL, NULL, NULL },
		{ LLAMA_31_8B, "{\"max_model_len\":131073}", "max_model_len_within_model",
		  "server.max_model_len", "at most 131072" },
		{ LLAMA_31_8B, "{\"max_model_len\":-1}", NULL, NULL, NULL },
		{ LLAMA_31_8B, "{\"max_model_len\":\"auto\"}", NULL, NULL, NULL },
		{ PHI3_MINI_4K, "{\"max_model_len\":4096,\"disable_sliding_window\":true}",
		  "max_model_len_within_model", "server.max_model_len",
		  "at most 2047, the model's sliding_window" },
		{ GPT_OSS_120B, "{\"max_model_len\":131073}", "max_model_len_within_model",
		  "server.max_model_len", "with its RoPE scaling" },
		{ "{\"max_position_embeddings\":100,\"model_max_length\":200}",
		  "{\"max_model_len\":100}", NULL, NULL, NULL },
		/* a limit that the file does not state does not apply */
		{ "{\"model_type\":\"llama\",\"max_position_embeddings\":null}",
		  "{\"max_model_len\":1000000}", NULL, NULL, NULL },

		{ QUANTIZED("fp8"), "{\"quantization\":\"fp8\"}", NULL, NULL, NULL },
		{ QUANTIZED("fp8"), "{\"quantization\":\"awq\"}", "quantization_matches_model",
		  "server.quantization", "'fp8', the value of the checkpoint, or unset" },
		{ QUANTIZED("compressed-tensors"), "{\"quantization\":\"awq\"}",
		  "quantization_matches_model", "server.quantization", "'compressed-tensors'" },
		{ QUANTIZED("awq"), "{\"quantization\":\"awq_marlin\"}", NULL, NULL, NULL },
		{ QUANTIZED("gptq"), "{\"quantization\":\"GPTQ_marlin\"}", NULL, NULL, NULL },
		{ QUANTIZED("mxfp4"), "{}", NULL, NULL, NULL },
		{ TINY, "{\"quantization\":\"fp8\"}", NULL, NULL, NULL },
		{ TINY, "{\"quantization\":\"bitsandbytes\"}", NULL, NULL, NULL },

		{ GEMMA3_12B, "{\"dtype\":\"half\"}", "dtype_suits_model", "server.dtype",
		  "bfloat16 or float32" },
		{ GEMMA3_12B, "{\"dtype\":\"bfloat16\"}", NULL, NULL, NULL },
		{ "{}", "{\"tensor_parallel_size\":4,\"max_model_len\":100}", NULL, NULL, NULL },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++) {
		auto_problems problems = { 0 };
		check(rows[i].config, rows[i].values, "{}", NULL, &problems);
		if (problems.count != (rows[i].rule != NULL ? 1 : 0))
			fail_msg("row %zu: %zu problems, the first %s", i, problems.count,
				 problems.count > 0 ? problems.items[0].expected : "");
		if (rows[i].rule == NULL)
			continue;
		assert_string_equal(problems.items[0].rule, rows[i].rule);
		assert_string_equal(problems.items[0].key, rows[i].key);
		assert_int_equal(problems.items[0].severity, OPTION_ERROR);
		if (strstr(problems.items[0].expected, rows[i].says) == NULL)
			fail_msg("row %zu: '%s'", i, problems.items[0].expected);
	}
}

static void test_model_checks__what_only_warns(void **state)
{
	static const struct {
		const char *config;
		const char *values;
		const char *env;
	} rows[] = {
		{ TINY, "{\"max_model_len\":8192}", "{\"VLLM_ALLOW_LONG_MAX_MODEL_LEN\":\"1\"}" },
		{ QUANTIZED("fp8"), "{\"quantization\":\"someones_own\"}", "{}" },
		{ "{\"model_type\":\"new\",\"num_attention_heads\":24,\"num_key_value_heads\":4}",
		  "{\"tensor_parallel_size\":6}", "{}" },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++) {
		auto_problems problems = { 0 };
		check(rows[i].config, rows[i].values, rows[i].env, NULL, &problems);
		assert_int_equal(problems.count, 1);
		assert_int_equal(problems.errors, 0);
	}
}

static void test_model_checks__dtype_and_gpu(void **state)
{
	auto_problems old = { 0 };
	auto_problems new = { 0 };

	(void)state;
	check(LLAMA_31_8B, "{\"dtype\":\"bfloat16\"}", "{}", "t4", &old);
	assert_int_equal(old.count, 1);
	assert_string_equal(old.items[0].rule, "dtype_suits_gpu");
	assert_string_equal(old.items[0].nearest, "half");
	check(LLAMA_31_8B, "{\"dtype\":\"bfloat16\"}", "{}", "l4", &new);
	assert_int_equal(new.count, 0);
}

/* The places of arguments that were set; the section's where it was left out. */
static void position_of(void *user, const char *arg, struct vllm_rule_location *ret)
{
	const char *const *set = user;

	*ret = (struct vllm_rule_location){ .source = "x.yaml", .line = 1 };
	if (arg != NULL && strcmp(arg, *set) == 0)
		*ret = (struct vllm_rule_location){ .source = "x.yaml", .line = 7, .column = 3 };
}

static void load_and_check(const json_t *values, const json_t *env,
			   struct option_problems *problems)
{
	const char *set = "model";
	struct ckpt_source source = ckpt_source_of(values, env);
	auto_model_facts struct ckpt_facts *facts = ckpt_facts_load(&source);
	struct ckpt_case server = CKPT_MODEL_CASE(.values = values, .env = env, .facts = facts,
						  .location = position_of, .user = (void *)&set);

	ckpt_checks(&server, problems);
}

static void test_model_checks__folders(void **state)
{
	static const struct {
		const char *model; /* in the test's folder; NULL: by name */
		const char *rule;
		enum option_severity severity;
	} rows[] = {
		{ NULL, "model_not_found", OPTION_WARNING },
		{ "none", "model_not_found", OPTION_ERROR },
		{ "broken", "model_config_broken", OPTION_ERROR },
		{ "cut", "weight_files_broken", OPTION_ERROR },
		{ "some", "weight_files_missing", OPTION_WARNING },
	};
	struct folder *folder = *state;
	auto_json json_t *env = json_object();

	json_object_set_new(env, "HF_HUB_CACHE", json_string(folder->path));
	folder_text(folder, "none/readme", "");
	folder_text(folder, "broken/config.json", "{");
	folder_text(folder, "cut/config.json", TINY);
	folder_text(folder, "cut/model.safetensors", "abc");
	folder_text(folder, "some/config.json", TINY);
	folder_text(folder, "some/model.safetensors.index.json",
		    "{\"weight_map\":{\"a\":\"1.safetensors\",\"b\":\"2.safetensors\"}}");
	folder_tensors(folder, "some/1.safetensors", "{}", 0);
	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++) {
		auto_problems problems = { 0 };
		auto_free char *path = rows[i].model != NULL
					       ? folder_join(folder, rows[i].model)
					       : pl_strdup("no-such-org/no-such-model");
		auto_json json_t *values = json_pack("{s:s}", "model", path);
		load_and_check(values, env, &problems);
		assert_int_equal(problems.count, 1);
		assert_string_equal(problems.items[0].rule, rows[i].rule);
		assert_int_equal(problems.items[0].severity, rows[i].severity);
		assert_string_equal(problems.items[0].key, "server.model");
		assert_int_equal(problems.items[0].line, 7);
	}
	/* weights that are never loaded can be broken */
	auto_problems problems = { 0 };
	auto_free char *path = folder_join(folder, "cut");
	auto_json json_t *values = json_pack("{s:s,s:s}", "model", path, "load_format", "dummy");
	load_and_check(values, env, &problems);
	assert_int_equal(problems.count, 0);
}

/* The quantizer's own file next to config.json is enough. */
static void test_model_checks__quantization_file(void **state)
{
	struct folder *folder = *state;
	auto_problems problems = { 0 };
	auto_free char *path = folder_join(folder, "m");
	auto_json json_t *values = json_pack("{s:s,s:s}", "model", path, "quantization", "awq");

	folder_text(folder, "m/config.json", TINY);
	folder_text(folder, "m/quant_config.json", "{}");
	load_and_check(values, NULL, &problems);
	assert_int_equal(problems.count, 0);
}

static void test_model_checks__lora_ranks(void **state)
{
	struct folder *folder = *state;
	auto_free char *path = folder_join(folder, "adapter");
	static const struct {
		const char *form; /* %s: the adapter's folder */
		const char *more;
		const char *expected; /* NULL: nothing is wrong */
	} rows[] = {
		{ "[\"sql=%s\"]", "", "64" },
		{ "[{\"name\":\"sql\",\"path\":\"%s\"}]", "", "64" },
		{ "[\"{\\\"name\\\":\\\"sql\\\",\\\"path\\\":\\\"%s\\\"}\"]", "", "64" },
		{ "[\"sql=%s\"]", ",\"max_lora_rank\":32", "64" },
		{ "[\"sql=%s\"]", ",\"max_lora_rank\":64", NULL },
		{ "[\"sql=/nowhere%s\"]", "", NULL },
		{ "[\"%s\"]", "", NULL },
		{ "[7,\"{%s\"]", "", NULL },
	};

	folder_text(folder, "adapter/adapter_config.json", "{\"r\":33,\"lora_alpha\":16}");
	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++) {
		auto_problems problems = { 0 };
		auto_buf text = { 0 };
		const char *mark = strstr(rows[i].form, "%s");
		pl_buf_init(&text, 4096);
		pl_buf_addf(&text, "{\"lora_modules\":%.*s%s%s%s}", (int)(mark - rows[i].form),
			    rows[i].form, path, mark + 2, rows[i].more);
		auto_json json_t *values = parse(pl_buf_text(&text));
		load_and_check(values, NULL, &problems);
		assert_int_equal(problems.count, rows[i].expected != NULL);
		if (rows[i].expected == NULL)
			continue;
		assert_string_equal(problems.items[0].rule, "lora_rank_within_max");
		assert_string_equal(problems.items[0].expected, rows[i].expected);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_model_checks__rules),
		cmocka_unit_test(test_model_checks__what_only_warns),
		cmocka_unit_test(test_model_checks__dtype_and_gpu),
#define FOLDER_TEST(name) cmocka_unit_test_setup_teardown(name, folder_setup, folder_teardown)
		FOLDER_TEST(test_model_checks__folders),
		FOLDER_TEST(test_model_checks__quantization_file),
		FOLDER_TEST(test_model_checks__lora_ranks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
