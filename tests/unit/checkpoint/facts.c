#include "checkpoint/facts.h"

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

static struct ckpt_facts *parse(const char *config)
{
	return ckpt_facts_parse(config, strlen(config), NULL);
}

static struct ckpt_facts *load(const char *model, const json_t *env)
{
	struct ckpt_source source = { .model = model, .env = env };

	return ckpt_facts_load(&source);
}

static void test_model_facts__public_configs(void **state)
{
	static const struct {
		const char *config;
		int64_t heads;
		int64_t kv_heads;
		int64_t head_dim;
		int64_t layers;
		int64_t max_len;
		int64_t sliding_layers;
		enum ckpt_dtype dtype;
		bool multimodal;
		const char *quantization;
	} rows[] = {
		{ LLAMA_31_8B, 32, 8, 128, 32, 131072, 0, CKPT_DTYPE_BF16, false, NULL },
		{ QWEN2_7B, 28, 4, 128, 28, 32768, 0, CKPT_DTYPE_BF16, false, NULL },
		/* what its config.json leaves out is Gemma 3's own default */
		{ GEMMA3_12B, 16, 8, 256, 48, 131072, 40, CKPT_DTYPE_BF16, true, NULL },
		/* 4,096 x 32 */
		{ GPT_OSS_120B, 64, 8, 64, 36, 131072, 18, CKPT_DTYPE_BF16, false, "mxfp4" },
		{ GPT2, 12, 12, 64, 12, 1024, 0, CKPT_DTYPE_UNKNOWN, false, NULL },
		{ OPT_125M, 12, 12, 64, 12, 2048, 0, CKPT_DTYPE_F16, false, NULL },
		{ MIXTRAL_8X7B, 32, 8, 128, 32, 32768, 0, CKPT_DTYPE_BF16, false, NULL },
		{ GEMMA2_9B, 16, 8, 256, 42, 8192, 21, CKPT_DTYPE_F32, false, NULL },
		{ PHI3_MINI_4K, 32, 32, 96, 32, 4096, 32, CKPT_DTYPE_BF16, false, NULL },
		/* 4,096 x 40 */
		{ DEEPSEEK_V3, 128, 128, 56, 61, 163840, 0, CKPT_DTYPE_BF16, false, "fp8" },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++) {
		auto_model_facts struct ckpt_facts *facts = parse(rows[i].config);
		assert_int_equal(facts->state, CKPT_MODEL_READ);
		assert_null(facts->not_modelled);
		assert_int_equal(facts->heads, rows[i].heads);
		assert_int_equal(facts->kv_heads, rows[i].kv_heads);
		assert_int_equal(facts->head_dim, rows[i].head_dim);
		assert_int_equal(facts->layers, rows[i].layers);
		assert_int_equal(facts->max_len, rows[i].max_len);
		assert_int_equal(facts->sliding_layers, rows[i].sliding_layers);
		assert_int_equal(facts->dtype, rows[i].dtype);
		assert_int_equal(facts->multimodal, rows[i].multimodal);
		if (rows[i].quantization == NULL)
			assert_null(facts->quantization);
		else
			assert_string_equal(facts->quantization, rows[i].quantization);
	}
}

/* Where model_type is left out, the architecture tells the family. */
static void test_model_facts__families_by_architecture(void **state)
{
	static const struct {
		const char *architecture;
		const char *type;
	} rows[] = {
		{ "LlamaForCausalLM", "llama" },
		{ "Qwen3MoeForCausalLM", "qwen3_moe" },
		{ "GPT2LMHeadModel", "gpt2" },
		{ "GptOssForCausalLM", "gpt_oss" },
		{ "DeepseekV3ForCausalLM", "deepseek_v3" },
		{ "LlamaX", NULL },
		{ "LlamForCausalLM", NULL },
		{ "ForCausalLM", NULL },
		{ "Gemma3ForConditionalGeneration", NULL },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++) {
		auto_free char *config = pl_asprintf("{\"architectures\":[\"%s\"]}",
						     rows[i].architecture);
		auto_model_facts struct ckpt_facts *facts = parse(config);
		if (rows[i].type == NULL)
			assert_null(facts->model_type);
		else
			assert_string_equal(facts->model_type, rows[i].type);
	}
}

