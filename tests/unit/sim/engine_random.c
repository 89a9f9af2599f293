/* The engine under random loads: its rules and sums hold for each of them. */
#include "sim/engine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static void test_sim_engine_random__stops_early_by_chance(void **state)
{
	struct sim_engine_config config = {
		.max_num_batched_tokens = 1000,
		.block_size = 4,
		.block_count = 3000,
		.chunked_prefill = true,
		.fixed_step_ns = 1,
	};
	struct sim_engine_stats stats;
	const struct sim_output *outputs;
	struct sim_engine *engine;
	uint32_t prompt[] = { 7 };

	(void)state;
	config.eos_rate = 0.1;
	config.max_num_seqs = 500;
	engine = sim_engine_new(&config);
	for (uint64_t i = 0; i < 500; i++) {
		struct sim_sequence_spec spec = {
			.prompt = prompt,
			.prompt_tokens = 1,
			.max_tokens = 20,
			.min_tokens = 3,
			.ignore_eos = i % 2 == 0,
			.seed = i * 977,
		};

		sim_engine_add(engine, &spec, 0);
	}
	for (uint32_t step = 1; sim_engine_begin(engine, 0) > 0; step++) {
		size_t count = sim_engine_end(engine, 0, &outputs);

		for (size_t i = 0; i < count; i++) {
			const struct sim_sequence *seq = outputs[i].sequence;

			if (seq->finish == SIM_FINISH_STOP)
				assert_true(!seq->ignore_eos && seq->generated >= 3);
		}
	}
	sim_engine_stats(engine, &stats);
	/* of 250, 0.9^17 = 17 % come to their limit: 42, give or take 4 x 6 */
	assert_in_range(stats.finished[SIM_FINISH_LENGTH], 250 + 18, 250 + 66);
	assert_int_equal(stats.finished[SIM_FINISH_STOP] + stats.finished[SIM_FINISH_LENGTH], 500);
	sim_engine_free(engine);
}

/* Any load: the limits hold in every step, the sums are right, and all come to their end. */
static void test_sim_engine_random__random_loads_keep_the_rules(void **state)
{
	(void)state;
	srand(20);
	for (int round = 0; round < 60; round++) {
		struct sim_engine_config config = {
			.max_num_batched_tokens = 8 + (uint32_t)rand() % 60,
			.max_num_seqs = 1 + (uint32_t)rand() % 12,
			.block_size = 1 + (uint32_t)rand() % 6,
			.prefix_caching = rand() % 2,
			.chunked_prefill = true,
			.reserve_full = rand() % 2,
			.fixed_step_ns = 1,
		};
		struct sim_engine *engine;
		struct sim_engine_stats stats;
		const struct sim_output *outputs;
		uint32_t prompt[40];
		uint64_t due = 0;
		uint64_t steps = 0;

		config.block_count = 60 / config.block_size + 1; /* 40 + 20 tokens fit */
		config.draft_tokens = round % 2 == 0 ? 0 : (uint32_t)rand() % 6;
		engine = sim_engine_new(&config);
		for (int i = 0; i < 40; i++) {
			struct sim_sequence_spec spec = {
				.prompt = prompt,
				.prompt_tokens = 1 + (size_t)rand() % 40,
				.max_tokens = 1 + (uint32_t)rand() % 20,
				.seed = (uint64_t)rand(),
			};

			for (size_t k = 0; k < spec.prompt_tokens; k++)
				prompt[k] = k < 12 ? (uint32_t)k : (uint32_t)rand() % 9;
			due += spec.max_tokens;
			sim_engine_add(engine, &spec, 0);
		}
		while (sim_engine_begin(engine, 0) > 0) {
			const struct sim_step *step = sim_engine_step(engine);

			assert_true(step->tokens <= config.max_num_batched_tokens);
			assert_int_equal(step->tokens,
					 step->work.prefill_tokens + step->work.decode_tokens);
			sim_engine_stats(engine, &stats);
			assert_true(stats.running <= config.max_num_seqs);
			assert_true(stats.blocks_held <= config.block_count);
			assert_int_equal(stats.running + stats.waiting +
						 stats.finished[SIM_FINISH_LENGTH],
					 40);
			sim_engine_end(engine, 0, &outputs);
			assert_true(++steps < 100000);
		}
		sim_engine_stats(engine, &stats);
		assert_int_equal(stats.generated_tokens, due);
		assert_int_equal(stats.finished[SIM_FINISH_LENGTH], 40);
		assert_int_equal(stats.blocks_held, 0);
		sim_engine_free(engine);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sim_engine_random__stops_early_by_chance),
		cmocka_unit_test(test_sim_engine_random__random_loads_keep_the_rules),
	};

	return cmocka_run_group_tests_name("test_sim_engine_random", tests, NULL, NULL);
}
