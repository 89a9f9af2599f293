#include "checkpoint/known.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/mem.h"
#include "checkpoint/checks.h"
#include "checkpoint/params.h"
#include "unit/checkpoint/model_folder.h"

#define TINY                                                                                 \
	"{\"model_type\":\"llama\",\"hidden_size\":128,\"intermediate_size\":256,"           \
	"\"num_hidden_layers\":2,\"num_attention_heads\":2,\"max_position_embeddings\":100," \
	"\"vocab_size\":1000,\"torch_dtype\":\"float16\"}"

/* The counts of the list the rows are made from: a slip of a formula, or of a row, moves one. */
static const struct {
	const char *name;
	double computed;
	double parameters;
	const char *config;
} rows[] = {
#define KNOWN(name, same_as, parameters, computed, confidence, config, quant) \
	{ name, computed, parameters, config },
#include "tbl/models.h"
#undef KNOWN
};

static struct ckpt_facts *know(const struct ckpt_source *source)
{
	return ckpt_facts_know(source);
}

static void test_known__every_row_is_counted(void **state)
{
	/* what the list has no count for: the families' own, each with the parts that the public
	 * count has besides */
	static const struct {
		const char *name;
		double numbers;
	} own[] = {
		/* 27,781,427,952 with the image reader, its merger and the drafting layer */
		{ "Qwen/Qwen3.5-27B", 27781427952.0 - 415891440.0 - 44838656.0 - 424699392.0 },
		{ "Qwen/Qwen3.5-35B-A3B", 35951822704.0 - 415891440.0 - 30679808.0 - 844640768.0 },
		/* 753,864,139,008 with the drafting layer and the routers' corrections, 75 x 256 */
		{ "zai-org/GLM-5", 753864139008.0 - 9952920576.0 - 75 * 256 },
		/* the same of 58 layers; the rest of 685,396,921,376 are scales of 128 x 128 */
		{ "deepseek-ai/DeepSeek-V3.2", 671877944064.0 - 58 * 256 },
		{ "nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16", 31577937344.0 },
		/* 10,665,463,808 with the image reader */
		{ "meta-llama/Llama-3.2-11B-Vision-Instruct", 10665463808.0 - 890271728.0 },
		{ "meta-llama/Llama-3.2-90B-Vision-Instruct", 87666865192.0 },
		/* published as 25.2 billion */
		{ "google/gemma-4-26B-A4B", 25247559710.0 },
	};
	size_t uncounted = 0;

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++) {
		auto_model_facts struct ckpt_facts *facts = ckpt_facts_parse(
			rows[i].config, strlen(rows[i].config), NULL);
		struct ckpt_params params;
		double expected = rows[i].computed;
		assert_int_equal(facts->state, CKPT_MODEL_READ);
		for (size_t k = 0; k < PL_ARRAY_SIZE(own); k++) {
			if (strcmp(own[k].name, rows[i].name) == 0)
				expected = own[k].numbers;
		}
		if (!ckpt_params_count(facts, CKPT_CUT_NONE, &params)) {
			uncounted++;
			assert_string_equal(rows[i].name, "nvidia/Llama-3_3-Nemotron-Super-49B-v1");
			continue;
		}
		if (fabs(ckpt_params_sum(&params) / expected - 1) > 1e-4)
			fail_msg("%s: %.0f numbers, expected %.0f", rows[i].name,
				 ckpt_params_sum(&params), expected);
	}
	assert_int_equal(uncounted, 1);
}

/* Counts of the models' own pages, to the last number. */
static void test_known__public_counts(void **state)
{
	static const struct {
		const char *name;
		double numbers;
	} counts[] = {
		{ "meta-llama/Llama-3.1-8B-Instruct", 8030261248 },
		{ "Qwen/Qwen3-8B", 8190735360 },
		{ "intfloat/multilingual-e5-large-instruct", 559890432 },
		{ "microsoft/phi-2", 2779683840 },
		{ "EleutherAI/gpt-j-6b", 6050882784 },
		{ "LGAI-EXAONE/EXAONE-4.0-32B", 32003216384 },
		{ "nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16", 31577937344 },
		/* 108,641,793,536 with the image reader */
		{ "meta-llama/Llama-4-Scout-17B-16E-Instruct", 108641793536 - 871932416 },
		{ "meta-llama/Llama-4-Maverick-17B-128E-Instruct", 401583781376 - 871932416 },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(counts); i++) {
		struct ckpt_source source = { .model = counts[i].name };
		auto_model_facts struct ckpt_facts *facts = know(&source);
		struct ckpt_params params;
		assert_non_null(facts->known);
		assert_true(ckpt_params_count(facts, CKPT_CUT_NONE, &params));
		if (ckpt_params_sum(&params) != counts[i].numbers)
			fail_msg("%s: %.0f numbers, expected %.0f", counts[i].name,
				 ckpt_params_sum(&params), counts[i].numbers);
	}
}