static void test_model_facts__length_limits(void **state)
{
	static const struct {
		const char *config;
		int64_t max_len;
	} rows[] = {
		{ "{\"max_position_embeddings\":4096}", 4096 },
		{ "{\"max_position_embeddings\":4096,\"seq_length\":2048}", 2048 },
		{ "{\"max_position_embeddings\":2048,\"rope_scaling\":{\"type\":\"linear\","
		  "\"factor\":4.0}}",
		  8192 },
		{ "{\"max_position_embeddings\":32768,\"rope_scaling\":{\"rope_type\":\"yarn\","
		  "\"factor\":4.0,\"original_max_position_embeddings\":32768}}",
		  131072 },
		{ "{\"max_position_embeddings\":131072,\"rope_scaling\":{\"type\":\"longrope\","
		  "\"factor\":32}}",
		  131072 },
		{ "{\"max_position_embeddings\":32768,\"rope_scaling\":{\"type\":\"mrope\","
		  "\"mrope_section\":[16,24,24]}}",
		  32768 },
		{ "{\"max_position_embeddings\":32768,\"rope_scaling\":{\"type\":\"video_rope\","
		  "\"factor\":null}}",
		  32768 },
		/* Transformers 5: by kind of layer */
		{ "{\"max_position_embeddings\":65536,\"rope_parameters\":{\"full_attention\":"
		  "{\"rope_type\":\"yarn\",\"factor\":8.0,\"original_max_position_embeddings\":"
		  "8192},"
		  "\"sliding_attention\":{\"rope_type\":\"default\"}}}",
		  65536 },
		/* Gemma 3's limit has its scaling already */
		{ "{\"model_type\":\"gemma3_text\",\"rope_scaling\":{\"rope_type\":\"linear\","
		  "\"factor\":8.0}}",
		  131072 },
		{ "{\"hidden_size\":4}", 0 },
		{ "{\"max_position_embeddings\":-1}", 0 },
		{ "{\"max_position_embeddings\":\"4096\"}", 0 },
		{ "{\"max_position_embeddings\":1e300}", 0 },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++) {
		auto_model_facts struct ckpt_facts *facts = parse(rows[i].config);
		if (facts->max_len != rows[i].max_len)
			fail_msg("%s: %lld", rows[i].config, (long long)facts->max_len);
	}
}

static void test_model_facts__quantizations(void **state)
{
	static const struct {
		const char *quantization;
		const char *method;
		double bits; /* NaN: not known */
		bool kv_fp8;
	} rows[] = {
		/* 4 bits and for each 128 a 16-bit scale and a 4-bit zero: 4 + 20 / 128 */
		{ "{\"quant_method\":\"awq\",\"bits\":4,\"group_size\":128}", "awq", 4.15625,
		  false },
		{ "{\"quant_method\":\"gptq\",\"bits\":8,\"group_size\":-1}", "gptq", 8, false },
		{ "{\"quant_method\":\"FP8\"}", "fp8", 8, false },
		{ "{\"quant_method\":\"compressed_tensors\",\"config_groups\":{\"group_0\":"
		  "{\"weights\":{\"num_bits\":8,\"group_size\":null}}},\"kv_cache_scheme\":"
		  "{\"num_bits\":8,\"type\":\"float\"}}",
		  "compressed-tensors", 8, true },
		{ "{\"quant_method\":\"bitsandbytes\",\"load_in_4bit\":true}", "bitsandbytes", 4.5,
		  false },
		{ "{\"quant_algo\":\"NVFP4\",\"kv_cache_quant_algo\":\"FP8\"}", "modelopt", 4.5,
		  true },
		{ "{\"quant_method\":\"someones_own\"}", "someones_own", NAN, false },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++) {
		auto_free char *config = pl_asprintf("{\"model_type\":\"llama\","
						     "\"quantization_config\":%s}",
						     rows[i].quantization);
		auto_model_facts struct ckpt_facts *facts = parse(config);
		assert_string_equal(facts->quantization, rows[i].method);
		assert_true(isnan(rows[i].bits) ? isnan(facts->quant_bits)
						: facts->quant_bits == rows[i].bits);
		assert_int_equal(facts->kv_fp8, rows[i].kv_fp8);
	}
}

