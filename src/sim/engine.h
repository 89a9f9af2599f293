/*
 * The engine: which sequences compute which tokens in a step, and the duration of the step. Pure: the caller passes the
 * time; nothing here sleeps, sends or reads a clock.
 *
 * A step is two calls: begin() schedules at one time and returns the duration; end() at a later time returns the
 * tokens. In between, sequences may be added (they wait for the next step) or aborted.
 *
 * Scheduling, in this order, within max_num_batched_tokens tokens:
 * 1. Running sequences, oldest admission first: the remaining part of their prompt, or one token. If there is no free
 * block, the sequence that was admitted last (perhaps this one) is preempted: it loses its blocks and everything it
 * computed, and waits at the front of the queue.
 * 2. Unless step 1 preempted: waiting sequences, first come first served, while running < max_num_seqs. Full blocks of
 * a known prefix are reused, except for the last token, which is always computed. The head of the queue, and all after
 * it, wait if there are not enough free blocks for its complete known length (with reserve_full, else for this step's
 * part). Without chunked prefill, they also wait if its prompt exceeds the remaining budget.
 *
 * A sequence whose known tokens are all computed produces a token at the step's end. With draft_tokens, a sequence that
 * computes a single token also computes this number of drafts, and produces each draft up to the first rejected one
 * (each is accepted with probability SIM_DRAFT_ACCEPTANCE) in addition to its token.
 * A pooled sequence has no tokens: it finishes at the end of the step that computes the rest of its prompt.
 * - waiting + running + (finished, aborted) = added, at every moment.
 * - The engine owns a sequence. After it has finished or was aborted, the next begin() frees it.
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
	uint32_t pipeline_parallel; /* stages; 0: 1 */
	double eos_rate;            /* probability that a token after min_tokens is the last */
};

struct sim_sequence_spec {
	const uint32_t *prompt; /* borrowed during the call */
	size_t prompt_tokens;   /* at least 1 */
	uint32_t max_tokens;    /* at least 1 */
	uint32_t min_tokens;
	bool ignore_eos;
	bool pooled;   /* generates nothing: its output is its end */
	uint64_t seed; /* of the generated tokens */
	/*
	 * Time of the encoder for the media of the prompt: the step that admits the sequence takes this much
	 * longer, unless the prefix cache has the first media_end tokens.
	 */
	int64_t encoder_ns;
	uint32_t media_end;
	void *user;
};

enum sim_finish { SIM_FINISH_NONE, SIM_FINISH_LENGTH, SIM_FINISH_STOP, SIM_FINISH_ABORT };

/* The owner may read it; only the engine writes. */
struct sim_sequence {
	void *user;
	uint64_t seed;
	uint32_t prompt_tokens;
	uint32_t max_tokens;
	uint32_t min_tokens;
	bool ignore_eos;
	bool pooled;
	int64_t encoder_ns;
	uint32_t media_end;
	enum sim_finish finish;
	uint32_t generated;     /* tokens generated */
	uint32_t cached_tokens; /* of the prompt, found in the prefix cache at first admission */
	uint32_t preemptions;
	int64_t added_ns;
	int64_t admitted_ns;    /* start of the first step; -1: not yet */
	int64_t first_token_ns; /* of a pooled one: its end, as last_token_ns */
	int64_t last_token_ns;
	struct sim_sequence_priv *priv;
};

struct sim_output {
	struct sim_sequence *sequence;
	uint32_t token; /* 0 for a pooled sequence, which has none */
	uint32_t index; /* 0 for the first token */
	int64_t gap_ns; /* since the previous token; for the first one, since it was added */
	uint32_t part;  /* 0 for the sequence's first token in this step */
	bool more;      /* the next output belongs to it, too */
};

/* The step of the last begin(). */
struct sim_step {
	int64_t begin_ns;
	int64_t duration_ns;
	struct sim_work work;
	uint32_t tokens; /* scheduled */
	uint32_t preempted;
	uint32_t admitted;
	int64_t encoder_ns; /* of the duration: the encoder of media */
};

/* Totals since the engine was created; running and waiting are gauges. */
struct sim_engine_stats {
	uint64_t steps;
	uint64_t added;
	uint64_t finished[4]; /* by enum sim_finish */
	uint64_t preemptions;
	uint64_t prefix_queries; /* tokens asked for */
	uint64_t prefix_hits;    /* tokens found */
	uint64_t prompt_tokens;  /* of completed prompts, computed or cached */
	uint64_t cached_tokens;  /* of these, cached at their first admission */
	uint64_t generated_tokens;
	uint64_t drafts; /* number of sequences x steps with drafts */
	uint64_t draft_tokens;
	uint64_t accepted_tokens;
	uint64_t accepted_at[SIM_DRAFTS_MAX]; /* by position in the draft */
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
/* Schedules; returns the step's duration, or -1 if there is nothing to compute. */
int64_t sim_engine_begin(struct sim_engine *engine, int64_t now_ns);
/* Ends the step; the outputs, in the order of scheduling, are valid until the next begin(). */
size_t sim_engine_end(struct sim_engine *engine, int64_t now_ns, const struct sim_output **ret);
/* Does nothing if it has finished. */
void sim_engine_abort(struct sim_engine *engine, struct sim_sequence *sequence);

bool sim_engine_in_step(const struct sim_engine *engine);
const struct sim_step *sim_engine_step(const struct sim_engine *engine);
void sim_engine_stats(const struct sim_engine *engine, struct sim_engine_stats *ret);
/* Empties the prefix cache; false while a sequence holds blocks. */
bool sim_engine_reset_prefix_cache(struct sim_engine *engine);
/* Returns the number of tokens that the current step computes for this sequence. */
uint32_t sim_sequence_scheduled(const struct sim_sequence *sequence);
