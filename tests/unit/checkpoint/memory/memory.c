#include "checkpoint/memory/memory.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "checkpoint/memory/memory_priv.h"
#include "unit/checkpoint/public_configs.h"

#define GIB ((double)(1 << 30))

struct play {
	struct ckpt_facts *facts;
	json_t *values;
	json_t *env;
	struct ckpt_hardware hardware;
	struct vllm_target target;
	struct ckpt_case server;
	struct ckpt_memory memory;
	struct option_problems problems;
};

static json_t *parse(const char *text)
{
	struct pl_err err = PL_ERR_INIT;
	json_t *json = NULL;

	assert_int_equal(pl_json_parse(text, strlen(text), "test", &json, &err), 0);
	return json;
}

/* Starts a play. hardware NULL: unknown; gib NaN: unknown. */
static void begin(struct play *play, const char *config, const char *values, const char *hardware,
		  double gib)
{
	struct pl_err err = PL_ERR_INIT;

	*play = (struct play){ .values = parse(values), .env = json_object() };
	play->facts = ckpt_facts_parse(config, strlen(config), NULL);
	assert_int_equal(play->facts->state, CKPT_MODEL_READ);
	play->server = CKPT_MODEL_CASE(.values = play->values, .env = play->env,
				       .facts = play->facts);
	play->server.available_bytes = gib * GIB;
	if (hardware != NULL) {
		assert_int_equal(ckpt_hardware_find(hardware, &play->hardware, &err), 0);
		play->server.hardware = &play->hardware;
	}
}

static void explain(struct play *play)
{
	ckpt_memory_explain(&play->server, &play->memory);
	ckpt_memory_check(&play->server, &play->memory, &play->problems);
}

static void end(struct play *play)
{
	ckpt_memory_done(&play->memory);
	option_problems_done(&play->problems);
	ckpt_facts_free(play->facts);
	json_decref(play->values);
	json_decref(play->env);
}

static double value(const struct play *play, enum ckpt_memory_id id)
{
	return play->memory.terms[id].value;
}

static void assert_share(double found, double expected, double share)
{
	if (isnan(found) || fabs(found - expected) > share * expected)
		fail_msg("found %.4f, expected %.4f to %g", found, expected, share);
}

static void assert_near(double found, double expected, double within)
{
	if (isnan(found) || fabs(found - expected) > within)
		fail_msg("found %.4f, expected %.4f", found, expected);
}

static const struct option_problem *problem(const struct play *play, const char *rule)
{
	for (size_t i = 0; i < play->problems.count; i++) {
		if (strcmp(play->problems.items[i].rule, rule) == 0)
			return &play->problems.items[i];
	}
	return NULL;
}