/* hf_overrides count as if the file said so, key by key. */
static void test_model_facts__overrides(void **state)
{
	struct pl_err err = PL_ERR_INIT;
	auto_json json_t *overrides = NULL;
	static const char text[] = "{\"max_position_embeddings\":100,\"rope_scaling\":"
				   "{\"rope_type\":\"linear\",\"factor\":2}}";

	(void)state;
	assert_int_equal(pl_json_parse(text, strlen(text), "t", &overrides, &err), 0);
	auto_model_facts struct ckpt_facts *facts = ckpt_facts_parse(
		LLAMA_31_8B, strlen(LLAMA_31_8B), overrides);
	assert_int_equal(facts->max_len, 200);
	assert_int_equal(json_integer_value(pl_json_get_path(
				 facts->config, "rope_scaling.original_max_position_embeddings")),
			 8192);
}

/* As Python reads it: the last of two keys, and numbers that JSON does not have. */
static void test_model_facts__python_json(void **state)
{
	(void)state;
	auto_model_facts struct ckpt_facts *facts = parse(
		"{\"model_type\":\"llama\",\"num_hidden_layers\":1,\"num_hidden_layers\":2,"
		"\"time_step_limit\":[0.0,Infinity,-Infinity,NaN],\"x\":\"NaN\\\"Infinity\"}");
	assert_int_equal(facts->state, CKPT_MODEL_READ);
	assert_int_equal(facts->layers, 2);
	assert_string_equal(json_string_value(json_object_get(facts->config, "x")),
			    "NaN\"Infinity");
}

static void test_model_facts__broken_configs(void **state)
{
	static const char *const configs[] = { "", "[]", "{", "null", "{\"a\":NaN,}", "\xff{}" };

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(configs); i++) {
		auto_model_facts struct ckpt_facts *facts = parse(configs[i]);
		assert_int_equal(facts->state, CKPT_MODEL_BROKEN);
		assert_non_null(facts->problem);
		assert_null(strchr(facts->problem, '\n'));
	}
}

#define HEAD_2 "{\"__metadata__\":{\"format\":\"pt\"},"

static void test_model_facts__a_folder_with_weights(void **state)
{
	struct folder *folder = *state;

	/* 8 bfloat16 numbers, 4 of a separate head, 4 bytes packed, 2 numbers of a third layer */
	folder_text(folder, "m/config.json", TINY);
	folder_tensors(folder, "m/model.safetensors",
		       HEAD_2 "\"model.embed_tokens.weight\":{\"dtype\":\"BF16\",\"shape\":[4,2],"
			      "\"data_offsets\":[0,16]},"
			      "\"lm_head.weight\":{\"dtype\":\"BF16\",\"shape\":[2,2],"
			      "\"data_offsets\":[16,24]},"
			      "\"model.layers.0.mlp.qweight\":{\"dtype\":\"I32\",\"shape\":[1],"
			      "\"data_offsets\":[24,28]},"
			      "\"model.layers.2.x\":{\"dtype\":\"BF16\",\"shape\":[2],"
			      "\"data_offsets\":[28,32]}}",
		       32);
	auto_free char *path = folder_join(folder, "m");
	auto_model_facts struct ckpt_facts *facts = load(path, NULL);
	assert_int_equal(facts->state, CKPT_MODEL_READ);
	assert_null(facts->weights_problem);
	assert_true(facts->weights.known && facts->weights.heads_read);
	assert_int_equal(facts->weights.files, 1);
	assert_true(facts->weights.float_numbers == 12);
	assert_true(facts->weights.head_numbers == 4);
	assert_true(facts->weights.other_bytes == 4);
	assert_true(facts->weights.skipped_bytes == 4);
	assert_int_equal(facts->weights.dtype, CKPT_DTYPE_BF16);
	assert_int_equal(facts->state, CKPT_MODEL_READ);
	assert_int_equal(facts->layers, 2);
	assert_null(facts->quantization);
}

