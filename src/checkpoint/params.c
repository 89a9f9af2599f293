/*
 * The number of parameters on one GPU, from the shapes in config.json: that of the largest share,
 * because it is the limit. Tensor parallelism splits the widths of a layer, pipeline parallelism
 * the layers, expert parallelism the experts; norms, latent projections and routers are replicated
 * on every GPU. Doubles, because shares may be fractions.
 */
#include "checkpoint/params.h"

#include <math.h>
#include <string.h>

/* vLLM pads the vocabulary so that every GPU's share is whole. */
#define VOCAB_MULTIPLE 64
/* The 4-bit experts' kernels take widths in whole tiles. */
#define EXPERT_WIDTH_TILE  128
#define EXPERT_HIDDEN_TILE 256
/* Rows that the embedding of a model with cross attention has beyond the vocabulary. */
#define IMAGE_TOKEN_ROWS 8

double ckpt_params_sum(const struct ckpt_params *params)
{
	return params->embedding + params->head + params->linear + params->expert + params->rest;
}

/*
 * One layer's attention. Keys and values are copied where there are more GPUs than heads. Q and
 * its gate, K, V: hidden x width; O: width x hidden. A norm per head has one weight for each of
 * its numbers, a full one for the whole width.
 */
static void add_heads(const struct ckpt_facts *facts, int64_t kv_heads, int64_t head_dim,
		      int64_t tensor, struct ckpt_params *layer)
{
	double hidden = (double)facts->hidden_size;
	double dim = (double)head_dim;
	double q = (double)facts->heads * dim / (double)tensor;
	double kv = (double)kv_heads * dim / (double)tensor;
	double gate = ckpt_has_trait(facts, CKPT_TRAIT_DELTA) ? q : 0;

	if (tensor > 1 && kv_heads < tensor)
		kv = dim;
	layer->linear += hidden * (q + gate + 2 * kv) + q * hidden;
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

/*
 * Multi-head latent attention: the projections to the latent vectors are replicated on every GPU.
 *
 *   q:  hidden -> q_lora_rank -> heads x (nope + rope)    (direct without a rank)
 *   kv: hidden -> kv_lora_rank + rope, rank -> heads x (nope + value)
 *   o:  heads x value -> hidden
 */
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

/* Gate, up and down, or up and down. */
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
	if (facts->type->biases == CKPT_BIASES_ALL || facts->type->biases == CKPT_BIASES_MLP)
		sum->rest += layers * (width * (mlp_matrices(facts) - 1) + hidden);
}

static double tiles(double width, double tile)
{
	return ceil(width / tile) * tile;
}

/* Padding is of the memory, not of the model: the count that people know is without it. */
static double expert_numbers(const struct ckpt_facts *facts, struct ckpt_cut cut)
{
	double hidden = (double)facts->hidden_size;
	double width = (double)facts->expert_intermediate / (double)cut.experts;

	if (!cut.padded || !facts->quant_experts)
		return (double)facts->experts * hidden * width;
	return (double)facts->experts * tiles(hidden, EXPERT_HIDDEN_TILE) *
	       tiles(width, EXPERT_WIDTH_TILE);
}

static void add(struct ckpt_params *sum, double times, const struct ckpt_params *layer)
{
	sum->linear += times * layer->linear;
	sum->rest += times * layer->rest;
}

/*
 * Adds attention, or what replaces it, and the norms of all layers. Three kinds of layers at most:
 * usual attention, global attention with separate head sizes, and a recurrent state.
 */
