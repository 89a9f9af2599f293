/* The models, the hosts and the releases of the synthetic laboratory. */
#include <stdlib.h>
#include <string.h>

#include "checkpoint/facts.h"
#include "checkpoint/known.h"
#include "checkpoint/params.h"
#include "demo/history_priv.h"
#include "vllm/history.h"

#define BYTES_OF_BF16 2

static const char *const model_names[] = {
	"meta-llama/Llama-3.1-8B-Instruct",
	"Qwen/Qwen3-8B",
	"Qwen/Qwen3-32B",
	"meta-llama/Llama-3.1-70B-Instruct",
	"Qwen/Qwen3-30B-A3B",
	"openai/gpt-oss-120b",
	"mistralai/Mistral-7B-Instruct-v0.3",
	"mistralai/Mixtral-8x7B-Instruct-v0.1",
	"Qwen/Qwen2.5-1.5B-Instruct",
	"Qwen/Qwen2.5-72B-Instruct",
	"Qwen/Qwen3-14B",
	"Qwen/Qwen3-235B-A22B",
	"google/gemma-3-27b-it",
	"deepseek-ai/DeepSeek-V2-Lite-Chat",
};

static const struct demo_host hosts[] = {
	{ "h100-a", "h100", 8, 700, "Intel(R) Xeon(R) Platinum 8480C", 224, 2016, "570.124.06",
	  "12.8" },
	{ "h100-b", "h100", 8, 700, "Intel(R) Xeon(R) Platinum 8480C", 224, 2016, "570.124.06",
	  "12.8" },
	{ "h200-a", "h200", 8, 700, "AMD EPYC 9654 96-Core Processor", 384, 2304, "575.57.08",
	  "12.9" },
	{ "b200-a", "b200", 8, 1000, "INTEL(R) XEON(R) PLATINUM 8570", 224, 2016, "580.65.06",
	  "13.0" },
	{ "a100-a", "a100", 8, 400, "AMD EPYC 7742 64-Core Processor", 256, 1008, "550.163.01",
	  "12.4" },
	{ "l40s-a", "l40s", 4, 350, "AMD EPYC 9354 32-Core Processor", 64, 504, "570.124.06",
	  "12.8" },
	{ "mi300x-a", "mi300x", 8, 750, "AMD EPYC 9534 64-Core Processor", 256, 2304, "6.12.12",
	  NULL },
	{ "desk-a", "rtx4090", 1, 450, "AMD Ryzen 9 7950X 16-Core Processor", 32, 126, "575.57.08",
	  "12.9" },
};

/* The number of releases used: the newest known ones. */
#define RELEASES 16

size_t demo_host_count(void)
{
	return PL_ARRAY_SIZE(hosts);
}

const struct demo_host *demo_host_at(size_t i)
{
	return &hosts[i];
}

size_t demo_release_count(void)
{
	return vllm_release_count() < RELEASES ? vllm_release_count() : RELEASES;
}

const char *demo_release_at(size_t i)
{
	return vllm_release_at(vllm_release_count() - demo_release_count() + i);
}

/* Returns the share of the experts used by one token. */
static double expert_share(const struct ckpt_facts *facts)
{
	static const char *const keys[] = { "num_experts_per_tok", "experts_per_token" };

	for (size_t i = 0; i < PL_ARRAY_SIZE(keys) && facts->experts > 0; i++) {
		double count = pl_json_get_f64(facts->config, keys[i]);
		if (count > 0)
			return count / (double)facts->experts;
	}
	return 1;
}

static double kv_token_bytes(const struct ckpt_facts *facts)
{
	double numbers = facts->kv_lora_rank > 0
				 ? (double)(facts->kv_lora_rank + facts->rope_dim)
				 : 2.0 * (double)facts->kv_heads * (double)facts->head_dim;

	return numbers * (double)facts->layers * BYTES_OF_BF16;
}

static int read_model(const char *name, struct demo_model *ret, struct pl_err *err)
{
	const struct ckpt_known *known = ckpt_known_find(name);
	const char *slash = strchr(name, '/');
	struct ckpt_params params;

	if (known == NULL)
		return pl_err_set(err, PL_ERR_INTERNAL, "'%s' is not among the known models", name);
	auto_model_facts struct ckpt_facts *facts = ckpt_facts_parse(known->config,
								     strlen(known->config), NULL);
	if (!ckpt_params_count(facts, CKPT_CUT_NONE, &params))
		return pl_err_set(err, PL_ERR_INTERNAL, "the demo does not model '%s'", name);
	*ret = (struct demo_model){
		.name = name,
		.title = slash != NULL ? slash + 1 : name,
		.dense = ckpt_params_sum(&params) - params.expert,
		.experts = params.expert,
		.expert_share = expert_share(facts),
		.layers = (double)facts->layers,
		.kv_token_bytes = kv_token_bytes(facts),
		.max_len = facts->max_len > 0 ? (double)facts->max_len : 8192,
	};
	return 0;
}

int demo_lab_open(struct demo *history, struct pl_err *err)
{
	history->model_count = PL_ARRAY_SIZE(model_names);
	history->models = pl_alloc_array(history->model_count, sizeof(*history->models));
	for (size_t i = 0; i < history->model_count; i++) {
		if (read_model(model_names[i], &history->models[i], err) < 0)
			return -1;
	}
	history->gpus = pl_alloc_array(PL_ARRAY_SIZE(hosts), sizeof(*history->gpus));
	for (size_t i = 0; i < PL_ARRAY_SIZE(hosts); i++) {
		struct ckpt_hardware hardware;
		if (ckpt_hardware_find(hosts[i].gpu, &hardware, err) < 0)
			return -1;
		history->gpus[i] = hardware.gpu;
	}
	return 0;
}