static void test_model_facts__an_index(void **state)
{
	struct folder *folder = *state;
	auto_free char *path = folder_join(folder, "m");

	folder_text(folder, "m/config.json", TINY);
	folder_text(folder, "m/model.safetensors.index.json",
		    "{\"metadata\":{\"total_size\":1000},\"weight_map\":{\"a\":\"one.safetensors\","
		    "\"b\":\"two.safetensors\",\"c\":\"two.safetensors\"}}");
	{
		auto_model_facts struct ckpt_facts *facts = load(path, NULL);
		assert_int_equal(facts->weights.missing, 2);
		assert_true(facts->weights.known && facts->weights.file_bytes == 1000);
		assert_false(facts->weights.heads_read);
	}
	folder_tensors(folder, "m/two.safetensors",
		       "{\"b\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]}}", 8);
	{
		auto_model_facts struct ckpt_facts *facts = load(path, NULL);
		assert_int_equal(facts->weights.files, 1);
		assert_int_equal(facts->weights.missing, 1);
		assert_false(facts->weights.heads_read);
		assert_true(facts->weights.float_numbers == 2);
	}
}

static void test_model_facts__an_index_stays_in_its_folder(void **state)
{
	static const char *const names[] = { "../x.safetensors", "/etc/passwd", "a/../../b", "..",
					     "" };
	struct folder *folder = *state;
	auto_free char *path = folder_join(folder, "m");

	folder_text(folder, "m/config.json", TINY);
	folder_text(folder, "x.safetensors", "outside");
	for (size_t i = 0; i < PL_ARRAY_SIZE(names); i++) {
		auto_free char *index = pl_asprintf("{\"weight_map\":{\"a\":\"%s\"}}", names[i]);
		folder_text(folder, "m/model.safetensors.index.json", index);
		auto_model_facts struct ckpt_facts *facts = load(path, NULL);
		assert_int_equal(facts->state, CKPT_MODEL_READ);
		assert_non_null(strstr(facts->weights_problem, "not in the directory"));
		assert_false(facts->weights.known);
	}
}

static void test_model_facts__broken_heads(void **state)
{
	static const struct {
		const char *head;
		const char *says;
	} rows[] = {
		{ "{\"t\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,12]}}",
		  "the file is incomplete" },
		{ "{\"t\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[8,0]}}",
		  "no valid data_offsets" },
		{ "{\"t\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[-8,0]}}",
		  "no valid data_offsets" },
		{ "{\"t\":{\"dtype\":\"F32\",\"shape\":[2]}}", "no valid data_offsets" },
		{ "{\"t\":7}", "no valid data_offsets" },
	};
	struct folder *folder = *state;
	auto_free char *path = folder_join(folder, "m");

	folder_text(folder, "m/config.json", TINY);
	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++) {
		folder_tensors(folder, "m/model.safetensors", rows[i].head, 8);
		auto_model_facts struct ckpt_facts *facts = load(path, NULL);
		assert_non_null(facts->weights_problem);
		if (strstr(facts->weights_problem, rows[i].says) == NULL)
			fail_msg("'%s' does not say '%s'", facts->weights_problem, rows[i].says);
	}
}

#define LFS_POINTER "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n"

static void test_model_facts__broken_weights(void **state)
{
	struct folder *folder = *state;
	auto_free char *path = folder_join(folder, "m");
	static const struct {
		const char *bytes;
		size_t len;
		const char *says;
	} rows[] = {
		{ "abc", 3, "shorter than the length of its header" },
		{ "\xff\xff\xff\xff\xff\xff\xff\x7f{}", 10, "expected at most 33554432" },
		{ "\x10\0\0\0\0\0\0\0{}", 10, "header: found 16 bytes in a file of 10 bytes" },
		{ "\x02\0\0\0\0\0\0\0{]", 10, "head" },
		{ "\x02\0\0\0\0\0\0\0[]", 10, "not a JSON object" },
		{ LFS_POINTER, sizeof(LFS_POINTER) - 1, "Git LFS pointer" },
	};

	folder_text(folder, "m/config.json", TINY);
	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++) {
		folder_write(folder, "m/model.safetensors", rows[i].bytes, rows[i].len);
		auto_model_facts struct ckpt_facts *facts = load(path, NULL);
		assert_int_equal(facts->state, CKPT_MODEL_READ);
		assert_int_equal(facts->layers, 2);
		if (facts->weights_problem == NULL ||
		    strstr(facts->weights_problem, rows[i].says) == NULL)
			fail_msg("'%s' does not say '%s'",
				 facts->weights_problem != NULL ? facts->weights_problem : "",
				 rows[i].says);
		assert_non_null(strstr(facts->weights_problem, "model.safetensors'"));
	}
}