/* The values that vLLM printed when it served these models. */
static void test_memory__as_vllm_printed(void **state)
{
	static const struct {
		const char *what;
		const char *config;
		const char *values;
		double available_gib;
		double weights_gib; /* NaN: not compared */
		double kv_bytes;
		double kv_tokens;
		double concurrency;
	} rows[] = {
		/* 28 layers x 2 x 2 of 4 heads x 128 x 2 = 28,672 a GPU; 12.02 GiB / 28,672 */
		{ "Qwen2-7B on two A100", QWEN2_7B,
		  "{\"max_model_len\":16384,\"tensor_parallel_size\":2}", 12.02, 7.1217, 28672,
		  450192, 27.48 },
		/* 32 x 2 x 8 x 128 x 2; this log and the next give the cache in tokens alone */
		{ "Llama-3.1-8B", LLAMA_31_8B, "{}", 191328 * 131072.0 / (1 << 30), 14.9889, 131072,
		  191328, 1.46 },
		/* 28 x 2 x 8 x 128 x 2 */
		{ "Qwen3-1.7B", QWEN3_17B, "{\"max_model_len\":4096}",
		  135776 * 114688.0 / (1 << 30), 3.2152, 114688, 135776, 33.15 },
		/* 28 x 2 x 4 x 128 x 2; blocks of 128 tokens there: floor(37.74 GiB / 57,344 / 128)
		 * = 5,520 of them */
		{ "Qwen2.5-Omni-7B", QWEN25_OMNI_7B, "{\"block_size\":128}", 37.74, NAN, 57344,
		  706560, 21.56 },
		/* groups of 8 layers: one keeps all, five slide; a block of 16 tokens x 8 x 8,192
		 * bytes is 1 MiB; 58.92 GiB are 60,334 blocks; a request takes
		 * 512 + 5 x (ceil((1,024 - 1 + 2,048) / 16) + 1) = 512 + 5 x 193 = 1,477 */
		{ "Gemma 3 12B", GEMMA3_12B,
		  "{\"max_model_len\":8192,\"language_model_only\":true,"
		  "\"gpu_memory_utilization\":0.72}",
		  58.92, NAN, 48 * 8192, 334607, 40.85 },
		/* groups of 18 layers: one keeps all, one slides; a block is 16 x 18 x 512 bytes;
		 * 45.32 GiB are 330,012 of them; 1,024 + ceil((128 - 1 + 2,048) / 16) + 1 =
		 * 1,161 */
		{ "gpt-oss-120b on four A100", GPT_OSS_120B,
		  "{\"max_model_len\":16384,\"tensor_parallel_size\":4,"
		  "\"max_num_batched_tokens\":2048}",
		  45.32, NAN, 36 * 512, 284.25 * 16384, 284.25 },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++) {
		struct play play;
		begin(&play, rows[i].config, rows[i].values, NULL, rows[i].available_gib);
		explain(&play);
		assert_null(play.memory.not_modelled);
		assert_near(value(&play, CKPT_MEMORY_KV_BYTES_PER_TOKEN), rows[i].kv_bytes, 0);
		assert_share(value(&play, CKPT_MEMORY_KV_TOKENS), rows[i].kv_tokens, 0.002);
		assert_share(value(&play, CKPT_MEMORY_MAX_CONCURRENCY), rows[i].concurrency, 0.002);
		if (!isnan(rows[i].weights_gib))
			assert_share(value(&play, CKPT_MEMORY_WEIGHTS_BYTES) / GIB,
				     rows[i].weights_gib, 0.01);
		assert_int_equal(play.problems.count, 0);
		end(&play);
	}
}

/* 2 layers x 2 x 2 heads x 64 x 2 bytes (float32 is served as bfloat16) = 1,024 a token; 1 GiB of
 * it are 1,048,576 tokens, 512 sequences of 2,048. */
static void test_memory__on_the_cpu(void **state)
{
	struct play play;

	(void)state;
	begin(&play, TINY, "{\"max_model_len\":2048}", NULL, NAN);
	play.server.platform = "cpu";
	json_object_set_new(play.env, "VLLM_CPU_KVCACHE_SPACE", json_string("1"));
	explain(&play);
	assert_near(value(&play, CKPT_MEMORY_KV_BYTES_PER_TOKEN), 1024, 0);
	assert_near(value(&play, CKPT_MEMORY_KV_CACHE_BYTES), 1 << 30, 0);
	assert_near(value(&play, CKPT_MEMORY_KV_TOKENS), 1048576, 0);
	assert_near(value(&play, CKPT_MEMORY_MAX_CONCURRENCY), 512, 0);
	assert_near(value(&play, CKPT_MEMORY_GRAPH_BYTES), 0, 0);
	assert_true(isnan(value(&play, CKPT_MEMORY_ACTIVATION_BYTES)));
	end(&play);

	/* 1 MiB are 8 blocks of 128 tokens x 1,024 bytes; 7 of them are for requests, as vLLM
	 * says */
	begin(&play, TINY, "{\"max_model_len\":2048,\"kv_cache_memory_bytes\":1048576}", NULL, NAN);
	play.server.platform = "cpu";
	explain(&play);
	const struct option_problem *refused = problem(&play, "kv_cache_fits_one_request");
	assert_int_equal(refused->severity, OPTION_ERROR);
	assert_string_equal(refused->found, "2048 (a request of this length needs 2.00 MiB of KV "
					    "cache, and the KV cache has 1.00 MiB)");
	assert_string_equal(refused->expected, "at most 896 (one block is reserved by vLLM)");
	assert_string_equal(refused->nearest, "896");
	end(&play);
}

