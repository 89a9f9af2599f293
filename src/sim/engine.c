#include "sim/engine.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

#include "base/mem.h"
#include "sim/blocks.h"
#include "sim/tokenizer.h"

/*
 *                     begin(t)                                    end(t + duration)
 *    running ──> 1 token each, or the rest  ──┐                ┌──> all known: speaks a token
 *                of a prompt; blocks taken    ├─ one step ─────┤
 *    waiting ──> admitted while budget, seats ┘                └──> finished: blocks dropped, GONE
 *       ^        and blocks last; prefix hits
 *       └──────── preempted: the one admitted last, when a running one finds no block
 *
 * known: prompt and what was said. computed: of these, tokens whose keys and values are in the
 * cache. Always computed + scheduled <= known.
 */
enum queue { WAITING, RUNNING, GONE };

struct sim_sequence_priv {
	struct sim_sequence open;
	enum queue queue;
	TAILQ_ENTRY(sim_sequence_priv) link; /* among the waiting or the gone */
	uint32_t known;                      /* prompt + generated */
	uint32_t computed;
	uint32_t scheduled; /* in the step that runs */
	uint32_t drafts;    /* after them */
	uint32_t block_count;
	size_t block_room;
	uint32_t *blocks;
	uint64_t chain; /* hash of all known tokens */
	size_t name_room;
	uint64_t *names; /* chain at each whole block of the known tokens */
};

TAILQ_HEAD(sequences, sim_sequence_priv);

struct sim_engine {
	struct sim_engine_config config;
	struct sim_blocks blocks;
	struct sequences waiting;
	struct sequences gone; /* read until the next begin(): its last output points there */
	struct sim_sequence_priv **running; /* in the order of admission */
	size_t running_count;
	size_t running_room;
	struct sim_output *outputs;
	size_t output_room;
	struct sim_step step;
	struct sim_engine_stats stats;
	bool in_step;
};

static uint32_t blocks_for(const struct sim_engine *engine, uint32_t tokens)
{
	return (tokens + engine->config.block_size - 1) / engine->config.block_size;
}

/*
 * The sequence knows one token more. The hash of all tokens so far names the block that ends here:
 * two prompts that agree up to a block's end agree in its name, whoever said the tokens.
 */
static void learn(struct sim_engine *engine, struct sim_sequence_priv *seq, uint32_t token)
{
	uint32_t size = engine->config.block_size;

	seq->chain = sim_token_mix(seq->chain, token);
	seq->known++;
	if (!engine->config.prefix_caching || seq->known % size != 0)
		return;
	pl_grow((void **)&seq->names, &seq->name_room, seq->known / size, sizeof(*seq->names));
	seq->names[seq->known / size - 1] = seq->chain;
}

static void make_wait(struct sim_engine *engine, struct sim_sequence_priv *seq, bool first)
{
	seq->queue = WAITING;
	if (first)
		TAILQ_INSERT_HEAD(&engine->waiting, seq, link);
	else
		TAILQ_INSERT_TAIL(&engine->waiting, seq, link);
	engine->stats.waiting++;
}

static void stop_waiting(struct sim_engine *engine, struct sim_sequence_priv *seq)
{
	TAILQ_REMOVE(&engine->waiting, seq, link);
	engine->stats.waiting--;
}

/* The last block first: what is furthest from a prefix's beginning is forgotten soonest. */
static void drop_blocks(struct sim_engine *engine, struct sim_sequence_priv *seq)
{
	while (seq->block_count > 0)
		sim_blocks_drop(&engine->blocks, seq->blocks[--seq->block_count]);
	seq->computed = 0;
	seq->scheduled = 0;
	seq->drafts = 0;
}

static void go(struct sim_engine *engine, struct sim_sequence_priv *seq, enum sim_finish finish)
{
	drop_blocks(engine, seq);
	seq->open.finish = finish;
	seq->queue = GONE;
	TAILQ_INSERT_TAIL(&engine->gone, seq, link);
	engine->stats.finished[finish]++;
}

static void free_sequence(struct sim_sequence_priv *seq)
{
	free(seq->blocks);
	free(seq->names);
	free(seq);
}

static void free_all(struct sequences *sequences)
{
	struct sim_sequence_priv *seq;

	while ((seq = TAILQ_FIRST(sequences)) != NULL) {
		TAILQ_REMOVE(sequences, seq, link);
		free_sequence(seq);
	}
}