static void test_model_facts__no_plain_files(void **state)
{
	struct folder *folder = *state;
	auto_free char *loop = folder_join(folder, "loop/config.json");
	auto_free char *fifo = folder_join(folder, "fifo/config.json");
	auto_free char *loop_folder = folder_join(folder, "loop");
	auto_free char *fifo_folder = folder_join(folder, "fifo");
	auto_free char *round = folder_join(folder, "round");

	folder_text(folder, "loop/x", "");
	folder_text(folder, "fifo/x", "");
	assert_int_equal(symlink("config.json", loop), 0);
	assert_int_equal(mkfifo(fifo, 0600), 0);
	assert_int_equal(symlink("round", round), 0);
	/* links in a ring: they lead to no file */
	auto_model_facts struct ckpt_facts *ring = load(loop_folder, NULL);
	assert_int_equal(ring->state, CKPT_MODEL_BROKEN);
	assert_non_null(strstr(ring->problem, "Too many levels of symbolic links"));
	/* a FIFO without a writer would wait for ever */
	auto_model_facts struct ckpt_facts *pipe = load(fifo_folder, NULL);
	assert_int_equal(pipe->state, CKPT_MODEL_BROKEN);
	assert_non_null(strstr(pipe->problem, "not a regular file"));
	auto_model_facts struct ckpt_facts *circle = load(round, NULL);
	assert_int_equal(circle->state, CKPT_MODEL_NOT_FOUND);
}

/* As huggingface_hub lays it out: refs name the commit, snapshots link into blobs. */
static void make_cache(struct folder *folder, const char *hub)
{
	auto_free char *name = pl_asprintf("%s/models--org--tiny/blobs/b1", hub);
	auto_free char *reference = pl_asprintf("%s/models--org--tiny/refs/main", hub);
	auto_free char *snapshot = pl_asprintf("%s/models--org--tiny/snapshots/c0ffee/x", hub);
	auto_free char *link = pl_asprintf("%s/%s/models--org--tiny/snapshots/c0ffee/config.json",
					   folder->path, hub);

	folder_text(folder, name, TINY);
	folder_text(folder, reference, "c0ffee");
	folder_text(folder, snapshot, "");
	assert_int_equal(symlink("../../blobs/b1", link), 0);
}

static void test_model_facts__hugging_face_cache(void **state)
{
	static const struct {
		const char *variable;
		const char *value; /* after the path of the directory */
		const char *hub;
	} rows[] = {
		{ "HF_HUB_CACHE", "/a", "a" },
		{ "HF_HOME", "/b", "b/hub" },
		{ "XDG_CACHE_HOME", "/c", "c/huggingface/hub" },
		{ "HOME", "/d", "d/.cache/huggingface/hub" },
	};
	struct folder *folder = *state;

	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++) {
		auto_json json_t *env = json_object();
		auto_free char *value = pl_asprintf("%s%s", folder->path, rows[i].value);
		static const char *const all[] = { "HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE",
						   "HF_HOME", "XDG_CACHE_HOME", "HOME" };
		for (size_t k = 0; k < PL_ARRAY_SIZE(all); k++)
			json_object_set_new(env, all[k], json_string(""));
		json_object_set_new(env, rows[i].variable, json_string(value));
		{
			auto_model_facts struct ckpt_facts *none = load("org/tiny", env);
			assert_int_equal(none->state, CKPT_MODEL_NOT_FOUND);
		}
		make_cache(folder, rows[i].hub);
		auto_model_facts struct ckpt_facts *facts = load("org/tiny", env);
		assert_int_equal(facts->state, CKPT_MODEL_READ);
		assert_int_equal(facts->max_len, 4096);
	}
}

