/*
 * How long a step takes: constants of a model on a GPU (tbl/sim_profiles.h) and the formula of
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
	uint32_t tensor_parallel;  /* when the command line does not say */
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

/* Tokens that may be drafted ahead of a sequence, computed in one step. */
#define SIM_DRAFTS_MAX 32

/* What one step computes. */
struct sim_work {
	uint32_t sequences;      /* in the step */
	uint32_t prefill_tokens; /* tokens of sequences whose prompt is not through */
	uint32_t decode_tokens;  /* one for each of the others */
	double context_tokens;   /* keys and values read: positions behind and in the step */
	double attention_pairs;  /* (query, key) pairs */
};

/* By name; NULL. */
const struct sim_profile *sim_profile_find(const char *name);
/* What fits a model's name best: the 70B pair for "…70b…", else the first. */
const struct sim_profile *sim_profile_for_model(const char *model);
const struct sim_profile *sim_profile_at(size_t i); /* NULL behind the last */
int64_t sim_profile_step_ns(const struct sim_profile *profile, uint32_t tensor_parallel,
			    const struct sim_work *work);
/* Blocks that fit beside the weights: utilisation x memory - weights - 2 GB a GPU. 0: none. */
uint32_t sim_profile_block_count(const struct sim_profile *profile, uint32_t tensor_parallel,
				 double memory_utilisation, uint32_t block_size);
