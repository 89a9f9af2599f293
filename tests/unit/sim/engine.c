/*
 * Steps of the engine against tables worked out by hand. A row is one step: what each sequence
 * computes in it (in the order of adding: A, B, C, D), and which of them say a token at its end.
 */
#include "sim/engine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"

#define MS         1000000LL
#define TABLE_WIDE 4

struct row {
	uint32_t computes[TABLE_WIDE];
	const char *says;
};

struct play {
	struct sim_engine *engine;
	struct sim_sequence *sequences[TABLE_WIDE]; /* NULL: finished or not added */
	uint32_t heard[TABLE_WIDE];
	size_t count;
	int64_t now_ns;
};

static const struct sim_engine_config roomy = {
	.max_num_batched_tokens = 1000,
	.max_num_seqs = 16,
	.block_size = 4,
	.block_count = 1000,
	.chunked_prefill = true,
	.reserve_full = true,
	.fixed_step_ns = 10 * MS,
};

static void play_begin(struct play *play, const struct sim_engine_config *config)
{
	*play = (struct play){ .engine = sim_engine_new(config) };
}

static void play_end(struct play *play)
{
	sim_engine_free(play->engine);
}

static void add_prompt(struct play *play, const uint32_t *prompt, size_t len, uint32_t max_tokens)
{
	struct sim_sequence_spec spec = {
		.prompt = prompt,
		.prompt_tokens = len,
		.max_tokens = max_tokens,
		.seed = play->count + 1,
		.user = &play->heard[play->count],
	};

	play->sequences[play->count++] = sim_engine_add(play->engine, &spec, play->now_ns);
}

/* Prompts that have nothing in common. */
static void add(struct play *play, size_t len, uint32_t max_tokens)
{
	uint32_t *prompt = pl_alloc_array(len, sizeof(*prompt));

	for (size_t i = 0; i < len; i++)
		prompt[i] = (uint32_t)(play->count * 5000 + i);
	add_prompt(play, prompt, len, max_tokens);
	free(prompt);
}

static size_t position_of(const struct play *play, const struct sim_output *output)
{
	return (size_t)((const uint32_t *)output->sequence->user - play->heard);
}

static void check_outputs(struct play *play, const struct sim_output *outputs, size_t count,
			  const char *says)
{
	assert_int_equal(count, strlen(says));
	for (size_t i = 0; i < count; i++) {
		size_t at = position_of(play, &outputs[i]);

		assert_int_equal('A' + (int)at, says[i]);
		assert_int_equal(outputs[i].index, play->heard[at]);
		play->heard[at]++;
		if (outputs[i].sequence->finish != SIM_FINISH_NONE)
			play->sequences[at] = NULL;
	}
}

static void check_row(struct play *play, const struct row *row)
{
	const struct sim_output *outputs;
	int64_t duration_ns = sim_engine_begin(play->engine, play->now_ns);
	uint32_t tokens = 0;
	size_t count;

	assert_int_equal(duration_ns, 10 * MS);
	for (size_t i = 0; i < play->count; i++) {
		uint32_t computes = play->sequences[i] != NULL
					    ? sim_sequence_scheduled(play->sequences[i])
					    : 0;

		assert_int_equal(computes, row->computes[i]);
		tokens += computes;
	}
	assert_int_equal(sim_engine_step(play->engine)->tokens, tokens);
	play->now_ns += duration_ns;
	count = sim_engine_end(play->engine, play->now_ns, &outputs);
	check_outputs(play, outputs, count, row->says);
}

static void check_rows(struct play *play, const struct row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++)
		check_row(play, &rows[i]);
}
#define CHECK(play, rows) check_rows(play, rows, PL_ARRAY_SIZE(rows))

static void check_idle(struct play *play)
{
	struct sim_engine_stats stats;

	assert_int_equal(sim_engine_begin(play->engine, play->now_ns), -1);
	sim_engine_stats(play->engine, &stats);
	assert_int_equal(stats.running, 0);
	assert_int_equal(stats.waiting, 0);
	assert_int_equal(stats.blocks_held, 0);
}