/* A file without dtype and model_type: float32, served as bfloat16, of Llama's family. */
static void test_memory__a_sparse_config(void **state)
{
	static const char config[] =
		"{\"architectures\":[\"LlamaForCausalLM\"],\"hidden_size\":128,"
		"\"num_hidden_layers\":2,\"num_attention_heads\":2,\"vocab_size\":50257,"
		"\"max_position_embeddings\":4096}";
	struct play play;

	(void)state;
	begin(&play, config, "{}", NULL, NAN);
	explain(&play);
	assert_string_equal(play.facts->model_type, "llama");
	assert_near(value(&play, CKPT_MEMORY_KV_BYTES_PER_TOKEN), 1024, 0);
	end(&play);
}

static void test_memory__sum_on_a_gpu(void **state)
{
	struct play play;
	double sum = 0;

	(void)state;
	begin(&play, LLAMA_31_8B, "{\"max_model_len\":8192,\"gpu_memory_utilization\":0.5}", "h100",
	      NAN);
	explain(&play);
	/* 81,079 MiB x 0.5 */
	assert_near(value(&play, CKPT_MEMORY_BUDGET_BYTES), 81079.0 * (1 << 20) / 2, 1);
	for (int id = CKPT_MEMORY_WEIGHTS_BYTES; id <= CKPT_MEMORY_KV_CACHE_BYTES; id++)
		sum += value(&play, (enum ckpt_memory_id)id);
	assert_near(sum, value(&play, CKPT_MEMORY_BUDGET_BYTES), 1);
	assert_true(play.memory.terms[CKPT_MEMORY_KV_CACHE_BYTES].estimated);
	assert_false(play.memory.terms[CKPT_MEMORY_WEIGHTS_BYTES].estimated);
	/* a large GPU: 8,192 batched tokens and 1,024 sequences */
	assert_int_equal(play.memory.layout.batched_tokens, 8192);
	assert_int_equal(ckpt_case_max_seqs(&play.server), 1024);
	/* 51 batch sizes to 512: 1 2 4, 31 to 248, 17 to 512; x 32 layers x 256 KiB */
	assert_near(value(&play, CKPT_MEMORY_GRAPH_BYTES), 51.0 * 32 * (256 << 10), 0);
	end(&play);
}

/* Before 0.21.0 graphs came on top of what gpu_memory_utilization allowed. */
static void test_memory__graphs_by_release(void **state)
{
	struct play play;

	(void)state;
	begin(&play, LLAMA_31_8B, "{\"max_model_len\":8192}", "h100", NAN);
	play.target = (struct vllm_target){ .version = "0.20.2" };
	play.server.target = &play.target;
	explain(&play);
	assert_near(value(&play, CKPT_MEMORY_KV_CACHE_BYTES),
		    value(&play, CKPT_MEMORY_BUDGET_BYTES) -
			    value(&play, CKPT_MEMORY_WEIGHTS_BYTES) -
			    value(&play, CKPT_MEMORY_ACTIVATION_BYTES),
		    1);
	end(&play);
}

static void test_memory__settings_change_the_cache(void **state)
{
	static const struct {
		const char *config;
		const char *values;
		double kv_bytes;
	} rows[] = {
		{ LLAMA_31_8B, "{\"kv_cache_dtype\":\"fp8\"}", 65536 },
		{ LLAMA_31_8B, "{\"dtype\":\"float32\"}", 262144 },
		{ LLAMA_31_8B, "{\"tensor_parallel_size\":8}", 16384 },
		/* 16 GPUs share 8 KV heads: each has one */
		{ LLAMA_31_8B, "{\"tensor_parallel_size\":16}", 16384 },
		/* the fuller stage has 11 of 32 layers: 11 x 4,096 */
		{ LLAMA_31_8B, "{\"pipeline_parallel_size\":3}", 45056 },
		/* 61 layers x (512 + 64) x 2, on each GPU of any number */
		{ DEEPSEEK_V3, "{\"tensor_parallel_size\":8}", 70272 },
		{ DEEPSEEK_V3, "{\"tensor_parallel_size\":8,\"kv_cache_dtype\":\"fp8_ds_mla\"}",
		  61 * 656 },
		/* 12 layers x 2 x 12 x 64 x 2 */
		{ OPT_125M, "{}", 36864 },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++) {
		struct play play;
		begin(&play, rows[i].config, rows[i].values, NULL, NAN);
		explain(&play);
		assert_near(value(&play, CKPT_MEMORY_KV_BYTES_PER_TOKEN), rows[i].kv_bytes, 0);
		assert_true(isnan(value(&play, CKPT_MEMORY_KV_TOKENS)));
		end(&play);
	}
}