static void test_known__names(void **state)
{
	static const struct {
		const char *name;
		const char *row; /* NULL: not known */
	} names[] = {
		{ "meta-llama/Llama-2-7b-hf", "meta-llama/Llama-2-7b-hf" },
		{ "META-LLAMA/llama-2-7B-HF", "meta-llama/Llama-2-7b-hf" },
		{ "lmsys/vicuna-7b-v1.5", "meta-llama/Llama-2-7b-hf" },
		{ "LMSYS/Vicuna-7B-v1.5", "meta-llama/Llama-2-7b-hf" },
		{ "gpt2", "openai-community/gpt2" },
		/* beginnings and ends of names, and two at once, are none */
		{ "meta-llama/Llama-2-7b", NULL },
		{ "Llama-2-7b-hf", NULL },
		{ "lmsys/vicuna-7b-v1.5 ", NULL },
		{ "NousResearch/Llama-2-7b-hf NousResearch/Llama-2-7b-chat-hf", NULL },
		{ " ", NULL },
		{ "", NULL },
	};
	auto_free char *nearest = ckpt_known_nearest("meta-llama/Lama-3.1-8B-Instrct");
	auto_free char *far = ckpt_known_nearest("someone/own-model");

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(names); i++) {
		const struct ckpt_known *row = ckpt_known_find(names[i].name);
		if (row == NULL || names[i].row == NULL) {
			if ((row == NULL) != (names[i].row == NULL))
				fail_msg("'%s'", names[i].name);
			continue;
		}
		assert_string_equal(row->name, names[i].row);
	}
	assert_string_equal(nearest, "meta-llama/Llama-3.1-8B-Instruct");
	assert_null(far);
}

static void test_known__lists(void **state)
{
	auto_json json_t *json = ckpt_known_to_json();
	const json_t *first = json_array_get(json, 0);
	auto_buf text = { 0 };

	(void)state;
	pl_buf_init(&text, 1 << 20);
	ckpt_known_text(&text);
	assert_int_equal(json_array_size(json), PL_ARRAY_SIZE(rows));
	assert_string_equal(json_string_value(json_object_get(first, "model_type")), "llama");
	assert_non_null(strstr(pl_buf_text(&text), "\nlmsys/vicuna-7b-v1.5 "));
}

/* Files come first: a folder of that name, a snapshot in the cache. */
static void test_known__a_file_wins(void **state)
{
	struct folder *folder = *state;
	auto_free char *hub = folder_join(folder, "hub");
	auto_json json_t *env = json_pack("{s:s}", "HF_HUB_CACHE", hub);
	struct ckpt_source source = { .model = "meta-llama/Llama-3.1-8B", .env = env };

	{
		auto_model_facts struct ckpt_facts *facts = know(&source);
		assert_non_null(facts->known);
		assert_null(facts->problem);
		assert_null(facts->folder);
		assert_int_equal(facts->max_len, 131072);
	}
	/* a snapshot that has a tokenizer alone says nothing of the model ... */
	folder_text(folder, "hub/models--meta-llama--Llama-3.1-8B/refs/main", "c0ffee");
	folder_text(folder, "hub/models--meta-llama--Llama-3.1-8B/snapshots/c0ffee/tokenizer.json",
		    "{}");
	{
		auto_model_facts struct ckpt_facts *facts = know(&source);
		assert_int_equal(facts->state, CKPT_MODEL_READ);
		assert_non_null(facts->known);
	}
	/* ... one with a configuration all */
	folder_text(folder, "hub/models--meta-llama--Llama-3.1-8B/snapshots/c0ffee/config.json",
		    TINY);
	auto_model_facts struct ckpt_facts *facts = know(&source);
	assert_null(facts->known);
	assert_int_equal(facts->max_len, 100);
	/* a malformed file does not make the name trustworthy */
	folder_text(folder, "hub/models--meta-llama--Llama-3.1-8B/snapshots/c0ffee/config.json",
		    "{");
	auto_model_facts struct ckpt_facts *broken = know(&source);
	assert_int_equal(broken->state, CKPT_MODEL_BROKEN);
	/* nor is a folder of the person's own without one */
	folder_text(folder, "own/readme", "");
	source.model = folder->path;
	auto_model_facts struct ckpt_facts *own = know(&source);
	assert_int_equal(own->state, CKPT_MODEL_NO_CONFIG);
}

/* hf_config_path says whose configuration it is. */
static void test_known__config_path(void **state)
{
	struct folder *folder = *state;
	auto_free char *own = folder_join(folder, "own");
	struct ckpt_source source = { .model = "someone/fine-tune",
				      .config_path = "meta-llama/Llama-3.1-8B" };

	folder_text(folder, "own/config.json", TINY);
	auto_model_facts struct ckpt_facts *named = know(&source);
	assert_string_equal(named->known->name, "meta-llama/Llama-3.1-8B-Instruct");
	source.model = "meta-llama/Llama-3.1-8B";
	source.config_path = own;
	auto_model_facts struct ckpt_facts *file = know(&source);
	assert_null(file->known);
}

