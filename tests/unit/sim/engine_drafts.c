/* Speculative decoding in the engine: the number of drafts per step, and their acceptance. */
#include "sim/engine.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "sim/tokenizer.h"

static struct sim_engine_config config_of(uint32_t drafts)
{
	return (struct sim_engine_config){
		.max_num_batched_tokens = 1000,
		.max_num_seqs = 16,
		.block_size = 4,
		.block_count = 1000,
		.draft_tokens = drafts,
		.prefix_caching = true,
		.chunked_prefill = true,
		.reserve_full = true,
		.fixed_step_ns = 10,
	};
}

static struct sim_sequence *add(struct sim_engine *engine, uint32_t max_tokens, uint64_t seed)
{
	static const uint32_t prompt[] = { 1, 2, 3, 4, 5 };
	struct sim_sequence_spec spec = {
		.prompt = prompt,
		.prompt_tokens = 5,
		.max_tokens = max_tokens,
		.seed = seed,
	};

	return sim_engine_add(engine, &spec, 0);
}

/* A lone sequence, step by step: the numbers of tokens agree with the counters and the plan. */
static void test_sim_engine_drafts__a_sequence(void **state)
{
	struct sim_engine_config config = config_of(3);
	struct sim_engine *engine = sim_engine_new(&config);
	struct sim_engine_stats stats;
	const struct sim_output *outputs;
	uint32_t heard = 0;
	uint64_t at = 0;

	(void)state;
	add(engine, 50, 9);
	for (int64_t now_ns = 0; sim_engine_begin(engine, now_ns) > 0; now_ns += 10) {
		const struct sim_step *step = sim_engine_step(engine);
		uint32_t left = 50 - heard;
		size_t count;

		if (heard == 0)
			assert_int_equal(step->tokens, 5);
		else
			assert_int_equal(step->tokens, 1 + (left - 1 < 3 ? left - 1 : 3));
		count = sim_engine_end(engine, now_ns + 10, &outputs);
		assert_in_range(count, 1, heard == 0 ? 1 : 4);
		for (size_t i = 0; i < count; i++) {
			assert_int_equal(outputs[i].index, heard);
			assert_int_equal(outputs[i].token, sim_token_draw(9, heard++));
			assert_int_equal(outputs[i].part, i);
			assert_int_equal(outputs[i].more, i + 1 < count);
			assert_int_equal(outputs[i].gap_ns, i == 0 ? 10 : 0);
		}
	}
	assert_int_equal(heard, 50);
	sim_engine_stats(engine, &stats);
	assert_int_equal(stats.generated_tokens, 50);
	assert_int_equal(stats.accepted_tokens + stats.steps, 50);
	assert_int_equal(stats.blocks_held, 0);
	for (size_t i = 0; i < SIM_DRAFTS_MAX; i++)
		at += stats.accepted_at[i];
	assert_int_equal(at, stats.accepted_tokens);
	assert_int_equal(stats.accepted_at[3], 0);
	sim_engine_free(engine);
}

static void test_sim_engine_drafts__the_chance_is_as_documented(void **state)
{
	struct sim_engine_config config = config_of(4);
	struct sim_engine *engine = sim_engine_new(&config);
	struct sim_engine_stats stats;
	const struct sim_output *outputs;

	(void)state;
	for (uint64_t i = 0; i < 200; i++)
		add(engine, 200, i * 31 + 7);
	while (sim_engine_begin(engine, 0) > 0)
		sim_engine_end(engine, 0, &outputs);
	sim_engine_stats(engine, &stats);
	assert_true(stats.drafts > 10000);
	for (int i = 0; i < 4; i++) {
		double share = (double)stats.accepted_at[i] / (double)stats.drafts;

		/* the last draft of a text is shorter: one step in sixty */
		assert_true(fabs(share - pow(SIM_DRAFT_ACCEPTANCE, i + 1)) < 0.03);
	}
	sim_engine_free(engine);
}

/* Drafts take what the token budget leaves, and none where it leaves nothing. */
static void test_sim_engine_drafts__within_the_budget(void **state)
{
	struct sim_engine_config config = config_of(8);
	struct sim_engine *engine;
	const struct sim_output *outputs;

	(void)state;
	config.max_num_batched_tokens = 10;
	engine = sim_engine_new(&config);
	for (uint64_t i = 0; i < 4; i++)
		add(engine, 30, i);
	while (sim_engine_begin(engine, 0) > 0) {
		assert_in_range(sim_engine_step(engine)->tokens, 1, 10);
		sim_engine_end(engine, 0, &outputs);
	}
	sim_engine_free(engine);
}

/* Blocks filled by drafts are known to the prefix cache as any others. */
static void test_sim_engine_drafts__fill_the_prefix_cache(void **state)
{
	struct sim_engine_config config = config_of(5);
	struct sim_engine *engine = sim_engine_new(&config);
	const struct sim_output *outputs;
	uint32_t prompt[5 + 40] = { 1, 2, 3, 4, 5 };
	struct sim_sequence_spec spec = { .prompt = prompt, .prompt_tokens = 45, .max_tokens = 1 };
	struct sim_sequence *retry;

	(void)state;
	add(engine, 40, 77);
	while (sim_engine_begin(engine, 0) > 0)
		sim_engine_end(engine, 0, &outputs);
	for (uint32_t i = 0; i < 40; i++)
		prompt[5 + i] = sim_token_draw(77, i);
	retry = sim_engine_add(engine, &spec, 0);
	assert_true(sim_engine_begin(engine, 0) > 0);
	/* 44 of its 45 tokens were computed: eleven whole blocks of four */
	assert_int_equal(retry->cached_tokens, 44);
	sim_engine_end(engine, 0, &outputs);
	sim_engine_free(engine);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sim_engine_drafts__a_sequence),
		cmocka_unit_test(test_sim_engine_drafts__the_chance_is_as_documented),
		cmocka_unit_test(test_sim_engine_drafts__within_the_budget),
		cmocka_unit_test(test_sim_engine_drafts__fill_the_prefix_cache),
	};

	return cmocka_run_group_tests_name("test_sim_engine_drafts", tests, NULL, NULL);
}