/* A sliding layer keeps everything if vLLM is set not to treat it separately. */
static void test_memory__windows(void **state)
{
	static const struct {
		const char *config;
		const char *values;
		int64_t full;
		int64_t sliding;
		int64_t layers;
		double blocks;
	} rows[] = {
		{ GEMMA3_12B, "{\"max_model_len\":8192}", 1, 5, 8, 1477 },
		/* a request shorter than the window: ceil(512 / 16) = 32, one more where it
		 * slides */
		{ GEMMA3_12B, "{\"max_model_len\":512}", 1, 5, 8, 32 + 5 * 33 },
		{ GEMMA3_12B, "{\"max_model_len\":8192,\"disable_hybrid_kv_cache_manager\":true}",
		  1, 0, 48, 512 },
		{ GEMMA2_9B, "{\"max_model_len\":8192}", 1, 1, 21, 512 + 385 },
		/* all layers slide: ceil((2,047 - 1 + 2,048) / 16) + 1 */
		{ PHI3_MINI_4K, "{\"max_model_len\":4096}", 0, 1, 32, 257 },
		{ PHI3_MINI_4K, "{\"disable_sliding_window\":true}", 1, 0, 32, 128 },
		{ LLAMA_31_8B, "{\"max_model_len\":100,\"block_size\":32}", 1, 0, 32, 4 },
		/* four GPUs hold a quarter of the sequence each */
		{ LLAMA_31_8B,
		  "{\"max_model_len\":8192,\"tensor_parallel_size\":32,"
		  "\"decode_context_parallel_size\":4}",
		  1, 0, 32, 128 },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++) {
		struct play play;
		begin(&play, rows[i].config, rows[i].values, NULL, NAN);
		explain(&play);
		const struct ckpt_kv_layout *layout = &play.memory.layout;
		assert_int_equal(layout->full_groups, rows[i].full);
		assert_int_equal(layout->sliding_groups, rows[i].sliding);
		assert_int_equal(layout->group_layers, rows[i].layers);
		assert_near(value(&play, CKPT_MEMORY_KV_BYTES_PER_REQUEST),
			    rows[i].blocks * layout->block_bytes, 0);
		end(&play);
	}
}

/* 30 layers of which 18 slide: 12 and 18 are 1.5 apart, so groups have 12 and the third is padded;
 * 13 and 17 are nearer, so both groups have 17. */
static void test_memory__group_sizes(void **state)
{
	static const struct {
		int full;
		int sliding;
		int64_t layers;
		int64_t groups;
	} rows[] = { { 12, 18, 12, 3 }, { 13, 17, 17, 2 }, { 17, 13, 17, 2 }, { 1, 5, 1, 6 } };

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++) {
		auto_buf config = { 0 };
		struct play play;
		pl_buf_init(&config, 8192);
		pl_buf_addf(&config,
			    "{\"model_type\":\"llama\",\"hidden_size\":64,\"intermediate_size\":64,"
			    "\"num_attention_heads\":1,\"vocab_size\":100,\"num_hidden_layers\":%d,"
			    "\"sliding_window\":64,\"dtype\":\"float16\",\"layer_types\":[",
			    rows[i].full + rows[i].sliding);
		for (int layer = 0; layer < rows[i].full + rows[i].sliding; layer++)
			pl_buf_addf(&config, "%s\"%s_attention\"", layer > 0 ? "," : "",
				    layer < rows[i].full ? "full" : "sliding");
		pl_buf_add_text(&config, "]}");
		begin(&play, pl_buf_text(&config), "{}", NULL, NAN);
		explain(&play);
		assert_int_equal(play.memory.layout.group_layers, rows[i].layers);
		assert_int_equal(play.memory.layout.full_groups + play.memory.layout.sliding_groups,
				 rows[i].groups);
		end(&play);
	}
}

