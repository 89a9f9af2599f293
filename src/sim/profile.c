#include "sim/profile.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

#define ACTIVATION_BYTES 2e9 /* per GPU, reserved for activations and CUDA graphs */
#define BYTES_PER_VALUE  2.0 /* bfloat16 */

static const struct sim_profile profiles[] = {
#define PROFILE(...) { __VA_ARGS__ },
#include "tbl/sim_profiles.h"
};

const struct sim_profile *sim_profile_at(size_t i)
{
	return i < PL_ARRAY_SIZE(profiles) ? &profiles[i] : NULL;
}

const struct sim_profile *sim_profile_find(const char *name)
{
	return PL_ROW_FIND(profiles, name, name);
}

const struct sim_profile *sim_profile_for_model(const char *model)
{
	return strcasestr(model, "70b") != NULL ? &profiles[1] : &profiles[0];
}

/* A number format relative to bfloat16. */
struct format {
	const char *name;
	double bytes; /* of a number */
	double flops; /* operations per second; weights of 4 bits are computed as bfloat16 */
};

static const struct format weight_formats[] = {
	{ "fp8", 0.5, 2.0 },          { "ptpc_fp8", 0.5, 2.0 },      { "modelopt", 0.5, 2.0 },
	{ "awq", 0.25, 1.0 },         { "awq_marlin", 0.25, 1.0 },   { "gptq", 0.25, 1.0 },
	{ "gptq_marlin", 0.25, 1.0 }, { "modelopt_fp4", 0.25, 1.0 }, { "mxfp4", 0.25, 1.0 },
};

static const struct format cache_formats[] = {
	{ "fp8", 0.5, 1.0 },
	{ "fp8_e4m3", 0.5, 1.0 },
	{ "fp8_e5m2", 0.5, 1.0 },
};

struct sim_profile sim_profile_with_formats(const struct sim_profile *profile,
					    const char *quantization, const char *kv_cache_dtype)
{
	struct sim_profile ret = *profile;
	const struct format *weights = quantization != NULL
					       ? PL_ROW_FIND(weight_formats, name, quantization)
					       : NULL;
	const struct format *cache = kv_cache_dtype != NULL
					     ? PL_ROW_FIND(cache_formats, name, kv_cache_dtype)
					     : NULL;

	if (weights != NULL) {
		ret.weight_bytes *= weights->bytes;
		ret.flops *= weights->flops;
	}
	if (cache != NULL)
		ret.kv_bytes_per_token *= cache->bytes;
	return ret;
}

/* Two all-reduces per layer: one latency each, and the ring's share of the activation bytes. */
static double all_reduce_s(const struct sim_profile *profile, double ranks, double tokens)
{
	/*
	 * A ring sends 2(R-1)/R of the data through each link. There are two all-reduces per layer, after attention and
	 * after the MLP.
	 */
	double bytes = tokens * profile->hidden * BYTES_PER_VALUE * 2.0 * (ranks - 1) / ranks;

	if (ranks <= 1)
		return 0;
	return 2.0 * profile->layers *
	       (profile->link_latency_ns * 1e-9 + bytes / profile->link_bytes_per_s);
}

/* The activations pass once from each stage to the next. */
static double passing_s(const struct sim_profile *profile, double stages, double tokens)
{
	return (stages - 1) *
	       (profile->link_latency_ns * 1e-9 +
		tokens * profile->hidden * BYTES_PER_VALUE / profile->link_bytes_per_s);
}

int64_t sim_profile_step_ns(const struct sim_profile *profile, uint32_t tensor_parallel,
			    uint32_t pipeline_parallel, const struct sim_work *work)
{
	double ranks = tensor_parallel > 0 ? tensor_parallel : profile->tensor_parallel;
	double stages = fmax(pipeline_parallel, 1);
	/*
	 * The sequences are divided among as many parts as there are stages. While one part is in a stage, the others are in
	 * other stages, so that all parts take as long as one part takes for all stages.
	 */
	double parts = fmin(stages, fmax(work->sequences, 1));
	double tokens = ((double)work->prefill_tokens + work->decode_tokens) / parts;
	double bytes_per_s = ranks * profile->memory_bytes_per_s * profile->memory_efficiency;
	double flops = ranks * profile->flops * profile->flops_efficiency;
	/*
	 * Roofline: a step is bound by memory (few tokens: all weights are read once) or by arithmetic (two operations
	 * per parameter and token), whichever takes longer. docs/reference/simulator.md has the formula and the sources
	 * of the constants.
	 */
	double linear_s = fmax(profile->weight_bytes / bytes_per_s,
			       2.0 * profile->parameters * tokens / flops);
	double attention_s = fmax(work->context_tokens * profile->kv_bytes_per_token / bytes_per_s,
				  4.0 * profile->layers * profile->hidden * work->attention_pairs /
					  flops) /
			     parts;
	double overhead_ns = profile->step_overhead_ns +
			     profile->sequence_overhead_ns * work->sequences;

	return llround(overhead_ns +
		       1e9 * (linear_s + attention_s + all_reduce_s(profile, ranks, tokens) +
			      passing_s(profile, stages, tokens)));
}

uint32_t sim_profile_block_count(const struct sim_profile *profile, uint32_t tensor_parallel,
				 uint32_t pipeline_parallel, double memory_utilisation,
				 uint32_t block_size)
{
	double ranks = (tensor_parallel > 0 ? tensor_parallel : profile->tensor_parallel) *
		       fmax(pipeline_parallel, 1);
	double bytes = ranks * (profile->gpu_bytes * memory_utilisation - ACTIVATION_BYTES) -
		       profile->weight_bytes;
	double blocks = bytes / (profile->kv_bytes_per_token * block_size);

	return blocks >= 1 ? (uint32_t)fmin(blocks, 1e9) : 0;
}
