/*
 * The duration of a step: constants of a model on a GPU (tbl/sim_profiles.h) and the formula in
 * docs/reference/simulator.md. Pure functions.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct sim_profile {
	const char *name;
	double parameters;
	double weight_bytes; /* all GPUs together */
	double layers;
	double hidden;
	double kv_bytes_per_token; /* all GPUs together */
	uint32_t tensor_parallel;  /* default if the command line does not set it */
	const char *gpu;
	double gpu_bytes; /* memory of one GPU */
	double memory_bytes_per_s;
	double flops;
	double link_bytes_per_s;
	double memory_efficiency;
	double flops_efficiency;
	double step_overhead_ns;
	double sequence_overhead_ns;
	double link_latency_ns;
	uint32_t max_model_len;
};

/* The maximum of draft tokens per sequence, computed in one step. */
#define SIM_DRAFTS_MAX 32

/* The work of one step. */
struct sim_work {
	uint32_t sequences;      /* in the step */
	uint32_t prefill_tokens; /* tokens of sequences with an incomplete prompt */
	uint32_t decode_tokens;  /* one for each other sequence */
	double context_tokens;   /* keys and values read: positions before and in the step */
	double attention_pairs;  /* (query, key) pairs */
};

/* Returns a profile by name, or NULL. */
const struct sim_profile *sim_profile_find(const char *name);
/* Returns the best profile for a model's name: the 70B pair for "…70b…", else the first. */
const struct sim_profile *sim_profile_for_model(const char *model);
const struct sim_profile *sim_profile_at(size_t i); /* NULL after the last */
/*
 * Returns the profile with the number formats of --quantization and --kv-cache-dtype; NULL, or a name without a row in
 * the tables of profile.c, changes nothing.
 */
struct sim_profile sim_profile_with_formats(const struct sim_profile *profile,
					    const char *quantization, const char *kv_cache_dtype);
/* tensor_parallel 0: that of the profile; pipeline_parallel 0: 1. */
int64_t sim_profile_step_ns(const struct sim_profile *profile, uint32_t tensor_parallel,
			    uint32_t pipeline_parallel, const struct sim_work *work);
/* Returns the number of KV cache blocks: utilization x memory - weights - 2 GB per GPU. 0: none fits. */
uint32_t sim_profile_block_count(const struct sim_profile *profile, uint32_t tensor_parallel,
				 uint32_t pipeline_parallel, double memory_utilisation,
				 uint32_t block_size);