static void add_mixers(const struct ckpt_facts *facts, int64_t tensor, struct ckpt_params *sum)
{
	const struct ckpt_recurrent *recurrent = &facts->recurrent;
	struct ckpt_params usual = { 0 };
	struct ckpt_params global = { 0 };
	struct ckpt_params state = { .linear = recurrent->linear / (double)tensor,
				     .rest = recurrent->rest / (double)tensor };

	if (facts->type->attention == CKPT_ATTENTION_LATENT)
		add_latent(facts, tensor, &usual);
	else
		add_heads(facts, facts->kv_heads, facts->head_dim, tensor, &usual);
	if (ckpt_has_trait(facts, CKPT_TRAIT_INDEXER)) {
		/* The indexer of sparse attention is replicated on every GPU (vLLM, deepseek_v2.py). */
		double hidden = (double)facts->hidden_size;
		double dim = (double)facts->index_dim;
		double heads = (double)facts->index_heads;
		usual.linear += (double)facts->q_lora_rank * heads * dim + hidden * dim;
		usual.rest += hidden * heads + 2 * dim;
	}
	if (facts->global_layers > 0)
		add_heads(facts, facts->global_kv_heads, facts->global_head_dim, tensor, &global);
	add(sum, (double)(facts->attention_layers - facts->global_layers), &usual);
	add(sum, (double)facts->global_layers, &global);
	add(sum, (double)recurrent->layers, &state);
	sum->rest += (double)facts->layers * facts->type->norms * (double)facts->hidden_size;
	/* norms of q and k and two gates */
	sum->rest += (double)facts->cross_layers * (2 * (double)facts->head_dim + 2);
	if (ckpt_has_trait(facts, CKPT_TRAIT_GLOBAL))
		sum->rest += (double)facts->layers;
}

/*
 * Adds the parts before and after the layers. The head shares the embedding's parameters if they
 * are tied.
 */
static void add_ends(const struct ckpt_facts *facts, struct ckpt_cut cut, struct ckpt_params *sum)
{
	double hidden = (double)facts->hidden_size;
	double rows = (double)facts->vocab_size;

	if (cut.tensor > 1)
		rows = ceil(rows / VOCAB_MULTIPLE) * VOCAB_MULTIPLE / (double)cut.tensor;
	sum->embedding = rows * hidden;
	if (ckpt_has_trait(facts, CKPT_TRAIT_CROSS))
		sum->embedding += IMAGE_TOKEN_ROWS * hidden;
	if (!facts->tied && cut.pipeline == 1)
		sum->head = rows * hidden;
	if (sum->head > 0 && ckpt_has_trait(facts, CKPT_TRAIT_HEAD_BIAS))
		sum->rest += rows;
	sum->rest += (double)(facts->positions + facts->token_types + facts->type->final_norm) *
		     hidden;
	if (ckpt_has_trait(facts, CKPT_TRAIT_ENCODER))
		sum->rest += hidden * hidden + hidden;
}

/* False where a shape that counts is missing: no count is better than one that is too low. */
bool ckpt_params_count(const struct ckpt_facts *facts, struct ckpt_cut cut, struct ckpt_params *ret)
{
	struct ckpt_params sum = { 0 };

	if (facts->type == NULL || facts->uncounted || facts->layers == 0 || facts->heads == 0 ||
	    facts->hidden_size == 0 || facts->vocab_size == 0 ||
	    (facts->intermediate == 0 && facts->dense_layers > 0))
		return false;
	add_mixers(facts, cut.tensor, &sum);
	add_dense(facts, cut.tensor, (double)facts->dense_layers, &sum);
	/* The router is replicated on every GPU; shared experts are split like an MLP. */
	double layers = (double)facts->expert_layers;
	double hidden = (double)facts->hidden_size;
	double experts = (double)facts->experts;
	double width = (double)facts->expert_intermediate;
	double shared = (double)facts->shared_intermediate / (double)cut.tensor;
	sum.expert += layers * mlp_matrices(facts) * expert_numbers(facts, cut);
	sum.linear += layers * mlp_matrices(facts) * hidden * shared;
	sum.rest += layers * (hidden * experts + (facts->shared_gate ? hidden : 0));
	if (facts->type->biases == CKPT_BIASES_ALL)
		sum.rest += layers *
			    (experts * (2 * width + hidden) / (double)cut.experts + experts);
	/* in addition to an MLP they have separate norms, and their router has scales */
	if (ckpt_has_trait(facts, CKPT_TRAIT_GLOBAL))
		sum.rest += layers * (4 * hidden + experts);

	/* the largest stage has the remaining layers, and one end of the model */
	double stage = ceil((double)facts->layers / (double)cut.pipeline);
	double factor = stage / (double)facts->layers;
	sum.linear *= factor;
	sum.expert *= factor;
	sum.rest *= factor;
	add_ends(facts, cut, &sum);
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

	return (double)facts->attention_layers * attention +
	       (double)facts->dense_layers * mlp * (hidden + (double)facts->intermediate);
}