struct sim_engine *sim_engine_new(const struct sim_engine_config *config)
{
	struct sim_engine *engine = pl_alloc(sizeof(*engine));

	assert(config->block_size > 0 && config->block_count > 0 && config->max_num_seqs > 0);
	assert(config->max_num_batched_tokens > 0);
	assert(config->fixed_step_ns > 0 || config->profile != NULL);
	assert(config->draft_tokens <= SIM_DRAFTS_MAX);
	engine->config = *config;
	sim_blocks_init(&engine->blocks, config->block_count);
	TAILQ_INIT(&engine->waiting);
	TAILQ_INIT(&engine->gone);
	return engine;
}

void sim_engine_free(struct sim_engine *engine)
{
	if (engine == NULL)
		return;
	free_all(&engine->gone);
	for (size_t i = 0; i < engine->running_count; i++)
		free_sequence(engine->running[i]);
	free_all(&engine->waiting);
	sim_blocks_done(&engine->blocks);
	free(engine->running);
	free(engine->outputs);
	free(engine);
}

struct sim_sequence *sim_engine_add(struct sim_engine *engine, const struct sim_sequence_spec *spec,
				    int64_t now_ns)
{
	struct sim_sequence_priv *seq = pl_alloc(sizeof(*seq));

	assert(spec->prompt_tokens > 0 && spec->max_tokens > 0);
	seq->open = (struct sim_sequence){
		.user = spec->user,
		.seed = spec->seed,
		.prompt_tokens = (uint32_t)spec->prompt_tokens,
		.max_tokens = spec->max_tokens,
		.min_tokens = spec->min_tokens,
		.ignore_eos = spec->ignore_eos,
		.pooled = spec->pooled,
		.encoder_ns = spec->encoder_ns,
		.media_end = spec->media_end,
		.added_ns = now_ns,
		.admitted_ns = -1,
		.priv = seq,
	};
	for (size_t i = 0; i < spec->prompt_tokens; i++)
		learn(engine, seq, spec->prompt[i]);
	make_wait(engine, seq, false);
	engine->stats.added++;
	return &seq->open;
}

/* Names the full blocks of known tokens between two positions. */
static void name_blocks(struct sim_engine *engine, struct sim_sequence_priv *seq, uint32_t from,
			uint32_t after)
{
	uint32_t size = engine->config.block_size;

	/*
	 * When they are scheduled, not at the end of the step: a second prompt of the same step may already reuse them,
	 * because its attention runs after theirs.
	 */
	for (uint32_t i = from / size; engine->config.prefix_caching && i < after / size; i++)
		sim_blocks_name(&engine->blocks, seq->blocks[i], seq->names[i]);
}

/*
 * Gives blocks to `tokens` more tokens of the sequence, and to drafts after them; the caller knows that they are free.
 */
static void compute(struct sim_engine *engine, struct sim_sequence_priv *seq, uint32_t tokens,
		    uint32_t drafts)
{
	uint32_t all = tokens + drafts;
	uint32_t need = blocks_for(engine, seq->computed + all);
	struct sim_work *work = &engine->step.work;

	pl_grow((void **)&seq->blocks, &seq->block_room, need, sizeof(*seq->blocks));
	while (seq->block_count < need)
		seq->blocks[seq->block_count++] = sim_blocks_take(&engine->blocks);
	name_blocks(engine, seq, seq->computed, seq->computed + tokens);
	seq->scheduled = tokens;
	seq->drafts = drafts;
	engine->step.tokens += all;
	work->sequences++;
	/* The last remaining token of a prompt is prefill, too, if nothing was generated. */
	if (seq->known - seq->computed > 1 || seq->open.generated == 0)
		work->prefill_tokens += all;
	else
		work->decode_tokens += all;
	work->context_tokens += seq->computed + all;
	/*
	 * The i-th of the new tokens attends to all computed ones and to i new ones: all·computed +
	 * all·(all + 1)/2.
	 */
	work->attention_pairs += (double)all * (seq->computed + (all + 1) / 2.0);
}

/*
 * Preemption by recomputation, as in vLLM V1: nothing is swapped out. Generated tokens are known and not generated
 * again.
 */
