/* Layers of several kinds: what a token and a request take of the KV cache. */
#include "checkpoint/memory/memory.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static json_t *parse(const char *text)
{
	struct pl_err err = PL_ERR_INIT;
	json_t *json = NULL;

	if (pl_json_parse(text, strlen(text), "test", &json, &err) < 0)
		fail_msg("%s", err.text);
	return json;
}

static void explain(const char *model, const char *text, const char *release,
		    struct ckpt_memory *ret)
{
	auto_json json_t *values = parse(text);
	auto_json json_t *env = json_object();
	struct vllm_target target = { .version = release };
	struct ckpt_source source = { .model = model };
	auto_model_facts struct ckpt_facts *facts = ckpt_facts_know(&source);

	assert_non_null(facts->known);
	ckpt_memory_explain(&CKPT_MODEL_CASE(.values = values, .env = env, .facts = facts,
					     .target = release != NULL ? &target : NULL),
			    ret);
}

#define QWEN  "Qwen/Qwen3.5-27B"
#define NANO  "nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16"
#define SCOUT "meta-llama/Llama-4-Scout-17B-16E-Instruct"
#define DSV32 "deepseek-ai/DeepSeek-V3.2"
#define GEMMA "google/gemma-4-26B-A4B"

static const struct {
	const char *model;
	const char *values;
	const char *release;
	double token_bytes;
	int64_t block_tokens;
	int64_t groups[3]; /* full, window or chunk, state */
	double blocks;     /* of a request of max_model_len */
} layouts[] = {
	/* 16 of 64 layers have keys and values, 2 x 4 heads x 256 x 2 bytes; a state has
	 * (10,240 x 3 x 2 + 48 x 128 x 128 x 4) bytes, as 784 tokens have */
	{ QWEN, "{\"max_model_len\":7840}", NULL, 65536, 784, { 1, 0, 3 }, 10 + 3 },
	{ QWEN,
	  "{\"max_model_len\":7841,\"tensor_parallel_size\":4}",
	  NULL,
	  16384,
	  784,
	  { 1, 0, 3 },
	  11 + 3 },
	{ QWEN,
	  "{\"max_model_len\":7840,\"mamba_ssm_cache_dtype\":\"bfloat16\"}",
	  NULL,
	  65536,
	  400,
	  { 1, 0, 3 },
	  20 + 3 },
	{ QWEN,
	  "{\"max_model_len\":784,\"enable_prefix_caching\":true}",
	  NULL,
	  65536,
	  784,
	  { 1, 0, 3 },
	  1 + 6 },
	{ QWEN,
	  "{\"max_model_len\":1024,\"block_size\":1024}",
	  NULL,
	  65536,
	  1024,
	  { 1, 0, 3 },
	  1 + 3 },
	/* 6 layers with 2 heads x 128, 23 with a state of (6,144 x 3 x 2 + 64 x 64 x 128 x
	 * 4) bytes: 2,096 tokens of 1,024 bytes; 23 are four groups of six */
	{ NANO, "{\"max_model_len\":4192}", NULL, 6144, 2096, { 1, 0, 4 }, 2 + 4 },
	/* 5 layers of 2 heads x 512 and 25 of 8 x 256, twice as much: blocks of 32 and 16 */
	{ GEMMA,
	  "{\"max_model_len\":512}",
	  NULL,
	  5 * 4096.0 + 25 * 8192,
	  32,
	  { 1, 5, 0 },
	  16 + 5 * 33 },
	/* with eight GPUs a head each: the wide ones have more, so those have the blocks
	 * of 16 */
	{ GEMMA,
	  "{\"max_model_len\":512,\"tensor_parallel_size\":8}",
	  NULL,
	  5 * 2048.0 + 25 * 1024,
	  16,
	  { 1, 5, 0 },
	  32 + 5 * 17 },
	/* one group needs no common page */
	{ GEMMA,
	  "{\"max_model_len\":512,\"disable_hybrid_kv_cache_manager\":true}",
	  NULL,
	  5 * 4096.0 + 25 * 8192,
	  16,
	  { 1, 0, 0 },
	  32 },
	/* 36 of 48 layers attend within 8,192 tokens */
	{ SCOUT,
	  "{\"max_model_len\":32768,\"max_num_batched_tokens\":2048}",
	  NULL,
	  196608,
	  16,
	  { 1, 3, 0 },
	  2048 + 3 * 640 },
	{ SCOUT, "{\"max_model_len\":32768}", "0.11.0", 196608, 16, { 1, 0, 0 }, 2048 },
	/* 576 numbers of two bytes and 132 bytes of the indexer in 61 layers */
	{ DSV32,
	  "{\"max_model_len\":640,\"tensor_parallel_size\":8}",
	  NULL,
	  61 * 1284.0,
	  64,
	  { 1, 0, 0 },
	  10 },
	{ DSV32,
	  "{\"max_model_len\":640,\"kv_cache_dtype\":\"fp8\"}",
	  NULL,
	  61 * 788.0,
	  64,
	  { 1, 0, 0 },
	  10 },
	{ DSV32, "{\"max_model_len\":640}", "0.11.0", 61 * 788.0, 64, { 1, 0, 0 }, 10 },
	{ "LGAI-EXAONE/EXAONE-4.0-32B",
	  "{\"max_model_len\":64}",
	  NULL,
	  262144,
	  16,
	  { 1, 3, 0 },
	  4 + 3 * 5 },
	{ "MiniMaxAI/MiniMax-M2", "{\"max_model_len\":64}", NULL, 253952, 16, { 1, 0, 0 }, 4 },
	{ "zai-org/GLM-5", "{\"max_model_len\":64}", NULL, 78 * 1284.0, 64, { 1, 0, 0 }, 1 },
};

