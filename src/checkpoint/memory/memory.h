/*
 * The memory of one GPU, term by term, as `profllm validate --explain` shows it.
 *
 *   utilization x memory = weights + LoRA slots + activations + graphs + KV cache
 *
 * - Every term has its formula with the numbers in it and says where the formula comes from.
 * - A term is NaN where something it needs is not known or not modelled; the formula says what.
 * - Weights, KV cache per token and concurrency are worked out as vLLM does; activations and graphs
 *   are measured by vLLM when it starts and only estimated here (`estimated`), to about 1 GiB.
 */
#pragma once

#include "base/buf.h"
#include "base/json.h"
#include "checkpoint/case.h"
#include "option/problem.h"

#include <stdbool.h>

enum ckpt_memory_id {
	CKPT_MEMORY_GPU_BYTES,
	CKPT_MEMORY_BUDGET_BYTES, /* the part of it that vLLM may use */
	CKPT_MEMORY_WEIGHTS_BYTES,
	CKPT_MEMORY_LORA_BYTES,
	CKPT_MEMORY_ACTIVATION_BYTES,
	CKPT_MEMORY_GRAPH_BYTES,
	CKPT_MEMORY_KV_CACHE_BYTES,
	CKPT_MEMORY_KV_BYTES_PER_TOKEN,
	CKPT_MEMORY_MAX_MODEL_LEN,
	CKPT_MEMORY_KV_BYTES_PER_REQUEST, /* of one request of max_model_len */
	CKPT_MEMORY_KV_TOKENS,            /* max_concurrency x max_model_len */
	CKPT_MEMORY_MAX_CONCURRENCY,
	CKPT_MEMORY_TERMS
};

struct ckpt_memory_term {
	double value; /* NaN: not known */
	bool estimated;
	char *formula; /* one line */
	const char *source;
};

/* How a GPU's KV cache is cut into blocks. */
struct ckpt_kv_layout {
	bool known;
	double token_bytes;     /* of one token in all layers on this GPU */
	int64_t full_groups;    /* groups of layers that keep every token */
	int64_t sliding_groups; /* ... that keep a window, or a chunk */
	int64_t state_groups;   /* ... that keep one state a sequence */
	int64_t group_layers;   /* layers a group, padded */
	int64_t block_tokens;   /* of a full group's block */
	int64_t sliding_block_tokens;
	int64_t state_blocks; /* of one sequence in a state group */
	int64_t window;
	bool chunked; /* `window` is a chunk */
	int64_t batched_tokens;
	int64_t context_ranks; /* GPUs that share one sequence's tokens */
	double block_bytes;    /* of one block in one group */
	double blocks;         /* in the KV cache; NaN: not known */
};

struct ckpt_memory {
	struct ckpt_memory_term terms[CKPT_MEMORY_TERMS];
	struct ckpt_kv_layout layout;
	bool cache_given;         /* the KV cache's size was told, not worked out */
	bool outside_budget;      /* graphs come on top of the budget (before 0.21.0) */
	char *not_modelled;       /* why there is no KV cache term; NULL */
	char *facts;              /* one line on where the model's facts are from; NULL: none are */
	const char *facts_source; /* "file", "known_by_name"; NULL */
	const char *facts_confidence; /* of the latter: "seen", "derived"; NULL */
	json_t *notes;                /* array of lines */
};

/* Never fails. */
void ckpt_memory_explain(const struct ckpt_case *server, struct ckpt_memory *ret);
void ckpt_memory_done(struct ckpt_memory *memory);
#define auto_memory __attribute__((cleanup(ckpt_memory_done), unused)) struct ckpt_memory

/* {weights_bytes, kv_bytes_per_token, …: number or null, not_modelled, facts_source,
 * facts_confidence, notes, terms: [{name, value, unit, estimated, formula, source}]} */
json_t *ckpt_memory_to_json(const struct ckpt_memory *memory);
void ckpt_memory_text(const struct ckpt_memory *memory, struct pl_buf *buf);

/* Blocks that one request of `len` tokens takes, over all groups. */
double ckpt_memory_request_blocks(const struct ckpt_kv_layout *layout, int64_t len);
/* Those that requests can have: vLLM keeps one as the empty block. NaN: not known. */
double ckpt_memory_usable_blocks(const struct ckpt_kv_layout *layout);
/* The longest request that they hold, at most `limit`; 0: none, or not known. */
int64_t ckpt_memory_longest(const struct ckpt_memory *memory, int64_t limit);

/*
 * Adds what does not fit: "weights_fit_memory", "kv_cache_fits_one_request". An error where it
 * follows without an estimate, a warning elsewhere.
 */
void ckpt_memory_check(const struct ckpt_case *server, const struct ckpt_memory *memory,
		       struct option_problems *problems);