static void preempt_last(struct sim_engine *engine)
{
	struct sim_sequence_priv *seq = engine->running[--engine->running_count];

	/* Only sequences after the requesting one are preempted, and they have not been scheduled in this step yet. */
	assert(seq->scheduled == 0);
	drop_blocks(engine, seq);
	seq->open.preemptions++;
	engine->stats.preemptions++;
	engine->step.preempted++;
	make_wait(engine, seq, true);
}

/* False: the sequence itself was preempted. */
static bool make_room(struct sim_engine *engine, struct sim_sequence_priv *seq, uint32_t tokens)
{
	uint32_t need = blocks_for(engine, seq->computed + tokens);

	/* This ends, because each iteration frees the blocks of a sequence, and the last one is the sequence itself. */
	while (seq->block_count < need && engine->blocks.free_count < need - seq->block_count) {
		bool itself = engine->running[engine->running_count - 1] == seq;

		preempt_last(engine);
		if (itself)
			return false;
	}
	return true;
}

/*
 * Returns the number of drafts for a single computed token: at most the number of tokens that may still be generated
 * after it.
 */
static uint32_t draft(const struct sim_engine *engine, const struct sim_sequence_priv *seq,
		      uint32_t budget)
{
	uint32_t count = engine->config.draft_tokens;
	uint32_t left = seq->open.max_tokens - seq->open.generated;

	/* A prompt has no drafts until its first token was generated. */
	if (count == 0 || seq->open.generated == 0 || seq->known - seq->computed != 1)
		return 0;
	if (count > left - 1)
		count = left - 1;
	/* The token itself takes one position of the budget. */
	return count < budget ? count : budget - 1;
}

static uint32_t schedule_running(struct sim_engine *engine, uint32_t budget)
{
	for (size_t i = 0; i < engine->running_count && budget > 0; i++) {
		struct sim_sequence_priv *seq = engine->running[i];
		uint32_t tokens = seq->known - seq->computed;
		uint32_t drafts = draft(engine, seq, budget);

		if (tokens > budget)
			tokens = budget;
		if (!make_room(engine, seq, tokens + drafts))
			break;
		compute(engine, seq, tokens, drafts);
		budget -= tokens + drafts;
	}
	return budget;
}

/* Returns the number of full blocks at the sequence's start that are cached, excluding the last token. */
static uint32_t find_prefix(const struct sim_engine *engine, const struct sim_sequence_priv *seq,
			    uint32_t *ret_free)
{
	/*
	 * The last token is always computed, even if its block is known, because the first token is sampled from its
	 * logits.
	 */
	uint32_t most = (seq->known - 1) / engine->config.block_size;
	uint32_t found = 0;

	*ret_free = 0;
	while (engine->config.prefix_caching && found < most) {
		uint32_t block = sim_blocks_find(&engine->blocks, seq->names[found]);

		if (block == SIM_NO_BLOCK)
			break;
		*ret_free += engine->blocks.items[block].holders == 0;
		found++;
	}
	return found;
}

static void count_admission(struct sim_engine *engine, struct sim_sequence_priv *seq,
			    int64_t now_ns)
{
	engine->step.admitted++;
	/* Readmitted after a preemption: it finds its own blocks, which do not count as hits. */
	if (seq->open.admitted_ns >= 0)
		return;
	/* a step that began late counts from when it was due, which is before some arrivals */
	seq->open.admitted_ns = now_ns > seq->open.added_ns ? now_ns : seq->open.added_ns;
	seq->open.cached_tokens = seq->computed;
	if (seq->computed < seq->open.media_end)
		engine->step.encoder_ns += seq->open.encoder_ns;
	if (!engine->config.prefix_caching)
		return;
	engine->stats.prefix_queries += seq->known;
	engine->stats.prefix_hits += seq->computed;
}