/* Budget 10; prompts 4, 8, 3; two tokens each. */
static void test_sim_engine__token_budget(void **state)
{
	static const struct row rows[] = {
		{ { 4, 6, 0 }, "A" },   /* 4 + 6 = 10: B has 2 left, C waits */
		{ { 1, 2, 3 }, "ABC" }, /* A's second token is its last */
		{ { 0, 1, 1 }, "BC" },
	};
	struct sim_engine_config config = roomy;
	struct play play;

	(void)state;
	config.max_num_batched_tokens = 10;
	play_begin(&play, &config);
	add(&play, 4, 2);
	add(&play, 8, 2);
	add(&play, 3, 2);
	CHECK(&play, rows);
	check_idle(&play);
	play_end(&play);
}

/* Two at a time; B stays, A and C take turns. */
static void test_sim_engine__max_num_seqs(void **state)
{
	static const struct row rows[] = {
		{ { 2, 2, 0 }, "AB" },
		{ { 0, 1, 2 }, "BC" },
		{ { 0, 1, 0 }, "B" },
	};
	struct sim_engine_config config = roomy;
	struct sim_engine_stats stats;
	struct play play;

	(void)state;
	config.max_num_seqs = 2;
	play_begin(&play, &config);
	add(&play, 2, 1);
	add(&play, 2, 3);
	add(&play, 2, 1);
	sim_engine_stats(play.engine, &stats);
	assert_int_equal(stats.waiting, 3);
	check_row(&play, &rows[0]);
	sim_engine_stats(play.engine, &stats);
	assert_int_equal(stats.running, 1);
	assert_int_equal(stats.waiting, 1);
	check_rows(&play, rows + 1, 2);
	check_idle(&play);
	play_end(&play);
}

/* 2,048 = 4 x 512: the first token at the end of the fourth step, 40 ms. */
static void test_sim_engine__chunked_prefill(void **state)
{
	static const struct row rows[] = {
		{ { 512 }, "" }, { { 512 }, "" }, { { 512 }, "" }, { { 512 }, "A" }, { { 1 }, "A" },
	};
	struct sim_engine_config config = roomy;
	struct sim_sequence *sequence;
	struct play play;

	(void)state;
	config.max_num_batched_tokens = 512;
	play_begin(&play, &config);
	add(&play, 2048, 2);
	sequence = play.sequences[0];
	check_rows(&play, rows, 4);
	assert_int_equal(sequence->first_token_ns, 40 * MS);
	assert_int_equal(sequence->admitted_ns, 0);
	check_row(&play, &rows[4]);
	check_idle(&play);
	play_end(&play);
}

/* A decodes all along and takes one token of each step: 4 x 511 + 4 = 2,048. */
static void test_sim_engine__chunked_prefill_with_decode(void **state)
{
	static const struct row rows[] = {
		{ { 1, 511 }, "A" }, { { 1, 511 }, "A" }, { { 1, 511 }, "A" },
		{ { 1, 511 }, "A" }, { { 1, 4 }, "AB" },
	};
	struct sim_engine_config config = roomy;
	struct play play;

	(void)state;
	config.max_num_batched_tokens = 512;
	play_begin(&play, &config);
	add(&play, 1, 5);
	add(&play, 2048, 1);
	CHECK(&play, rows);
	check_idle(&play);
	play_end(&play);
}

/* Budget 8: B's 5 do not fit in addition to A's 6 and must not be cut. */
static void test_sim_engine__whole_prefill(void **state)
{
	static const struct row rows[] = {
		{ { 6, 0 }, "A" },
		{ { 1, 5 }, "AB" },
	};
	struct sim_engine_config config = roomy;
	struct play play;

	(void)state;
	config.max_num_batched_tokens = 8;
	config.chunked_prefill = false;
	play_begin(&play, &config);
	add(&play, 6, 2);
	add(&play, 5, 1);
	CHECK(&play, rows);
	check_idle(&play);
	play_end(&play);
}

/* Five blocks of 4. A holds 2 (8 tokens), then 3 (9); B needs 4 (13); C, after B, waits too. */
static void test_sim_engine__kv_admission(void **state)
{
	static const struct row rows[] = {
		{ { 8, 0, 0 }, "A" },
		{ { 1, 0, 0 }, "A" }, /* A's last: 5 blocks are free */
		{ { 0, 13, 1 }, "BC" },
	};
	struct sim_engine_config config = roomy;
	struct play play;

	(void)state;
	config.block_count = 5;
	play_begin(&play, &config);
	add(&play, 8, 2);
	add(&play, 13, 1);
	add(&play, 1, 1);
	CHECK(&play, rows);
	check_idle(&play);
	play_end(&play);
}

