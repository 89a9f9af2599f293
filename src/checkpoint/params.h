/*
 * The number of a model's parameters, computed from its configuration, and the number per GPU when
 * the model is split by tensor, pipeline and expert parallelism.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "checkpoint/facts.h"

struct ckpt_cut {
	int64_t tensor;   /* tensor_parallel_size */
	int64_t pipeline; /* pipeline_parallel_size */
	int64_t experts;  /* GPUs that share the experts: tensor x data (x prefill context) */
	bool padded;      /* padded for the kernels, unlike in the files */
};
#define CKPT_CUT_NONE ((struct ckpt_cut){ 1, 1, 1, false })

/* all = embedding + head + linear + expert + rest */
struct ckpt_params {
	double embedding;
	double head;   /* 0 if it is the embedding */
	double linear; /* covered by quantization, without experts */
	double expert;
	double rest; /* norms, biases, routers, positions */
};

/*
 * Counts the parameters on a GPU of the largest pipeline stage. False: the family is not modelled.
 */
bool ckpt_params_count(const struct ckpt_facts *facts, struct ckpt_cut cut,
		       struct ckpt_params *ret);
double ckpt_params_sum(const struct ckpt_params *params);
/*
 * Returns the sum of input and output widths of all linear maps: a LoRA of rank r has r times as
 * many parameters.
 */
double ckpt_params_lora_widths(const struct ckpt_facts *facts);
