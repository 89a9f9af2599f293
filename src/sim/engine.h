/*
 * The engine: which sequences compute which tokens in a step, and how long the step takes. Pure:
 * the caller gives the time, nothing here sleeps, sends or reads a clock.
 *
 * A step is two calls: begin() schedules at one time and says how long; end() at a later time hands
 * out the tokens. Between them sequences may be added (they wait for the next step) or aborted.
 *
 * Scheduling, in this order, within max_num_batched_tokens tokens:
 * 1. Running sequences, oldest admission first: what is left of their prompt, or one token. One
 *    without a free block preempts the sequence admitted last (perhaps itself): that one loses its
 *    blocks and all it computed, and waits at the front of the queue.
 * 2. Unless step 1 preempted: waiting sequences, first come first served, while running <
 *    max_num_seqs. Whole blocks of a known prefix are taken over, but never the last token: that
 *    one is always computed. The head waits, and all behind it, when blocks for its whole known
 *    length (with reserve_full, else for this step's part) are not free; without chunked prefill
 *    also when its prompt does not fit what is left of the budget.
 * A sequence whose known tokens are all computed yields a token at the step's end; with
 * draft_tokens, one that computes a single token computes so many drafts with it, and yields
 * besides its token each draft up to the first that is refused (chance SIM_DRAFT_ACCEPTANCE each).
 *
 * - waiting + running + (finished, aborted) = added, at every moment.
 * - A sequence is the engine's; after it finished or was aborted it is gone with the next begin().
 */
#pragma once

#include "sim/profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SIM_DRAFT_ACCEPTANCE 0.7

struct sim_engine_config {
	uint32_t max_num_batched_tokens;
	uint32_t max_num_seqs;
	uint32_t block_size;
	uint32_t block_count;
	uint32_t draft_tokens; /* speculative decoding; 0: none */
	bool prefix_caching;
	bool chunked_prefill;
	bool reserve_full;
	int64_t fixed_step_ns;             /* 0: by the profile */
	const struct sim_profile *profile; /* may be NULL with a fixed step */
	uint32_t tensor_parallel;
	double eos_rate; /* chance of each token, past min_tokens, to be the last */
};

struct sim_sequence_spec {
	const uint32_t *prompt; /* borrowed during the call */
	size_t prompt_tokens;   /* at least 1 */
	uint32_t max_tokens;    /* at least 1 */
	uint32_t min_tokens;
	bool ignore_eos;
	uint64_t seed; /* of the tokens it will say */
	void *user;
};

enum sim_finish { SIM_FINISH_NONE, SIM_FINISH_LENGTH, SIM_FINISH_STOP, SIM_FINISH_ABORT };

/* What the owner may read; only the engine writes. */
struct sim_sequence {
	void *user;
	uint64_t seed;
	uint32_t prompt_tokens;
	uint32_t max_tokens;
	uint32_t min_tokens;
	bool ignore_eos;
	enum sim_finish finish;
	uint32_t generated;     /* tokens said */
	uint32_t cached_tokens; /* of the prompt, found in the prefix cache at first admission */
	uint32_t preemptions;
	int64_t added_ns;
	int64_t admitted_ns; /* begin of the first step; -1: not yet */
	int64_t first_token_ns;
	int64_t last_token_ns;
	struct sim_sequence_priv *priv;
};

struct sim_output {
	struct sim_sequence *sequence;
	uint32_t token;
	uint32_t index; /* 0 for its first */
	int64_t gap_ns; /* since its token before; since it was added for the first */
	uint32_t part;  /* 0 for the sequence's first of this step */
	bool more;      /* the next output is its too */
};

/* Of the last begin(). */
struct sim_step {
	int64_t begin_ns;
	int64_t duration_ns;
	struct sim_work work;
	uint32_t tokens; /* scheduled */
	uint32_t preempted;
	uint32_t admitted;
};

/* Totals since the engine was made; running and waiting are gauges. */
struct sim_engine_stats {
	uint64_t steps;
	uint64_t added;
	uint64_t finished[4]; /* by enum sim_finish */
	uint64_t preemptions;
	uint64_t prefix_queries; /* tokens asked for */
	uint64_t prefix_hits;    /* tokens found */
	uint64_t prompt_tokens;  /* of prompts that came through, computed or found */
	uint64_t cached_tokens;  /* of these, found at their first admission */
	uint64_t generated_tokens;
	uint64_t drafts; /* sequences x steps with drafts */
	uint64_t draft_tokens;
	uint64_t accepted_tokens;
	uint64_t accepted_at[SIM_DRAFTS_MAX]; /* by place in the draft */
	uint32_t running;
	uint32_t waiting;
	uint32_t blocks_held;
	uint32_t blocks;
};

struct sim_engine;

struct sim_engine *sim_engine_new(const struct sim_engine_config *config);
void sim_engine_free(struct sim_engine *engine);

struct sim_sequence *sim_engine_add(struct sim_engine *engine, const struct sim_sequence_spec *spec,
				    int64_t now_ns);
/* Schedules; returns the step's duration, or -1 when there is nothing to compute. */
int64_t sim_engine_begin(struct sim_engine *engine, int64_t now_ns);
/* Ends the step; the outputs, in the order of scheduling, are valid until the next begin(). */
size_t sim_engine_end(struct sim_engine *engine, int64_t now_ns, const struct sim_output **ret);
/* Harmless for one that has finished. */
void sim_engine_abort(struct sim_engine *engine, struct sim_sequence *sequence);

bool sim_engine_in_step(const struct sim_engine *engine);
const struct sim_step *sim_engine_step(const struct sim_engine *engine);
void sim_engine_stats(const struct sim_engine *engine, struct sim_engine_stats *ret);
/* Forgets the prefix cache; false while a sequence holds blocks. */
bool sim_engine_reset_prefix_cache(struct sim_engine *engine);
/* Tokens that the step just begun computes for this sequence. */
uint32_t sim_sequence_scheduled(const struct sim_sequence *sequence);
/* Tokens of it whose keys and values are in the cache. */
uint32_t sim_sequence_computed(const struct sim_sequence *sequence);
