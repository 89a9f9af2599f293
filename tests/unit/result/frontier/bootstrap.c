#include "result/frontier/bootstrap.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/rng.h"
#include "unit/sanitizer.h"

#ifdef __SANITIZE_ADDRESS__
enum { SEEDS = 20 };
#else
enum { SEEDS = 150 };
#endif
enum { CONFIGURATIONS = 24, RUNS = 5, SEEDS_LONG = 2000 };

static const struct res_frontier_space space = { 2, { true, true } };

struct made {
	double truth[CONFIGURATIONS * 2];
	double runs[CONFIGURATIONS][RUNS * 2];
	struct res_frontier_configuration configurations[CONFIGURATIONS];
	struct res_frontier_question question;
	struct res_frontier_analysis analysis;
};

/* True means: rates per GPU that fall with the rate per user, up to 40 % below a common curve. CV 5 %. */
static void make(struct made *made, uint32_t seed, size_t runs)
{
	static const double reference[] = { 0, 0 };
	struct pl_nplegacy rng;

	memset(made, 0, sizeof(*made));
	pl_nplegacy_seed(&rng, seed);
	for (size_t i = 0; i < CONFIGURATIONS; i++) {
		double user = 20 + 80 * pl_nplegacy_double(&rng);
		made->truth[2 * i] = user;
		made->truth[2 * i + 1] = 3000 * (1 - user * user / 15000) *
					 (1 - 0.4 * pl_nplegacy_double(&rng));
		for (size_t k = 0; k < 2 * runs; k++)
			made->runs[i][k] = made->truth[2 * i + k % 2] *
					   (1 + 0.05 * pl_nplegacy_gauss(&rng));
		made->configurations[i] = (struct res_frontier_configuration){ made->runs[i],
									       runs };
	}
	made->question = (struct res_frontier_question){ .space = &space,
							 .configurations = made->configurations,
							 .count = CONFIGURATIONS,
							 .reference = reference };
}

/* ---- known truth -------------------------------------------------------------------------------- */

struct tally {
	size_t said[RES_FRONTIER_SURELY + 1];
	size_t right[RES_FRONTIER_SURELY + 1];
	size_t volumes_inside;
	size_t limits_inside;
	size_t plainly_right; /* of points on the frontier of the means */
	size_t plainly_said;
};

static void count_set(uint32_t seed, size_t runs, struct tally *tally)
{
	struct made made;
	enum res_frontier_state truth[CONFIGURATIONS];
	const struct res_frontier_limit limit = { 0, 60, 1 };
	double best = 0;

	make(&made, seed, runs);
	made.question.limits = &limit;
	made.question.limit_count = 1;
	res_frontier_analyze(&made.question, &made.analysis);
	res_frontier_find(&space, made.truth, CONFIGURATIONS, truth);
	for (size_t i = 0; i < CONFIGURATIONS; i++) {
		enum res_frontier_membership said = made.analysis.memberships[i];
		tally->said[said]++;
		tally->right[said] += said == RES_FRONTIER_SURELY ? truth[i] == RES_FRONTIER_ON
								  : truth[i] != RES_FRONTIER_ON;
		if (made.analysis.states[i] == RES_FRONTIER_ON) {
			tally->plainly_said++;
			tally->plainly_right += truth[i] == RES_FRONTIER_ON;
		}
		if (made.truth[2 * i] >= 60)
			best = fmax(best, made.truth[2 * i + 1]);
	}
	double volume = res_frontier_hypervolume(&space, made.truth, CONFIGURATIONS,
						 made.question.reference);
	const struct res_frontier_figure *at = &made.analysis.limits[0];
	tally->volumes_inside += made.analysis.hypervolume.interval.low <= volume &&
				 volume <= made.analysis.hypervolume.interval.high;
	tally->limits_inside += at->interval.low <= best && best <= at->interval.high;
	res_frontier_analysis_done(&made.analysis);
}

static void check_truth(size_t runs)
{
	size_t sets = getenv("PROFLLM_TEST_LONG") != NULL ? SEEDS_LONG : SEEDS;
	struct tally tally = { 0 };

	for (size_t i = 0; i < sets; i++)
		count_set((uint32_t)i, runs, &tally);
	printf("| %zu | %.1f %% of %zu | %.1f %% of %zu | %zu | %.1f %% | %.1f %% | %.1f %% |\n",
	       runs, 100.0 * (double)tally.right[RES_FRONTIER_SURELY] / (double)tally.said[3],
	       tally.said[3], 100.0 * (double)tally.right[RES_FRONTIER_NOT] / (double)tally.said[1],
	       tally.said[1], tally.said[2], 100.0 * (double)tally.volumes_inside / (double)sets,
	       100.0 * (double)tally.limits_inside / (double)sets,
	       100.0 * (double)tally.plainly_right / (double)tally.plainly_said);
	assert_true(tally.said[RES_FRONTIER_SURELY] > sets / 2);
	assert_true(tally.said[RES_FRONTIER_NOT] > sets);
	assert_true(20 * tally.right[RES_FRONTIER_SURELY] >= 19 * tally.said[RES_FRONTIER_SURELY]);
	assert_true(20 * tally.right[RES_FRONTIER_NOT] >= 19 * tally.said[RES_FRONTIER_NOT]);
	assert_true(10 * tally.volumes_inside >= 9 * sets);
	assert_true(10 * tally.limits_inside >= 9 * sets);
}

static void test_result_frontier_bootstrap__says_what_is_true(void **state)
{
	(void)state;
	printf("| runs | surely: right | not: right | perhaps | volume inside | limit inside | "
	       "plain frontier right |\n");
	check_truth(RUNS);
	check_truth(3);
}

