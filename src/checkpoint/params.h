/*
 * How many numbers a model has, worked out from its configuration, and how many a GPU keeps when
 * the model is cut by tensor, pipeline and expert parallelism.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "checkpoint/facts.h"

struct ckpt_cut {
	int64_t tensor;   /* tensor_parallel_size */
	int64_t pipeline; /* pipeline_parallel_size */
	int64_t experts;  /* GPUs that share the experts: tensor x data (x prefill context) */
	bool padded;      /* as its kernels want the weights, not as the files hold them */
};
#define CKPT_CUT_NONE ((struct ckpt_cut){ 1, 1, 1, false })

/* all = embedding + head + linear + expert + rest */
struct ckpt_params {
	double embedding;
	double head;   /* 0 where it is the embedding */
	double linear; /* what quantization reaches, experts aside */
	double expert;
	double rest; /* norms, biases, routers, positions */
};

/* Of the fullest pipeline stage's GPU. False: the family is not modelled. */
bool ckpt_params_count(const struct ckpt_facts *facts, struct ckpt_cut cut,
		       struct ckpt_params *ret);
double ckpt_params_sum(const struct ckpt_params *params);
/* In and out widths of all layers' linear maps together: a LoRA of rank r has r times as many. */
double ckpt_params_lora_widths(const struct ckpt_facts *facts);