static void test_model_facts__cache_revisions_and_borders(void **state)
{
	struct folder *folder = *state;
	auto_json json_t *env = json_object();
	auto_free char *hub = folder_join(folder, "hub");
	struct ckpt_source source = { .model = "org/tiny", .env = env };

	make_cache(folder, "hub");
	json_object_set_new(env, "HF_HUB_CACHE", json_string(hub));
	source.revision = "c0ffee";
	auto_model_facts struct ckpt_facts *commit = ckpt_facts_load(&source);
	assert_int_equal(commit->state, CKPT_MODEL_READ);
	source.revision = "v2";
	auto_model_facts struct ckpt_facts *other = ckpt_facts_load(&source);
	assert_int_equal(other->state, CKPT_MODEL_NOT_FOUND);
	source.revision = "../../../x";
	auto_model_facts struct ckpt_facts *climbing = ckpt_facts_load(&source);
	assert_int_equal(climbing->state, CKPT_MODEL_NOT_FOUND);

	/* a link out of the repository is not followed */
	auto_free char *link = folder_join(folder,
					   "hub/models--org--tiny/snapshots/c0ffee/config.json");
	folder_text(folder, "secret.json", TINY);
	assert_int_equal(unlink(link), 0);
	assert_int_equal(symlink("../../../../secret.json", link), 0);
	source.revision = NULL;
	auto_model_facts struct ckpt_facts *outside = ckpt_facts_load(&source);
	assert_int_equal(outside->state, CKPT_MODEL_BROKEN);
	assert_non_null(strstr(outside->problem, "is outside of"));
}

static void test_model_facts__other_forms(void **state)
{
	static const struct {
		const char *model;
		enum ckpt_state state;
	} rows[] = {
		{ NULL, CKPT_MODEL_NOT_GIVEN },
		{ "", CKPT_MODEL_NOT_GIVEN },
		{ "s3://bucket/model", CKPT_MODEL_OTHER },
		{ "org/name:Q4_K_M", CKPT_MODEL_OTHER },
		{ "/nowhere/model.gguf", CKPT_MODEL_OTHER },
		{ "/nowhere/model", CKPT_MODEL_NOT_FOUND },
		{ "../nowhere", CKPT_MODEL_NOT_FOUND },
		{ "no-such-org/no-such-model", CKPT_MODEL_NOT_FOUND },
		{ "a/b/c", CKPT_MODEL_NOT_FOUND },
	};
	struct folder *folder = *state;
	auto_json json_t *env = json_object();
	auto_free char *path = folder_join(folder, "empty");

	json_object_set_new(env, "HF_HUB_CACHE", json_string(folder->path));
	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++) {
		auto_model_facts struct ckpt_facts *facts = load(rows[i].model, env);
		assert_int_equal(facts->state, rows[i].state);
	}
	folder_text(folder, "empty/readme", "");
	auto_model_facts struct ckpt_facts *empty = load(path, env);
	assert_int_equal(empty->state, CKPT_MODEL_NO_CONFIG);
	folder_text(folder, "empty/params.json", "{}");
	auto_model_facts struct ckpt_facts *mistral = load(path, env);
	assert_int_equal(mistral->state, CKPT_MODEL_OTHER);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_model_facts__public_configs),
		cmocka_unit_test(test_model_facts__families_by_architecture),
		cmocka_unit_test(test_model_facts__length_limits),
		cmocka_unit_test(test_model_facts__quantizations),
		cmocka_unit_test(test_model_facts__overrides),
		cmocka_unit_test(test_model_facts__python_json),
		cmocka_unit_test(test_model_facts__broken_configs),
#define FOLDER_TEST(name) cmocka_unit_test_setup_teardown(name, folder_setup, folder_teardown)
		FOLDER_TEST(test_model_facts__a_folder_with_weights),
		FOLDER_TEST(test_model_facts__an_index),
		FOLDER_TEST(test_model_facts__an_index_stays_in_its_folder),
		FOLDER_TEST(test_model_facts__broken_heads),
		FOLDER_TEST(test_model_facts__broken_weights),
		FOLDER_TEST(test_model_facts__no_plain_files),
		FOLDER_TEST(test_model_facts__hugging_face_cache),
		FOLDER_TEST(test_model_facts__cache_revisions_and_borders),
		FOLDER_TEST(test_model_facts__other_forms),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