/* ---- edges -------------------------------------------------------------------------------------- */

static void test_result_frontier_bootstrap__ignores_the_order(void **state)
{
	struct made made;
	struct res_frontier_configuration turned[CONFIGURATIONS];
	auto_frontier_analysis other = { 0 };

	(void)state;
	make(&made, 1, RUNS);
	res_frontier_analyze(&made.question, &made.analysis);
	for (size_t i = 0; i < CONFIGURATIONS; i++) {
		double *runs = made.runs[i], first[2] = { runs[0], runs[1] };
		turned[CONFIGURATIONS - 1 - i] = made.configurations[i];
		memmove(runs, runs + 2, 2 * (RUNS - 1) * sizeof(*runs));
		memcpy(runs + 2 * (RUNS - 1), first, sizeof(first));
	}
	made.question.configurations = turned;
	res_frontier_analyze(&made.question, &other);
	for (size_t i = 0; i < CONFIGURATIONS; i++)
		assert_true(other.shares[CONFIGURATIONS - 1 - i] == made.analysis.shares[i]);
	assert_memory_equal(&other.hypervolume, &made.analysis.hypervolume,
			    sizeof(other.hypervolume));
	res_frontier_analysis_done(&made.analysis);
}

static void test_result_frontier_bootstrap__takes_the_spread_of_others(void **state)
{
	struct made made;

	(void)state;
	make(&made, 1, RUNS);
	made.configurations[0].count = 1;
	res_frontier_analyze(&made.question, &made.analysis);
	assert_true(made.analysis.has_spread);
	assert_false(isnan(made.analysis.shares[0]));
	res_frontier_analysis_done(&made.analysis);
	/* two deviations are too few */
	for (size_t i = 0; i < CONFIGURATIONS; i++)
		made.configurations[i].count = i == 0 ? 2 : 1;
	res_frontier_analyze(&made.question, &made.analysis);
	assert_false(made.analysis.has_spread);
	for (size_t i = 0; i < CONFIGURATIONS; i++) {
		assert_int_equal(made.analysis.memberships[i], RES_FRONTIER_UNKNOWN);
		assert_int_not_equal(made.analysis.states[i], RES_FRONTIER_INCOMPLETE);
	}
	assert_true(made.analysis.hypervolume.value > 0);
	assert_true(isnan(made.analysis.hypervolume.interval.low));
	res_frontier_analysis_done(&made.analysis);
}

static void test_result_frontier_bootstrap__finds_the_value_at_a_limit(void **state)
{
	static const double runs[] = { 10, 5, 20, 3, 30, 1 };
	const struct res_frontier_configuration configurations[] = { { runs, 1 },
								     { runs + 2, 1 },
								     { runs + 4, 1 } };
	const struct res_frontier_limit limits[] = { { 0, 15, 1 }, { 0, 31, 1 }, { 1, 3, 0 } };
	const struct res_frontier_question question = { .space = &space,
							.configurations = configurations,
							.count = 3,
							.limits = limits,
							.limit_count = 3 };
	auto_frontier_analysis analysis = { 0 };

	(void)state;
	res_frontier_analyze(&question, &analysis);
	assert_true(analysis.limits[0].value == 3);
	assert_int_equal(analysis.limits[0].configuration, 1);
	assert_true(isnan(analysis.limits[1].value));
	assert_true(analysis.limits[1].configuration == SIZE_MAX);
	assert_true(analysis.limits[2].value == 20);
	assert_true(isnan(analysis.hypervolume.value));
}

static bool goes_on(void *data)
{
	size_t *left = data;

	return *left > 0 && (*left)-- > 0;
}

/* The draws of many configurations take seconds: whoever waits may end them at any of them. */
static void test_result_frontier_bootstrap__is_cut(void **state)
{
	static const size_t steps[] = { 0, 1, 2, 100 };
	struct made made;

	(void)state;
	make(&made, 1, RUNS);
	for (size_t i = 0; i < PL_ARRAY_SIZE(steps); i++) {
		size_t left = steps[i];
		made.question.goes_on = goes_on;
		made.question.data = &left;
		res_frontier_analyze(&made.question, &made.analysis);
		assert_int_equal(left, 0);
		assert_true(made.analysis.is_cut);
		assert_false(made.analysis.has_spread);
		assert_true(made.analysis.on_count > 0);
		assert_true(isnan(made.analysis.shares[0]));
		assert_true(isnan(made.analysis.hypervolume.interval.low));
		assert_int_equal(made.analysis.memberships[0], RES_FRONTIER_UNKNOWN);
		res_frontier_analysis_done(&made.analysis);
	}
	size_t left = SIZE_MAX;
	made.question.data = &left;
	res_frontier_analyze(&made.question, &made.analysis);
	assert_true(made.analysis.has_spread);
	assert_false(made.analysis.is_cut);
	res_frontier_analysis_done(&made.analysis);
}

static void test_result_frontier_bootstrap__accepts_no_configuration(void **state)
{
	const struct res_frontier_question question = { .space = &space };
	auto_frontier_analysis analysis = { 0 };

	(void)state;
	res_frontier_analyze(&question, &analysis);
	assert_int_equal(analysis.on_count, 0);
	assert_false(analysis.has_spread);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_result_frontier_bootstrap__says_what_is_true),
		cmocka_unit_test(test_result_frontier_bootstrap__ignores_the_order),
		cmocka_unit_test(test_result_frontier_bootstrap__takes_the_spread_of_others),
		cmocka_unit_test(test_result_frontier_bootstrap__finds_the_value_at_a_limit),
		cmocka_unit_test(test_result_frontier_bootstrap__is_cut),
		cmocka_unit_test(test_result_frontier_bootstrap__accepts_no_configuration),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
