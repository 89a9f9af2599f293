#include "checkpoint/params.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "unit/checkpoint/public_configs.h"

/* The counts of the models' own pages. */
static void test_model_params__public_models(void **state)
{
	static const struct {
		const char *name;
		const char *config;
		double numbers;
	} rows[] = {
		{ "Llama-3.1-8B", LLAMA_31_8B, 8030261248 },
		{ "Qwen2-7B", QWEN2_7B, 7615616512 },
		{ "Qwen3-1.7B", QWEN3_17B, 1720574976 },
		/* 12,187,325,040 with the image reader, which has 421,290,864 */
		{ "Gemma 3 12B, text", GEMMA3_12B, 12187325040 - 421290864 },
		{ "gpt-oss-120b", GPT_OSS_120B, 116829156672 },
		{ "GPT-2", GPT2, 124439808 },
		{ "OPT-125M", OPT_125M, 125239296 },
		{ "Mixtral 8x7B", MIXTRAL_8X7B, 46702792704 },
		{ "Gemma 2 9B", GEMMA2_9B, 9241705984 },
		{ "Qwen3-30B-A3B", QWEN3_30B_A3B, 30532122624 },
		{ "Phi-3-mini", PHI3_MINI_4K, 3821079552 },
		{ "DeepSeek-V3", DEEPSEEK_V3, 671026404352 },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++) {
		struct ckpt_params params;
		auto_model_facts struct ckpt_facts *facts = ckpt_facts_parse(
			rows[i].config, strlen(rows[i].config), NULL);
		assert_true(ckpt_params_count(facts, CKPT_CUT_NONE, &params));
		if (ckpt_params_sum(&params) != rows[i].numbers)
			fail_msg("%s: %.0f numbers, expected %.0f", rows[i].name,
				 ckpt_params_sum(&params), rows[i].numbers);
	}
}

/* Qwen2-7B on two GPUs: everything halves but the norms and the o_proj's inputs' own:
 * embedding and head 2 x 152,064 x 3,584 / 2; a layer's maps (3,584 x (3,584 + 2 x 512) +
 * 3,584 x 3,584 + 3 x 3,584 x 18,944) / 2; biases 4,608 / 2; norms 57 x 3,584 whole. */
static void test_model_params__cut_by_tensor(void **state)
{
	struct ckpt_params params;
	auto_model_facts struct ckpt_facts *facts = ckpt_facts_parse(QWEN2_7B, strlen(QWEN2_7B),
								     NULL);

	(void)state;
	assert_true(ckpt_params_count(facts, (struct ckpt_cut){ 2, 1, 2, false }, &params));
	assert_true(params.embedding == 152064.0 * 3584 / 2 && params.head == params.embedding);
	assert_true(params.linear == 28 * (3584.0 * 4608 + 3584.0 * 3584 + 3 * 3584.0 * 18944) / 2);
	assert_true(params.rest == 28 * 4608.0 / 2 + 57 * 3584.0);
}

/* Stages of 3, 3 and 2 layers, one end of the model each at most. */
static void test_model_params__cut_by_pipeline(void **state)
{
	static const char config[] =
		"{\"model_type\":\"llama\",\"hidden_size\":64,\"intermediate_size\":128,"
		"\"num_hidden_layers\":8,\"num_attention_heads\":4,\"vocab_size\":100}";
	struct ckpt_params params;
	auto_model_facts struct ckpt_facts *facts = ckpt_facts_parse(config, strlen(config), NULL);

	(void)state;
	assert_true(ckpt_params_count(facts, (struct ckpt_cut){ 1, 3, 1, false }, &params));
	assert_true(params.linear == 3 * (4 * 64 * 64 + 3 * 64 * 128));
	assert_true(params.embedding == 100 * 64 && params.head == 0);
	/* four GPUs: the vocabulary of 100 is padded to 128 */
	assert_true(ckpt_params_count(facts, (struct ckpt_cut){ 4, 1, 4, false }, &params));
	assert_true(params.embedding == 32 * 64);
}

/* More GPUs than KV heads: each keeps one whole head of keys and values. */
static void test_model_params__kv_heads_are_copied(void **state)
{
	struct ckpt_params whole;
	struct ckpt_params cut;
	auto_model_facts struct ckpt_facts *facts = ckpt_facts_parse(LLAMA_31_8B,
								     strlen(LLAMA_31_8B), NULL);

	(void)state;
	assert_true(ckpt_params_count(facts, CKPT_CUT_NONE, &whole));
	assert_true(ckpt_params_count(facts, (struct ckpt_cut){ 16, 1, 16, false }, &cut));
	/* half a head more a GPU for k and v: 32 layers x 2 x 4,096 x 64 */
	assert_true(cut.linear == whole.linear / 16 + 32.0 * 2 * 4096 * 64);
}

static void test_model_params__unknown_families(void **state)
{
	static const char *const configs[] = {
		"{\"model_type\":\"mamba\",\"hidden_size\":768,\"num_hidden_layers\":24}",
		"{\"model_type\":\"llama\",\"num_hidden_layers\":0,\"vocab_size\":null}",
		"{}",
	};
	struct ckpt_params params;

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(configs); i++) {
		auto_model_facts struct ckpt_facts *facts = ckpt_facts_parse(
			configs[i], strlen(configs[i]), NULL);
		assert_false(ckpt_params_count(facts, CKPT_CUT_NONE, &params));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_model_params__public_models),
		cmocka_unit_test(test_model_params__cut_by_tensor),
		cmocka_unit_test(test_model_params__cut_by_pipeline),
		cmocka_unit_test(test_model_params__kv_heads_are_copied),
		cmocka_unit_test(test_model_params__unknown_families),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
