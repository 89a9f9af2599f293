/*
 * The gate (result/gate/gate.h) and a bisection with it, on the engine of the simulator in virtual
 * time: error rates and the number of runs, next to an oracle that knows the truth.
 *
 * - PROFLLM_TEST_LONG: 100 plays of each case at the minimum effect, where the promised error rates
 *   apply. A count may miss its limit with other seeds.
 * - Otherwise 3 plays with a third of the spread and twice the effect, where each of 10,000 plays of
 *   each case ends right: so must these, whatever the seeds.
 */
#include "result/gate/gate.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/rng.h"
#include "base/student.h"
#include "result/gate/bisect.h"
#include "sim/engine.h"

#define MS 1000000LL
#define CV 0.03 /* of the long test */

enum { PAIRS_MAX = 60, REQUESTS = 8, TOKENS = 12, RELEASES = 16 };

static const struct res_gate_limits limits = { .effect = 0.04879016416943205, /* ln 1.05 */
					       .alpha = RES_GATE_ALPHA,
					       .beta = RES_GATE_BETA };

static const struct plays {
	size_t count;
	double cv;     /* of a run */
	double slower; /* a slower candidate's time of a step, relative to the baseline's */
} short_plays = { .count = 3, .cv = 0.01, .slower = 1.10 },
  long_plays = { .count = 100, .cv = CV, .slower = 1.05 };

static const struct plays *plays_of_mode(void)
{
	return getenv("PROFLLM_TEST_LONG") != NULL ? &long_plays : &short_plays;
}

/*
 * Returns the mean latency of a token in a run: `slower` times that of the engine, whose steps have
 * a speed of their own in each run (a coefficient of variation of cv).
 */
static double run_engine(double slower, double cv, struct pl_nplegacy *rng)
{
	double step_ns = 10 * MS * slower * (1 + cv * pl_nplegacy_gauss(rng)), sum_ns = 0;
	struct sim_engine_config config = {
		.max_num_batched_tokens = 256,
		.max_num_seqs = 4,
		.block_size = 16,
		.block_count = 1000,
		.chunked_prefill = true,
		.reserve_full = true,
		.fixed_step_ns = (int64_t)step_ns,
	};
	struct sim_engine *engine = sim_engine_new(&config);
	uint32_t prompt[32];
	size_t tokens = 0;
	int64_t now_ns = 0;

	for (uint32_t i = 0; i < REQUESTS; i++) {
		for (uint32_t k = 0; k < 32; k++)
			prompt[k] = i * 1000 + k;
		struct sim_sequence_spec spec = { .prompt = prompt,
						  .prompt_tokens = 32,
						  .max_tokens = TOKENS,
						  .ignore_eos = true,
						  .seed = i + 1 };
		sim_engine_add(engine, &spec, now_ns);
	}
	for (int64_t step; (step = sim_engine_begin(engine, now_ns)) >= 0;) {
		const struct sim_output *outputs;
		now_ns += step;
		size_t count = sim_engine_end(engine, now_ns, &outputs);
		for (size_t i = 0; i < count; i++) {
			sum_ns += outputs[i].index > 0 ? (double)outputs[i].gap_ns : 0;
			tokens += outputs[i].index > 0;
		}
	}
	sim_engine_free(engine);
	assert_int_equal(tokens, REQUESTS * (TOKENS - 1));
	return sum_ns / (double)tokens;
}

/* Measures both in turn until there is a decision. */
static enum res_gate_state play_gate(double candidate, double cv, const struct res_gate_limits *how,
				     struct pl_nplegacy *rng, size_t *ret_pairs)
{
	enum res_gate_state state = RES_GATE_UNDECIDED;
	double x[PAIRS_MAX];
	size_t n = 0;

	while (n < PAIRS_MAX && state == RES_GATE_UNDECIDED) {
		double before = run_engine(1, cv, rng), after = run_engine(candidate, cv, rng);
		x[n++] = log(after / before);
		state = res_gate_judge_pairs(how, x, n);
	}
	*ret_pairs += n;
	return state;
}

/*
 * Returns the pairs of a test of fixed length with the same error probabilities, by someone who knows
 * the spread: ((z(alpha) + z(beta)) · sd / effect)².
 */
static double oracle_pairs(void)
{
	double z = pl_student_t(2 * limits.alpha, 1e12) + pl_student_t(2 * limits.beta, 1e12);
	double distance = z * CV * sqrt(2) / limits.effect;

	return ceil(distance * distance);
}