/* Only this step's part must fit: 16 - 8 = 8 tokens of B take 2 of the 3 free blocks. */
static void test_sim_engine__kv_admission_by_part(void **state)
{
	static const struct row rows[] = {
		{ { 8, 8 }, "A" }, /* 2 + 2 blocks held, 1 free */
		{ { 1, 0 }, "A" }, /* A takes the last; B's 5 tokens need 2 more: B goes */
		{ { 0, 13 }, "B" },
	};
	struct sim_engine_config config = roomy;
	struct sim_engine_stats stats;
	struct play play;

	(void)state;
	config.block_count = 5;
	config.max_num_batched_tokens = 16;
	config.reserve_full = false;
	play_begin(&play, &config);
	add(&play, 8, 2);
	add(&play, 13, 1);
	CHECK(&play, rows);
	sim_engine_stats(play.engine, &stats);
	assert_int_equal(stats.preemptions, 1);
	check_idle(&play);
	play_end(&play);
}

/*
 * Four blocks of 2; A and B bring 3 tokens each and say 4.
 * Step 3: A's fifth token needs a third block. B, admitted last, loses its two; A takes one, 1 is
 * free. Step 4: B knows 3 + 2 = 5 tokens and needs 3 blocks: it waits. A finishes and frees 3.
 * Step 5: B computes all 5 again and says its third token.
 */
static void test_sim_engine__preemption_and_resumption(void **state)
{
	static const struct row rows[] = {
		{ { 3, 3 }, "AB" }, { { 1, 1 }, "AB" }, { { 1, 0 }, "A" },
		{ { 1, 0 }, "A" },  { { 0, 5 }, "B" },  { { 0, 1 }, "B" },
	};
	struct sim_engine_config config = roomy;
	struct sim_engine_stats stats;
	struct sim_sequence *b;
	struct play play;

	(void)state;
	config.block_size = 2;
	config.block_count = 4;
	play_begin(&play, &config);
	add(&play, 3, 4);
	add(&play, 3, 4);
	b = play.sequences[1];
	check_rows(&play, rows, 3);
	sim_engine_stats(play.engine, &stats);
	assert_int_equal(stats.preemptions, 1);
	assert_int_equal(stats.running, 1);
	assert_int_equal(stats.waiting, 1);
	assert_int_equal(stats.blocks_held, 3);
	assert_int_equal(b->preemptions, 1);
	check_rows(&play, rows + 3, 3);
	check_idle(&play);
	play_end(&play);
}

/* A holds 2 blocks for 3 and 4 tokens; B's fifth token needs a third block, and B itself is
 * last. */
static void test_sim_engine__preempts_itself(void **state)
{
	static const struct row rows[] = {
		{ { 3, 4 }, "AB" },
		{ { 1, 0 }, "A" },
		{ { 1, 0 }, "A" }, /* A takes its third; B's 5 tokens need 3 of 1 */
		{ { 0, 5 }, "B" },
	};
	struct sim_engine_config config = roomy;
	struct play play;

	(void)state;
	config.block_size = 2;
	config.block_count = 4;
	play_begin(&play, &config);
	add(&play, 3, 3);
	add(&play, 4, 2);
	CHECK(&play, rows);
	check_idle(&play);
	play_end(&play);
}

/* The preempted one comes before those that have waited longer. */
static void test_sim_engine__preempted_waits_first(void **state)
{
	static const struct row rows[] = {
		{ { 3, 3, 0 }, "AB" }, { { 1, 1, 0 }, "AB" }, { { 1, 0, 0 }, "A" },
		{ { 1, 0, 0 }, "A" }, /* 1 block is free, C would need 1: B comes first */
		{ { 0, 5, 1 }, "BC" },
	};
	struct sim_engine_config config = roomy;
	struct play play;

	(void)state;
	config.block_size = 2;
	config.block_count = 4;
	play_begin(&play, &config);
	add(&play, 3, 4);
	add(&play, 3, 4);
	add(&play, 1, 1);
	CHECK(&play, rows);
	play_end(&play);
}