static void test_memory__given_sizes(void **state)
{
	struct play play;

	(void)state;
	begin(&play, LLAMA_31_8B, "{\"max_model_len\":8192,\"kv_cache_memory_bytes\":4294967296}",
	      NULL, NAN);
	explain(&play);
	/* 4 GiB / 131,072 */
	assert_near(value(&play, CKPT_MEMORY_KV_TOKENS), 32768, 0);
	assert_near(value(&play, CKPT_MEMORY_MAX_CONCURRENCY), 4, 0);
	end(&play);

	begin(&play, LLAMA_31_8B, "{\"max_model_len\":8192,\"num_gpu_blocks_override\":1024}",
	      "h100", NAN);
	explain(&play);
	/* 1,024 blocks of 16 tokens x 131,072 bytes */
	assert_near(value(&play, CKPT_MEMORY_KV_CACHE_BYTES), 1024.0 * 16 * 131072, 0);
	assert_near(value(&play, CKPT_MEMORY_MAX_CONCURRENCY), 2, 0);
	assert_false(play.memory.terms[CKPT_MEMORY_MAX_CONCURRENCY].estimated);
	end(&play);
}

static void test_memory__what_does_not_fit(void **state)
{
	struct play play;

	(void)state;
	/* 16 GB of weights on a T4 */
	begin(&play, LLAMA_31_8B, "{\"max_model_len\":8192}", "t4", NAN);
	explain(&play);
	assert_non_null(problem(&play, "weights_fit_memory"));
	assert_int_equal(problem(&play, "weights_fit_memory")->severity, OPTION_ERROR);
	/* 16,060,522,496 bytes / (14,913 MiB x 0.92) = 1.12 */
	assert_non_null(strstr(problem(&play, "weights_fit_memory")->expected, "at least 2 GPUs"));
	assert_int_equal(play.problems.count, 1);
	end(&play);

	/* 131,072 tokens x 131,072 bytes = 16 GiB in addition to 15 GiB of weights on 22 GiB */
	begin(&play, LLAMA_31_8B, "{}", "l4", NAN);
	explain(&play);
	assert_int_equal(problem(&play, "kv_cache_fits_one_request")->severity, OPTION_ERROR);
	assert_non_null(problem(&play, "kv_cache_fits_one_request")->nearest);
	end(&play);

	/* 1 GiB / 131,072 = 8,192 tokens less the 16 of the block that vLLM keeps: 8,176 fit; older
	 * releases start with 8,192 too; 8,193 never fit */
	begin(&play, LLAMA_31_8B, "{\"max_model_len\":8176}", NULL, 1);
	explain(&play);
	assert_int_equal(play.problems.count, 0);
	end(&play);
	begin(&play, LLAMA_31_8B, "{\"max_model_len\":8177}", NULL, 1);
	explain(&play);
	assert_int_equal(problem(&play, "kv_cache_fits_one_request")->severity, OPTION_WARNING);
	assert_string_equal(problem(&play, "kv_cache_fits_one_request")->nearest, "8176");
	assert_non_null(strstr(problem(&play, "kv_cache_fits_one_request")->found, "per GPU"));
	end(&play);
	begin(&play, LLAMA_31_8B, "{\"max_model_len\":8193}", NULL, 1);
	explain(&play);
	assert_int_equal(problem(&play, "kv_cache_fits_one_request")->severity, OPTION_ERROR);
	assert_string_equal(problem(&play, "kv_cache_fits_one_request")->nearest, "8176");
	assert_string_equal(problem(&play, "kv_cache_fits_one_request")->key,
			    "server.max_model_len");
	end(&play);

	/* -1 and "auto" take what fits */
	begin(&play, LLAMA_31_8B, "{\"max_model_len\":-1}", NULL, 1);
	explain(&play);
	assert_int_equal(play.problems.count, 0);
	end(&play);
	begin(&play, LLAMA_31_8B, "{\"max_model_len\":\"auto\"}", NULL, 1);
	explain(&play);
	assert_int_equal(play.problems.count, 0);
	end(&play);

	/* a cache of the given size in addition to 14.96 GiB of weights on 79.2 GiB */
	begin(&play, LLAMA_31_8B, "{\"kv_cache_memory_bytes\":80000000000}", "h100", NAN);
	explain(&play);
	assert_int_equal(problem(&play, "kv_cache_fits_memory")->severity, OPTION_ERROR);
	end(&play);
}