static void test_sim_gate__decides_as_often_as_it_promises(void **state)
{
	const struct plays *how = plays_of_mode();
	size_t plays = how->count, pairs[2] = { 0 }, passed = 0, failed = 0;
	struct pl_nplegacy rng;

	(void)state;
	for (size_t i = 0; i < plays; i++) {
		pl_nplegacy_seed(&rng, (uint32_t)(38300 + i));
		passed += play_gate(1, how->cv, &limits, &rng, &pairs[0]) == RES_GATE_PASS;
		failed += play_gate(how->slower, how->cv, &limits, &rng, &pairs[1]) ==
			  RES_GATE_REGRESSION;
	}
	double n = (double)plays, oracle = oracle_pairs();
	double equal = (double)pairs[0] / n, slower = (double)pairs[1] / n;
	printf("equal: %zu of %zu pass, %.1f pairs; %.0f %% slower: %zu fail, %.1f pairs; oracle "
	       "at 5 %% and a CV of 3 %%: %.0f\n",
	       passed, plays, equal, 100 * (how->slower - 1), failed, slower, oracle);
	assert_true(100 * passed >= 98 * plays);
	assert_true(100 * failed >= 95 * plays);
	if (how == &long_plays) {
		assert_true(equal <= 1.3 * oracle);
		assert_true(slower <= 1.3 * oracle);
	}
}

static void test_sim_gate__looks_at_each_run_keep_the_error_rate(void **state)
{
	size_t wrong = 0, series = getenv("PROFLLM_TEST_LONG") != NULL ? 2000 : 200;
	struct res_gate_limits how = limits;
	struct pl_nplegacy rng;

	(void)state;
	/* the minimum effect is out of reach, so that only `regression` ends a play of 100 looks */
	how.effect = 1e-9;
	how.beta = 1e-12;
	how.alpha = 0.05;
	for (size_t i = 0; i < series; i++) {
		double x[100];
		pl_nplegacy_seed(&rng, (uint32_t)(39000 + i));
		for (size_t n = 0; n < 100; n++) {
			x[n] = CV * pl_nplegacy_gauss(&rng);
			if (res_gate_judge_pairs(&how, x, n + 1) == RES_GATE_REGRESSION) {
				wrong++;
				break;
			}
		}
	}
	printf("a regression in %zu of %zu series of 100 looks without one; alpha 5 %%\n", wrong,
	       series);
	/* at most 5 %, and the upper end of the binomial 99.9 % interval of that */
	double n = (double)series;
	assert_true((double)wrong <= 0.05 * n + 3.3 * sqrt(0.05 * 0.95 * n));
}

static void test_sim_gate__bisection_finds_the_step(void **state)
{
	const struct plays *mode = plays_of_mode();
	size_t plays = mode->count, found = 0, visits = 0, pairs = 0;
	struct pl_nplegacy rng;

	(void)state;
	for (size_t i = 0; i < plays; i++) {
		struct res_bisect bisect;
		struct res_gate_limits how = limits;
		pl_nplegacy_seed(&rng, (uint32_t)(40000 + i));
		size_t step = 1 + (size_t)(pl_nplegacy_double(&rng) * (RELEASES - 1));
		res_bisect_init(RELEASES, &bisect);
		how.alpha = how.beta = res_bisect_share(RELEASES, 0.05);
		for (size_t at; res_bisect_next(&bisect, &at);) {
			visits++;
			res_bisect_take(&bisect, at,
					play_gate(at >= step ? mode->slower : 1, mode->cv, &how,
						  &rng, &pairs));
		}
		found += bisect.state == RES_BISECT_FOUND && bisect.bad == step;
		res_bisect_done(&bisect);
	}
	double n = (double)plays;
	printf("step found in %zu of %zu, %.1f visits, %.1f pairs\n", found, plays,
	       (double)visits / n, (double)pairs / n);
	assert_true(100 * found >= 95 * plays);
	assert_true((double)visits <= 6 * n);
}

static void test_sim_gate__exact_measurements_decide_at_once(void **state)
{
	double equal[4] = { 0, 0, 0, 0 }, small[4] = { 0.01, 0.0101, 0.0099, 0.01 };
	double worse[4] = { 0.06, 0.0601, 0.0599, 0.06 };

	(void)state;
	assert_int_equal(res_gate_judge_pairs(&limits, equal, 4), RES_GATE_PASS);
	/* real, but smaller than what matters */
	assert_int_equal(res_gate_judge_pairs(&limits, small, 4), RES_GATE_PASS);
	assert_int_equal(res_gate_judge_pairs(&limits, worse, 4), RES_GATE_REGRESSION);
	assert_int_equal(res_gate_judge_pairs(&limits, worse, 2), RES_GATE_UNDECIDED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sim_gate__decides_as_often_as_it_promises),
		cmocka_unit_test(test_sim_gate__looks_at_each_run_keep_the_error_rate),
		cmocka_unit_test(test_sim_gate__bisection_finds_the_step),
		cmocka_unit_test(test_sim_gate__exact_measurements_decide_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