/* Admits the head of the queue if it may; returns the tokens it takes of the budget, 0 when not. */
static uint32_t admit(struct sim_engine *engine, uint32_t budget, int64_t now_ns)
{
	struct sim_sequence_priv *seq = TAILQ_FIRST(&engine->waiting);
	uint32_t revived;
	uint32_t found = find_prefix(engine, seq, &revived);
	uint32_t have = found * engine->config.block_size;
	uint32_t tokens = seq->known - have;

	/* Later ones are not tried: vLLM keeps the order of the queue. */
	if (tokens > budget && !engine->config.chunked_prefill)
		return 0;
	if (tokens > budget)
		tokens = budget;
	/*
	 * `revived`: hits without a holder. Taking them makes them unavailable, so they count against the free blocks.
	 */
	uint32_t need = blocks_for(engine,
				   engine->config.reserve_full ? seq->known : have + tokens) -
			found;
	if (need + revived > engine->blocks.free_count)
		return 0;
	stop_waiting(engine, seq);
	pl_grow((void **)&seq->blocks, &seq->block_room, found, sizeof(*seq->blocks));
	for (uint32_t i = 0; i < found; i++) {
		uint32_t block = sim_blocks_find(&engine->blocks, seq->names[i]);
		sim_blocks_hold(&engine->blocks, block);
		seq->blocks[i] = block;
	}
	seq->block_count = found;
	seq->computed = found * engine->config.block_size;
	count_admission(engine, seq, now_ns);
	seq->queue = RUNNING;
	*PL_PUSH(engine->running, engine->running_count, engine->running_room) = seq;
	compute(engine, seq, tokens, 0);
	return tokens;
}

int64_t sim_engine_begin(struct sim_engine *engine, int64_t now_ns)
{
	const struct sim_engine_config *config = &engine->config;
	uint32_t budget = config->max_num_batched_tokens;

	assert(!engine->in_step);
	free_all(&engine->gone);
	engine->step = (struct sim_step){ .begin_ns = now_ns };
	budget = schedule_running(engine, budget);
	/* No sequence is admitted after a preemption: it would take the block that was missing a moment ago. */
	while (engine->step.preempted == 0 && !TAILQ_EMPTY(&engine->waiting) && budget > 0 &&
	       engine->running_count < config->max_num_seqs) {
		uint32_t tokens = admit(engine, budget, now_ns);

		if (tokens == 0)
			break;
		budget -= tokens;
	}
	if (engine->step.tokens == 0)
		return -1;
	engine->step.duration_ns = config->fixed_step_ns;
	if (config->fixed_step_ns <= 0)
		engine->step.duration_ns = sim_profile_step_ns(
			config->profile, config->tensor_parallel, config->pipeline_parallel,
			&engine->step.work);
	engine->step.duration_ns += engine->step.encoder_ns;
	engine->in_step = true;
	engine->stats.steps++;
	return engine->step.duration_ns;
}

/* Returns whether the last generated token ends the sequence. */
static enum sim_finish judge(const struct sim_engine *engine, const struct sim_sequence *open)
{
	if (open->pooled)
		return SIM_FINISH_STOP;
	if (open->generated >= open->max_tokens)
		return SIM_FINISH_LENGTH;
	if (open->ignore_eos || engine->config.eos_rate <= 0 || open->generated < open->min_tokens)
		return SIM_FINISH_NONE;
	/*
	 * 53 bits make a double in [0, 1). The seed is inverted so that ends and tokens are drawn
	 * independently.
	 */
	double draw = (double)(sim_token_mix(~open->seed, open->generated) >> 11) * 0x1p-53;
	return draw < engine->config.eos_rate ? SIM_FINISH_STOP : SIM_FINISH_NONE;
}

static void report(struct sim_engine *engine, struct sim_sequence_priv *seq, int64_t now_ns,
		   struct sim_output *output)
{
	struct sim_sequence *open = &seq->open;
	int64_t before_ns = open->generated > 0 ? open->last_token_ns : open->added_ns;

	*output = (struct sim_output){
		.sequence = open,
		.token = open->pooled ? 0 : sim_token_draw(open->seed, open->generated),
		.index = open->generated,
		.gap_ns = now_ns - before_ns,
	};
	if (open->generated == 0) {
		open->first_token_ns = now_ns;
		engine->stats.prompt_tokens += open->prompt_tokens;
		engine->stats.cached_tokens += open->cached_tokens;
	}
	open->last_token_ns = now_ns;
	if (open->pooled)
		return;
	open->generated++;
	engine->stats.generated_tokens++;
	learn(engine, seq, output->token);
}