/* Only an estimate contradicts it: a warning. */
static void test_memory__near_misses_warn(void **state)
{
	struct play play;

	(void)state;
	begin(&play, LLAMA_31_8B, "{\"max_model_len\":38000,\"gpu_memory_utilization\":0.92}", "l4",
	      NAN);
	explain(&play);
	/* without the weights: 22,565 MiB x 0.92 - 14.96 GiB = 5.31 GiB; a request needs 38,000
	 * x 131,072 bytes = 4.64 GiB; activations and graphs take the difference */
	assert_int_equal(problem(&play, "kv_cache_fits_one_request")->severity, OPTION_WARNING);
	end(&play);
}

static void test_memory__longest_is_exact(void **state)
{
	struct play play;

	(void)state;
	begin(&play, GEMMA3_12B, "{\"max_model_len\":131072}", NULL, 8);
	explain(&play);
	int64_t longest = ckpt_memory_longest(&play.memory, 131072);
	const struct ckpt_kv_layout *layout = &play.memory.layout;
	/* 8 GiB are 8,192 blocks of 1 MiB; vLLM keeps 1, 965 are the windows', 7,226 x 16 tokens
	 * the rest */
	assert_int_equal(longest, 7226 * 16);
	assert_true(ckpt_memory_request_blocks(layout, longest) <= layout->blocks - 1);
	assert_true(ckpt_memory_request_blocks(layout, longest + 1) > layout->blocks - 1);
	end(&play);
}

static void test_memory__not_modelled_gives_no_number(void **state)
{
	static const struct {
		const char *config;
		const char *values;
	} rows[] = {
		{ "{\"model_type\":\"mamba\",\"hidden_size\":768,\"num_hidden_layers\":24,"
		  "\"vocab_size\":50280}",
		  "{}" },
		{ "{\"model_type\":\"gemma4\",\"text_config\":{\"model_type\":\"gemma4_text\","
		  "\"num_hidden_layers\":48,\"num_attention_heads\":16,\"hidden_size\":3840}}",
		  "{}" },
		{ "{\"model_type\":\"qwen3\",\"num_hidden_layers\":2,\"num_attention_heads\":2,"
		  "\"hidden_size\":128,\"layer_types\":[\"full_attention\",\"linear_attention\"]}",
		  "{}" },
		{ LLAMA_31_8B, "{\"speculative_config\":{\"method\":\"eagle3\",\"model\":\"x\"}}" },
		{ LLAMA_31_8B, "{\"kv_cache_dtype\":\"turboquant_4bit_nc\"}" },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++) {
		struct play play;
		begin(&play, rows[i].config, rows[i].values, "h100", 10);
		explain(&play);
		assert_non_null(play.memory.not_modelled);
		assert_true(isnan(value(&play, CKPT_MEMORY_KV_BYTES_PER_TOKEN)));
		assert_true(isnan(value(&play, CKPT_MEMORY_KV_TOKENS)));
		assert_true(isnan(value(&play, CKPT_MEMORY_MAX_CONCURRENCY)));
		assert_int_equal(play.problems.count, 0);
		end(&play);
	}
	/* an n-gram guess needs no memory of a GPU */
	struct play play;
	begin(&play, LLAMA_31_8B,
	      "{\"speculative_config\":{\"method\":\"ngram\",\"num_speculative_tokens\":3}}", NULL,
	      20);
	explain(&play);
	assert_null(play.memory.not_modelled);
	end(&play);
}

static void test_memory__quantized_weights(void **state)
{
	struct play play;

	(void)state;
	/* gpt-oss: experts in 4.25 bits, their 2,880 x 720 laid out as 3,072 x 768; vLLM loaded
	 * 17.22 GiB on each of four GPUs */
	begin(&play, GPT_OSS_120B, "{\"tensor_parallel_size\":4}", NULL, NAN);
	explain(&play);
	assert_share(value(&play, CKPT_MEMORY_WEIGHTS_BYTES) / GIB, 17.2217, 0.02);
	end(&play);

	/* quantized while it loads: the linear maps' 6,979,321,856 numbers in a byte, the rest,
	 * 1,050,939,392, in two */
	begin(&play, LLAMA_31_8B, "{\"quantization\":\"fp8\"}", NULL, NAN);
	explain(&play);
	assert_near(value(&play, CKPT_MEMORY_WEIGHTS_BYTES), 6979321856.0 + 2 * 1050939392.0, 0);
	end(&play);

	begin(&play, LLAMA_31_8B, "{\"cpu_offload_gb\":5}", NULL, NAN);
	explain(&play);
	assert_near(value(&play, CKPT_MEMORY_WEIGHTS_BYTES), 2 * 8030261248.0 - 5 * GIB, 0);
	end(&play);
}