/* Blocks of 4. A's ten tokens leave two whole blocks: 1-4 and 5-8. */
static void test_sim_engine__prefix_hits(void **state)
{
	static const uint32_t prompt[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 };
	static const uint32_t branch[] = { 1, 2, 3, 4, 90, 91, 92, 93, 94 };
	static const uint32_t shifted[] = { 2, 3, 4, 5, 6, 7, 8, 9, 10 };
	static const struct row first[] = { { { 10 }, "A" } };
	static const struct row second[] = {
		{ { 0, 2, 4, 5 }, "BCD" }, /* 10-8; 8-4: not the last token; 9-4 */
	};
	struct sim_engine_config config = roomy;
	struct sim_engine_stats stats;
	struct play play;

	(void)state;
	config.prefix_caching = true;
	play_begin(&play, &config);
	add_prompt(&play, prompt, 10, 1);
	CHECK(&play, first);
	add_prompt(&play, prompt, 10, 1);
	add_prompt(&play, prompt, 8, 1);
	add_prompt(&play, branch, 9, 1);
	CHECK(&play, second);
	sim_engine_stats(play.engine, &stats);
	assert_int_equal(stats.prefix_queries, 10 + 10 + 8 + 9);
	assert_int_equal(stats.prefix_hits, 8 + 4 + 4);
	assert_int_equal(stats.prompt_tokens, 37);
	assert_int_equal(stats.cached_tokens, 16);
	check_idle(&play);

	assert_true(sim_engine_reset_prefix_cache(play.engine));
	play.count = 0;
	play.heard[0] = 0;
	play.heard[1] = 0;
	add_prompt(&play, prompt, 10, 1);
	add_prompt(&play, shifted, 9, 1);
	check_row(&play, &(struct row){ { 10, 9 }, "AB" });
	play_end(&play);
}

/*
 * Three blocks of 4. A (1-8) takes blocks 0 and 1; they are freed in reverse order and follow block
 * 2: 2, 1, 0. B takes 2, C takes 1, which evicts the end of A's prefix, but not its beginning.
 */
static void test_sim_engine__prefix_eviction(void **state)
{
	static const uint32_t prompt[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9 };
	static const struct row rows[] = {
		{ { 8 }, "A" },
		{ { 0, 4 }, "B" },
		{ { 0, 0, 4 }, "C" },
		{ { 0, 0, 0, 5 }, "D" },
	};
	struct sim_engine_config config = roomy;
	struct play play;

	(void)state;
	config.prefix_caching = true;
	config.block_count = 3;
	play_begin(&play, &config);
	add_prompt(&play, prompt, 8, 1);
	check_row(&play, &rows[0]);
	add(&play, 4, 1);
	check_row(&play, &rows[1]);
	add(&play, 4, 1);
	check_row(&play, &rows[2]);
	add_prompt(&play, prompt, 9, 1);
	check_row(&play, &rows[3]);
	check_idle(&play);
	play_end(&play);
}

/* With the cache on, a preempted sequence finds the whole blocks that no one took meanwhile. */
static void test_sim_engine__prefix_after_preemption(void **state)
{
	static const struct row rows[] = {
		{ { 3, 3 }, "AB" }, { { 1, 1 }, "AB" },
		{ { 1, 0 }, "A" }, /* B's blocks: end freed first, so A takes it; the first stays */
		{ { 1, 0 }, "A" },  { { 0, 3 }, "B" }, /* 5 known - 2 in the first block */
		{ { 0, 1 }, "B" },
	};
	struct sim_engine_config config = roomy;
	struct play play;

	(void)state;
	config.prefix_caching = true;
	config.block_size = 2;
	config.block_count = 4;
	play_begin(&play, &config);
	add(&play, 3, 4);
	add(&play, 3, 4);
	CHECK(&play, rows);
	check_idle(&play);
	play_end(&play);
}