/* Returns the number of accepted drafts: those before the first rejected one. */
static uint32_t accept_drafts(struct sim_engine *engine, const struct sim_sequence_priv *seq)
{
	static const uint64_t salt = 0xd1a7f7;
	uint32_t good = 0;

	if (seq->drafts == 0)
		return 0;
	engine->stats.drafts++;
	engine->stats.draft_tokens += seq->drafts;
	/* At least k drafts are accepted with probability 0.7^k, as with independent guesses. */
	while (good < seq->drafts) {
		uint64_t draw = sim_token_mix(seq->open.seed ^ salt, seq->open.generated + good);

		if ((double)(draw >> 11) * 0x1p-53 >= SIM_DRAFT_ACCEPTANCE)
			break;
		engine->stats.accepted_at[good++]++;
	}
	engine->stats.accepted_tokens += good;
	return good;
}

/*
 * Outputs the tokens of a sequence in this step and adds their number to `count`; false: it has finished and is gone.
 */
static bool speak(struct sim_engine *engine, struct sim_sequence_priv *seq, int64_t now_ns,
		  size_t *count)
{
	uint32_t good = accept_drafts(engine, seq);
	uint32_t computed = seq->computed;
	enum sim_finish finish = SIM_FINISH_NONE;
	uint32_t part;

	for (part = 0; part <= good && finish == SIM_FINISH_NONE; part++) {
		struct sim_output *output = &engine->outputs[(*count)++];

		report(engine, seq, now_ns, output);
		finish = judge(engine, &seq->open);
		output->part = part;
		output->more = part < good && finish == SIM_FINISH_NONE;
	}
	/* The accepted drafts are already in the cache; those after an end are discarded. */
	seq->computed += part < good ? part : good;
	seq->drafts = 0;
	name_blocks(engine, seq, computed, seq->computed);
	if (finish != SIM_FINISH_NONE)
		go(engine, seq, finish);
	return finish == SIM_FINISH_NONE;
}

size_t sim_engine_end(struct sim_engine *engine, int64_t now_ns, const struct sim_output **ret)
{
	size_t retained = 0;
	size_t count = 0;

	assert(engine->in_step);
	engine->in_step = false;
	/* Make room for all before the first output, so that pointers into it stay valid during the loop. */
	pl_grow((void **)&engine->outputs, &engine->output_room,
		engine->running_count * (1 + engine->config.draft_tokens) + 1,
		sizeof(*engine->outputs));
	for (size_t i = 0; i < engine->running_count; i++) {
		struct sim_sequence_priv *seq = engine->running[i];

		seq->computed += seq->scheduled;
		bool speaks = seq->scheduled > 0 && seq->computed == seq->known;
		seq->scheduled = 0;
		/* Kept in place and in order: the last admitted one must stay last. */
		if (!speaks || speak(engine, seq, now_ns, &count))
			engine->running[retained++] = seq;
	}
	engine->running_count = retained;
	*ret = engine->outputs;
	return count;
}

void sim_engine_abort(struct sim_engine *engine, struct sim_sequence *sequence)
{
	struct sim_sequence_priv *seq = sequence->priv;
	size_t i = 0;

	if (seq->queue == GONE)
		return;
	if (seq->queue == WAITING) {
		stop_waiting(engine, seq);
		go(engine, seq, SIM_FINISH_ABORT);
		return;
	}
	/* Also during a step: end() then has one sequence less, without its token. */
	while (engine->running[i] != seq)
		i++;
	engine->running_count--;
	memmove(&engine->running[i], &engine->running[i + 1],
		(engine->running_count - i) * sizeof(struct sim_sequence_priv *));
	go(engine, seq, SIM_FINISH_ABORT);
}

bool sim_engine_in_step(const struct sim_engine *engine)
{
	return engine->in_step;
}

const struct sim_step *sim_engine_step(const struct sim_engine *engine)
{
	return &engine->step;
}

void sim_engine_stats(const struct sim_engine *engine, struct sim_engine_stats *ret)
{
	*ret = engine->stats;
	ret->running = (uint32_t)engine->running_count;
	ret->blocks = engine->blocks.count;
	ret->blocks_held = engine->blocks.count - engine->blocks.free_count;
}

bool sim_engine_reset_prefix_cache(struct sim_engine *engine)
{
	return sim_blocks_forget(&engine->blocks);
}

uint32_t sim_sequence_scheduled(const struct sim_sequence *sequence)
{
	return sequence->priv->scheduled;
}