static void test_memory__json_and_text(void **state)
{
	static const char *const names[] = { "weights_bytes",    "kv_bytes_per_token",
					     "activation_bytes", "graph_bytes",
					     "kv_cache_bytes",   "kv_tokens",
					     "max_concurrency" };
	struct play play;
	auto_buf text = { 0 };

	(void)state;
	pl_buf_init(&text, 1 << 16);
	begin(&play, LLAMA_31_8B, "{\"max_model_len\":8192}", NULL, NAN);
	explain(&play);
	auto_json json_t *json = ckpt_memory_to_json(&play.memory);
	for (size_t i = 0; i < PL_ARRAY_SIZE(names); i++)
		assert_non_null(json_object_get(json, names[i]));
	assert_int_equal(json_integer_value(json_object_get(json, "kv_bytes_per_token")), 131072);
	assert_true(json_is_null(json_object_get(json, "kv_tokens")));
	assert_true(json_is_null(json_object_get(json, "kv_cache_bytes")));
	assert_int_equal(json_array_size(json_object_get(json, "terms")), CKPT_MEMORY_TERMS);
	ckpt_memory_text(&play.memory, &text);
	assert_non_null(strstr(pl_buf_text(&text), "32 layers x 2 x 8 KV heads x 128 x 2 bytes"));
	assert_non_null(strstr(pl_buf_text(&text), "not known"));
	assert_null(strstr(pl_buf_text(&text), "nan"));
	end(&play);
}

static void test_memory__no_model(void **state)
{
	struct play play = { .values = json_object(), .env = json_object() };

	(void)state;
	play.server = CKPT_MODEL_CASE(.values = play.values, .env = play.env);
	explain(&play);
	for (int id = CKPT_MEMORY_KV_CACHE_BYTES; id < CKPT_MEMORY_TERMS; id++)
		assert_true(isnan(value(&play, (enum ckpt_memory_id)id)));
	assert_int_equal(play.problems.count, 0);
	end(&play);
}

/* A whole number that a double holds exactly; any other counts as missing. */
static void test_memory__numbers_of_a_server(void **state)
{
	static const struct {
		double number;
		int64_t found;
	} cases[] = { { 8192, 8192 },   { 9e15, 9000000000000000 }, { -9e15, -9000000000000000 },
		      { 9e15 + 1, -1 }, { -9e15 - 1, -1 },          { 1e300, -1 } };

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		auto_json json_t *values = json_pack("{s:f}", "max_model_len", cases[i].number);
		struct ckpt_case server = CKPT_MODEL_CASE(.values = values);
		assert_int_equal(ckpt_case_int(&server, "max_model_len", -1), cases[i].found);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_memory__as_vllm_printed),
		cmocka_unit_test(test_memory__on_the_cpu),
		cmocka_unit_test(test_memory__a_sparse_config),
		cmocka_unit_test(test_memory__sum_on_a_gpu),
		cmocka_unit_test(test_memory__numbers_of_a_server),
		cmocka_unit_test(test_memory__graphs_by_release),
		cmocka_unit_test(test_memory__settings_change_the_cache),
		cmocka_unit_test(test_memory__windows),
		cmocka_unit_test(test_memory__group_sizes),
		cmocka_unit_test(test_memory__given_sizes),
		cmocka_unit_test(test_memory__what_does_not_fit),
		cmocka_unit_test(test_memory__near_misses_warn),
		cmocka_unit_test(test_memory__longest_is_exact),
		cmocka_unit_test(test_memory__not_modelled_gives_no_number),
		cmocka_unit_test(test_memory__quantized_weights),
		cmocka_unit_test(test_memory__json_and_text),
		cmocka_unit_test(test_memory__no_model),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
