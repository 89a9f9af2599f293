/*
 * The memory of one GPU, term by term, for `profllm validate --explain`.
 *
 *   utilization x memory = weights + LoRA slots + activations + graphs + KV cache
 *
 * - Every term has its formula with the numbers in it, and the source of the formula.
 * - A term is NaN if a value that it needs is unknown or not modelled; the formula names that
 *   value.
 * - Weights, KV cache per token and concurrency are computed as in vLLM; activations and graphs,
 *   which vLLM measures when it starts, are only estimated here (`estimated`), to about 1 GiB.
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
	CKPT_MEMORY_KV_BYTES_PER_REQUEST, /* for one request of max_model_len */
	CKPT_MEMORY_KV_TOKENS,            /* max_concurrency x max_model_len */
	CKPT_MEMORY_MAX_CONCURRENCY,
	CKPT_MEMORY_TERMS
};

struct ckpt_memory_term {
	double value; /* NaN: unknown */
	bool estimated;
	char *formula; /* one line */
	const char *source;
};

/* The division of a GPU's KV cache into blocks. */
struct ckpt_kv_layout {
	bool known;
	double token_bytes;     /* for one token in all layers on this GPU */
	int64_t full_groups;    /* groups of layers with every token */
	int64_t sliding_groups; /* ... with a window or a chunk */
	int64_t state_groups;   /* ... with one state per sequence */
	int64_t group_layers;   /* layers per group, padded */
	int64_t block_tokens;   /* per block of a full group */
	int64_t sliding_block_tokens;
	int64_t state_blocks; /* per sequence in a state group */
	int64_t window;
	bool chunked; /* `window` is a chunk */
	int64_t batched_tokens;
	int64_t context_ranks; /* GPUs that share one sequence's tokens */
	double block_bytes;    /* per block in one group */
	double blocks;         /* in the KV cache; NaN: unknown */
};

struct ckpt_memory {
	struct ckpt_memory_term terms[CKPT_MEMORY_TERMS];
	struct ckpt_kv_layout layout;
	bool cache_given;         /* the KV cache's size is given, not computed */
	bool outside_budget;      /* graphs are not part of the budget (before 0.21.0) */
	char *not_modelled;       /* why there is no KV cache term; NULL */
	char *facts;              /* one line on the source of the model's facts; NULL: no facts */
	const char *facts_source; /* "file", "known_by_name"; NULL */
	const char *facts_confidence; /* confidence of facts_source: "seen", "derived"; NULL */
	json_t *notes;                /* array of lines */
};

/* Never fails. */
void ckpt_memory_explain(const struct ckpt_case *server, struct ckpt_memory *ret);
void ckpt_memory_done(struct ckpt_memory *memory);
#define auto_memory __attribute__((cleanup(ckpt_memory_done), unused)) struct ckpt_memory

/*
 * Returns {weights_bytes, kv_bytes_per_token, …: number or null, not_modelled, facts_source,
 * facts_confidence, notes, terms: [{name, value, unit, estimated, formula, source}]}.
 */
json_t *ckpt_memory_to_json(const struct ckpt_memory *memory);
void ckpt_memory_text(const struct ckpt_memory *memory, struct pl_buf *buf);

/* Returns the number of blocks for one request of `len` tokens, over all groups. */
double ckpt_memory_request_blocks(const struct ckpt_kv_layout *layout, int64_t len);
/*
 * Returns the number of blocks that requests can use: vLLM reserves one as the null block. NaN:
 * unknown.
 */
double ckpt_memory_usable_blocks(const struct ckpt_kv_layout *layout);
/*
 * Returns the length of the longest request that fits into them, at most `limit`; 0: none, or
 * unknown.
 */
int64_t ckpt_memory_longest(const struct ckpt_memory *memory, int64_t limit);

/*
 * Adds a problem if something does not fit: "weights_fit_memory", "kv_cache_fits_one_request". An
 * error if it follows without an estimate, otherwise a warning.
 */
void ckpt_memory_check(const struct ckpt_case *server, const struct ckpt_memory *memory,
		       struct option_problems *problems);