static void test_sim_engine__reset_is_refused_while_held(void **state)
{
	struct play play;

	(void)state;
	play_begin(&play, &roomy);
	add(&play, 4, 2);
	check_row(&play, &(struct row){ { 4 }, "A" });
	assert_false(sim_engine_reset_prefix_cache(play.engine));
	check_row(&play, &(struct row){ { 1 }, "A" });
	assert_true(sim_engine_reset_prefix_cache(play.engine));
	play_end(&play);
}

/* One aborted while it waits, one while its step runs. */
static void test_sim_engine__abort_frees(void **state)
{
	const struct sim_output *outputs;
	struct sim_engine_config config = roomy;
	struct sim_engine_stats stats;
	struct play play;

	(void)state;
	config.max_num_seqs = 2;
	play_begin(&play, &config);
	add(&play, 4, 9);
	add(&play, 4, 9);
	add(&play, 4, 9);
	sim_engine_begin(play.engine, 0);
	assert_true(sim_engine_in_step(play.engine));
	sim_engine_abort(play.engine, play.sequences[2]);
	sim_engine_abort(play.engine, play.sequences[0]);
	assert_int_equal(sim_engine_end(play.engine, 10 * MS, &outputs), 1);
	assert_ptr_equal(outputs[0].sequence, play.sequences[1]);
	sim_engine_stats(play.engine, &stats);
	assert_int_equal(stats.finished[SIM_FINISH_ABORT], 2);
	assert_int_equal(stats.running, 1);
	assert_int_equal(stats.waiting, 0);
	assert_int_equal(stats.blocks_held, 1);
	sim_engine_abort(play.engine, play.sequences[1]);
	check_idle(&play);
	play_end(&play);
}

/* A pooled prompt finishes with its last part, and its blocks are free for the next one. */
static void test_sim_engine__pooled(void **state)
{
	static const struct row rows[] = { { { 6, 2 }, "A" },
					   { { 0, 7, 1 }, "B" },
					   { { 0, 0, 1 }, "C" } };
	struct sim_engine_config config = roomy;
	struct sim_engine_stats stats;
	uint32_t prompt[9] = { 0 };
	struct play play;

	(void)state;
	config.max_num_batched_tokens = 8;
	play_begin(&play, &config);
	for (uint32_t i = 0; i < 2; i++) {
		struct sim_sequence_spec spec = { .prompt = prompt,
						  .prompt_tokens = i == 0 ? 6 : 9,
						  .max_tokens = 1,
						  .pooled = true,
						  .user = &play.heard[i] };
		play.sequences[play.count++] = sim_engine_add(play.engine, &spec, 0);
	}
	add(&play, 2, 1);
	CHECK(&play, rows);
	sim_engine_stats(play.engine, &stats);
	assert_int_equal(stats.finished[SIM_FINISH_STOP], 2);
	assert_int_equal(stats.finished[SIM_FINISH_LENGTH], 1);
	assert_int_equal(stats.prompt_tokens, 6 + 9 + 2);
	assert_int_equal(stats.generated_tokens, 1);
	assert_int_equal(stats.blocks_held, 0);
	check_idle(&play);
	play_end(&play);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sim_engine__token_budget),
		cmocka_unit_test(test_sim_engine__max_num_seqs),
		cmocka_unit_test(test_sim_engine__chunked_prefill),
		cmocka_unit_test(test_sim_engine__chunked_prefill_with_decode),
		cmocka_unit_test(test_sim_engine__whole_prefill),
		cmocka_unit_test(test_sim_engine__kv_admission),
		cmocka_unit_test(test_sim_engine__kv_admission_by_part),
		cmocka_unit_test(test_sim_engine__preemption_and_resumption),
		cmocka_unit_test(test_sim_engine__preempts_itself),
		cmocka_unit_test(test_sim_engine__preempted_waits_first),
		cmocka_unit_test(test_sim_engine__prefix_hits),
		cmocka_unit_test(test_sim_engine__prefix_eviction),
		cmocka_unit_test(test_sim_engine__prefix_after_preemption),
		cmocka_unit_test(test_sim_engine__reset_is_refused_while_held),
		cmocka_unit_test(test_sim_engine__abort_frees),
		cmocka_unit_test(test_sim_engine__pooled),
	};

	return cmocka_run_group_tests_name("test_sim_engine", tests, NULL, NULL);
}
