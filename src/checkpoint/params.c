#include "checkpoint/params.h"

#include <math.h>
#include <string.h>

/* vLLM pads the vocabulary so that every GPU's share is whole. */
#define VOCAB_MULTIPLE 64
/* The 4-bit experts' kernels take widths in whole tiles. */
#define EXPERT_WIDTH_TILE  128
#define EXPERT_HIDDEN_TILE 256

double ckpt_params_sum(const struct ckpt_params *params)
{
	return params->embedding + params->head + params->linear + params->expert + params->rest;
}

/* One layer's attention. Keys and values are copied where there are more GPUs than heads. */
static void add_heads(const struct ckpt_facts *facts, int64_t tensor, struct ckpt_params *layer)
{
	double hidden = (double)facts->hidden_size;
	double dim = (double)facts->head_dim;
	double q = (double)facts->heads * dim / (double)tensor;
	double kv = (double)facts->kv_heads * dim / (double)tensor;

	if (tensor > 1 && facts->kv_heads < tensor)
		kv = dim;
	layer->linear += hidden * (q + 2 * kv) + q * hidden;
	if (facts->type->biases >= CKPT_BIASES_QKV)
		layer->rest += q + 2 * kv;
	if (facts->type->biases >= CKPT_BIASES_ATTENTION)
		layer->rest += hidden;
	if (facts->type->qk_norm == CKPT_QK_NORM_HEAD)
		layer->rest += 2 * dim;
	if (facts->type->qk_norm == CKPT_QK_NORM_FULL)
		layer->rest += q + kv;
	if (strcmp(facts->type->name, "gpt_oss") == 0)
		layer->rest += (double)facts->heads / (double)tensor;
}

/* Multi-head latent attention: the maps down to the latent vectors are on every GPU. */
static void add_latent(const struct ckpt_facts *facts, int64_t tensor, struct ckpt_params *layer)
{
	double hidden = (double)facts->hidden_size;
	double heads = (double)facts->heads / (double)tensor;
	double q_width = heads * (double)(facts->nope_dim + facts->rope_dim);
	double rank = (double)facts->kv_lora_rank;

	if (facts->q_lora_rank > 0)
		layer->linear += (double)facts->q_lora_rank * (hidden + q_width);
	else
		layer->linear += hidden * q_width;
	layer->linear += hidden * (rank + (double)facts->rope_dim) +
			 rank * heads * (double)(facts->nope_dim + facts->value_dim) +
			 heads * (double)facts->value_dim * hidden;
	layer->rest += (double)facts->q_lora_rank + rank;
}

static double mlp_matrices(const struct ckpt_facts *facts)
{
	return facts->type->mlp == CKPT_MLP_GATED ? 3 : 2;
}

static void add_dense(const struct ckpt_facts *facts, int64_t tensor, double layers,
		      struct ckpt_params *sum)
{
	double hidden = (double)facts->hidden_size;
	double width = (double)facts->intermediate / (double)tensor;

	sum->linear += layers * mlp_matrices(facts) * hidden * width;
	if (facts->type->biases == CKPT_BIASES_ALL)
		sum->rest += layers * (width * (mlp_matrices(facts) - 1) + hidden);
}

static double tiles(double width, double tile)
{
	return ceil(width / tile) * tile;
}

static double expert_numbers(const struct ckpt_facts *facts, struct ckpt_cut cut)
{
	double hidden = (double)facts->hidden_size;
	double width = (double)facts->expert_intermediate / (double)cut.experts;

	if (!cut.padded || !facts->quant_experts)
		return (double)facts->experts * hidden * width;
	return (double)facts->experts * tiles(hidden, EXPERT_HIDDEN_TILE) *
	       tiles(width, EXPERT_WIDTH_TILE);
}

static void add_experts(const struct ckpt_facts *facts, struct ckpt_cut cut, double layers,
			struct ckpt_params *sum)
{
	double hidden = (double)facts->hidden_size;
	double experts = (double)facts->experts;
	double width = (double)facts->expert_intermediate;
	double shared = (double)facts->shared_intermediate / (double)cut.tensor;

	sum->expert += layers * mlp_matrices(facts) * expert_numbers(facts, cut);
	sum->linear += layers * mlp_matrices(facts) * hidden * shared;
	sum->rest += layers * (hidden * experts + (facts->shared_gate ? hidden : 0));
	if (facts->type->biases == CKPT_BIASES_ALL)
		sum->rest += layers *
			     (experts * (2 * width + hidden) / (double)cut.experts + experts);
}

static void scale(struct ckpt_params *params, double factor)
{
	params->linear *= factor;
	params->expert *= factor;
	params->rest *= factor;
}

bool ckpt_params_count(const struct ckpt_facts *facts, struct ckpt_cut cut, struct ckpt_params *ret)
{
	struct ckpt_params sum = { 0 };
	struct ckpt_params layer = { 0 };
	double hidden = (double)facts->hidden_size;

	if (facts->type == NULL || facts->layers == 0 || facts->heads == 0 ||
	    facts->hidden_size == 0 || facts->vocab_size == 0 ||
	    (facts->intermediate == 0 && facts->expert_layers < facts->layers))
		return false;
	if (facts->type->attention == CKPT_ATTENTION_LATENT)
		add_latent(facts, cut.tensor, &layer);
	else
		add_heads(facts, cut.tensor, &layer);
	layer.rest += facts->type->norms * hidden;
	sum = layer;
	scale(&sum, (double)facts->layers);
	add_dense(facts, cut.tensor, (double)(facts->layers - facts->expert_layers), &sum);
	add_experts(facts, cut, (double)facts->expert_layers, &sum);

	/* the fullest stage has the layers that are left over, and one end of the model */
	double stage = ceil((double)facts->layers / (double)cut.pipeline);
	scale(&sum, stage / (double)facts->layers);
	double rows = (double)facts->vocab_size;
	if (cut.tensor > 1)
		rows = ceil(rows / VOCAB_MULTIPLE) * VOCAB_MULTIPLE / (double)cut.tensor;
	sum.embedding = rows * hidden;
	if (!facts->tied && cut.pipeline == 1)
		sum.head = rows * hidden;
	sum.rest += (double)facts->positions * hidden + facts->type->final_norm * hidden;
	*ret = sum;
	return true;
}

double ckpt_params_lora_widths(const struct ckpt_facts *facts)
{
	double hidden = (double)facts->hidden_size;
	double q = (double)(facts->heads * facts->head_dim);
	double kv = (double)(facts->kv_heads * facts->head_dim);
	double attention = (hidden + q) * 2 + (hidden + kv) * 2;
	double mlp = facts->type != NULL ? mlp_matrices(facts) : 0;

	return (double)facts->layers * attention + (double)(facts->layers - facts->expert_layers) *
							   mlp *
							   (hidden + (double)facts->intermediate);
}