static void test_known__overrides_and_quantization(void **state)
{
	auto_json json_t *overrides = json_pack("{s:i}", "max_position_embeddings", 5000);
	struct ckpt_source source = { .model = "meta-llama/Llama-3.1-8B", .overrides = overrides };
	auto_model_facts struct ckpt_facts *facts = know(&source);

	(void)state;
	assert_int_equal(facts->max_len, 5000);
	source = (struct ckpt_source){ .model = "nvidia/Qwen3-235B-A22B-NVFP4" };
	auto_model_facts struct ckpt_facts *packed = know(&source);
	assert_string_equal(packed->quantization, "modelopt");
	assert_true(packed->kv_fp8 && packed->quant_bits == 4.5);
	/* the layers slide only if the model's file says so, and the file was not read: no
	 * default */
	source = (struct ckpt_source){ .model = "mistralai/Mistral-Small-Instruct-2409" };
	auto_model_facts struct ckpt_facts *silent = know(&source);
	assert_string_equal(silent->not_modelled, "its sliding_window is unknown");
	assert_int_equal(silent->sliding_window, 0);
}

static void test_known__doubts(void **state)
{
	static const struct {
		const char *revision;
		const char *load_format;
		const char *modelscope;
		const char *says; /* NULL: no doubt */
	} doubts[] = {
		{ NULL, NULL, NULL, NULL },
		{ "main", "dummy", "0", NULL },
		{ "v2", NULL, NULL, "not 'v2'" },
		{ NULL, "gguf", NULL, "not GGUF files" },
		{ NULL, NULL, "True", "not on ModelScope" },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(doubts); i++) {
		auto_json json_t *env = json_object();
		if (doubts[i].modelscope != NULL)
			json_object_set_new(env, "VLLM_USE_MODELSCOPE",
					    json_string(doubts[i].modelscope));
		struct ckpt_source source = { .model = "meta-llama/Llama-3.1-8B",
					      .revision = doubts[i].revision,
					      .load_format = doubts[i].load_format,
					      .env = env };
		auto_model_facts struct ckpt_facts *facts = know(&source);
		assert_int_equal(ckpt_facts_are_doubtful(facts, true), doubts[i].says != NULL);
		if (doubts[i].says == NULL)
			assert_null(facts->doubt);
		else
			assert_non_null(strstr(facts->doubt, doubts[i].says));
	}
}

/* An error of a copied file, a warning where the row was put together or is of another revision;
 * the shape of such a row is sure where the public count is what it gives. */
static void test_known__rules(void **state)
{
	static const struct {
		const char *values;
		const char *rule;
		enum option_severity severity;
	} checks[] = {
		{ "{\"model\":\"meta-llama/Llama-3.1-8B\",\"max_model_len\":200000}",
		  "max_model_len_within_model", OPTION_ERROR },
		{ "{\"model\":\"meta-llama/Llama-3.1-8B\",\"max_model_len\":200000,"
		  "\"revision\":\"v2\"}",
		  "max_model_len_within_model", OPTION_WARNING },
		{ "{\"model\":\"codellama/CodeLlama-7b-hf\",\"max_model_len\":200000}",
		  "max_model_len_within_model", OPTION_WARNING },
		{ "{\"model\":\"codellama/CodeLlama-7b-hf\",\"tensor_parallel_size\":5}",
		  "attention_heads_divide_by_tp", OPTION_ERROR },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(checks); i++) {
		auto_problems problems = { 0 };
		struct pl_err err = PL_ERR_INIT;
		auto_json json_t *values = NULL;
		assert_int_equal(pl_json_parse(checks[i].values, strlen(checks[i].values), "test",
					       &values, &err),
				 0);
		struct ckpt_source source = ckpt_source_of(values, NULL);
		auto_model_facts struct ckpt_facts *facts = know(&source);
		ckpt_checks(&CKPT_MODEL_CASE(.values = values, .facts = facts), &problems);
		assert_int_equal(problems.count, 2);
		assert_string_equal(problems.items[0].rule, "model_not_found");
		assert_string_equal(problems.items[1].rule, checks[i].rule);
		assert_int_equal(problems.items[1].severity, checks[i].severity);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_known__every_row_is_counted),
		cmocka_unit_test(test_known__public_counts),
		cmocka_unit_test(test_known__names),
		cmocka_unit_test(test_known__lists),
		cmocka_unit_test(test_known__overrides_and_quantization),
		cmocka_unit_test(test_known__doubts),
		cmocka_unit_test(test_known__rules),
#define FOLDER_TEST(name) cmocka_unit_test_setup_teardown(name, folder_setup, folder_teardown)
		FOLDER_TEST(test_known__a_file_wins),
		FOLDER_TEST(test_known__config_path),
	};

	/* no cache of this machine */
	setenv("HF_HUB_CACHE", "/nowhere", 1);
	unsetenv("VLLM_USE_MODELSCOPE");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