static void test_kinds__tokens_and_blocks(void **state)
{
	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(layouts); i++) {
		auto_memory memory;
		explain(layouts[i].model, layouts[i].values, layouts[i].release, &memory);
		const struct ckpt_kv_layout *layout = &memory.layout;
		double request = memory.terms[CKPT_MEMORY_KV_BYTES_PER_REQUEST].value;
		if (memory.not_modelled != NULL)
			fail_msg("row %zu: %s", i, memory.not_modelled);
		assert_true(memory.terms[CKPT_MEMORY_KV_BYTES_PER_TOKEN].value ==
			    layouts[i].token_bytes);
		assert_int_equal(layout->block_tokens, layouts[i].block_tokens);
		assert_int_equal(layout->full_groups, layouts[i].groups[0]);
		assert_int_equal(layout->sliding_groups, layouts[i].groups[1]);
		assert_int_equal(layout->state_groups, layouts[i].groups[2]);
		if (request != layouts[i].blocks * layout->block_bytes)
			fail_msg("row %zu: %.2f blocks", i, request / layout->block_bytes);
	}
}

/* Bytes of a block are those of its tokens in the layers of a group, of whichever kind. */
static void test_kinds__pages_are_of_one_size(void **state)
{
	auto_memory memory;

	(void)state;
	explain(GEMMA, "{\"max_model_len\":512}", NULL, &memory);
	assert_true(memory.layout.block_bytes == 5 * 16 * 8192.0);
	assert_int_equal(memory.layout.sliding_block_tokens, 16);
}

static void test_kinds__unknown_kinds(void **state)
{
	static const struct {
		const char *model;
		const char *values;
		const char *why;
		double token_bytes; /* NaN: not known either */
	} rows[] = {
		{ NANO, "{\"enable_prefix_caching\":true}",
		  "the estimate does not cover a prefix cache of Mamba states", 6144 },
		{ QWEN, "{\"mamba_cache_mode\":\"all\"}",
		  "the estimate does not cover a prefix cache of Mamba states", 65536 },
		{ "meta-llama/Llama-3.2-11B-Vision-Instruct", "{}",
		  "the estimate does not cover 'cross_attention_layers'", NAN },
		{ "BAAI/bge-m3", "{}", "an encoder keeps no keys and values", 0 },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++) {
		auto_memory memory;
		explain(rows[i].model, rows[i].values, NULL, &memory);
		double token = memory.terms[CKPT_MEMORY_KV_BYTES_PER_TOKEN].value;
		assert_string_equal(memory.not_modelled, rows[i].why);
		assert_true(isnan(rows[i].token_bytes) ? isnan(token)
						       : token == rows[i].token_bytes);
		assert_true(isnan(memory.terms[CKPT_MEMORY_MAX_CONCURRENCY].value));
	}
}

static const char *note_of(const struct ckpt_memory *memory, const char *part)
{
	size_t i;
	json_t *note;

	json_array_foreach(memory->notes, i, note)
	{
		if (strstr(json_string_value(note), part) != NULL)
			return json_string_value(note);
	}
	return NULL;
}

static void test_kinds__says_where_facts_are_from(void **state)
{
	auto_memory seen;
	auto_memory derived;
	auto_memory whole;
	auto_buf text = { 0 };

	(void)state;
	pl_buf_init(&text, 1 << 16);
	explain(QWEN, "{}", NULL, &seen);
	assert_string_equal(seen.facts_source, "known_by_name");
	assert_string_equal(seen.facts_confidence, "seen");
	/* two bytes each of the language model; the rest is named */
	assert_true(seen.terms[CKPT_MEMORY_WEIGHTS_BYTES].value == 2 * 26895998464.0);
	assert_non_null(note_of(&seen, "has 885429488 more parameters"));
	ckpt_memory_text(&seen, &text);
	assert_non_null(strstr(pl_buf_text(&text), "facts: built-in model '" QWEN "' ("));

	explain("codellama/CodeLlama-7b-hf", "{}", NULL, &derived);
	assert_string_equal(derived.facts_confidence, "derived");
	assert_non_null(note_of(&derived, "dtype of the checkpoint is unknown"));
	/* layers that differ are not in the row; the public count is */
	explain("nvidia/Llama-3_3-Nemotron-Super-49B-v1", "{\"tensor_parallel_size\":2}", NULL,
		&whole);
	assert_true(whole.terms[CKPT_MEMORY_WEIGHTS_BYTES].value == 49867145216.0);
	assert_true(whole.terms[CKPT_MEMORY_WEIGHTS_BYTES].estimated);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kinds__tokens_and_blocks),
		cmocka_unit_test(test_kinds__pages_are_of_one_size),
		cmocka_unit_test(test_kinds__unknown_kinds),
		cmocka_unit_test(test_kinds__says_where_facts_are_from),
	};

	setenv("HF_HUB_CACHE", "/nowhere", 1);
	unsetenv("VLLM_ALLOW_CHUNKED_LOCAL_ATTN_WITH_HYBRID_KV_CACHE");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
