#include "result/impact/impact.h"

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
#include "base/stats.h"
#include "result/impact/shift.h"
#include "unit/sanitizer.h"

#ifdef __SANITIZE_ADDRESS__
/* 95 % of 40 are less than 80 % with a probability below 10^-3 */
enum { SEEDS = 40, RIGHT_LEAST = 80 };
#else
enum { SEEDS = 500, RIGHT_LEAST = 93 };
#endif
enum { SEEDS_LONG = 5000, ROWS_MAX = 1024 };

/*
 * Known effects on a metric with a CV of 3 %. `block` and `cache` multiply it by 1.2, 1.1 and, both together, by 1.08
 * more. `left` and `right` vary only together. `flag` is set on 85 % of the runs of the second host, which is 10 %
 * slower, and 15 % of the first; `driver_flag` is set on the second host only. Neither has an effect.
 */
enum {
	BATCH,       /* +12 % */
	BLOCK,       /* +20 %, and the interaction */
	CACHE,       /* +10 %, and the interaction */
	DRIVER_FLAG, /* confounded with the host */
	FLAG,        /* 0, and mostly confounded with the host */
	HOST,
	LEFT,  /* +7 % with RIGHT */
	MODEL, /* 0.5 and 0.8 of the first one */
	PLAIN, /* 0 */
	RIGHT,
	SMALL,  /* -5 % */
	STABLE, /* never varies */
	FACTORS,
};
static const char *const ids[] = { "batch", "block", "cache", "driver_flag", "flag",  "host",
				   "left",  "model", "plain", "right",       "small", "stable" };
static const uint32_t levels[] = { 3, 3, 3, 3, 3, 3, 3, 4, 3, 3, 3, 2 };

struct made {
	size_t count;
	uint32_t codes[FACTORS][ROWS_MAX];
	double values[ROWS_MAX];
	int64_t row_ids[ROWS_MAX];
	struct res_impact_factor factors[FACTORS];
	struct res_impact_question question;
	struct res_impact_analysis analysis;
};

static double effect_of(const uint32_t code[FACTORS])
{
	static const double models[] = { 1, 0.5, 0.8 };
	double value = 1000 * models[code[MODEL] - 1];

	value *= code[BATCH] == 2 ? 1.12 : 1;
	value *= code[BLOCK] == 2 ? 1.2 : 1;
	value *= code[CACHE] == 2 ? 1.1 : 1;
	value *= code[BLOCK] == 2 && code[CACHE] == 2 ? 1.08 : 1;
	value *= code[SMALL] == 2 ? 0.95 : 1;
	value *= code[LEFT] == 2 ? 1.07 : 1;
	return value * (code[HOST] == 2 ? 0.9 : 1);
}

static void ask(struct made *made)
{
	for (size_t k = 0; k < FACTORS; k++)
		made->factors[k] = (struct res_impact_factor){ .id = ids[k],
							       .codes = made->codes[k],
							       .level_count = levels[k] };
	made->factors[HOST].is_host = true;
	made->question = (struct res_impact_question){ .factors = made->factors,
						       .factor_count = FACTORS,
						       .values = made->values,
						       .ids = made->row_ids,
						       .row_count = made->count,
						       .effect = RES_IMPACT_SMALL_EFFECT };
}

/* A third of the combinations is missing, and a third of the others has two runs. */
static void make(struct made *made, uint32_t seed)
{
	struct pl_nplegacy rng;

	memset(made, 0, sizeof(*made));
	pl_nplegacy_seed(&rng, seed);
	for (uint32_t bits = 0; bits < 3 * 128; bits++) {
		uint32_t code[FACTORS];
		double draw = pl_nplegacy_double(&rng);
		size_t runs = draw < 0.33 ? 0 : draw < 0.78 ? 1 : 2;
		for (size_t run = 0; run < runs; run++) {
			code[BATCH] = 1 + (bits & 1);
			code[BLOCK] = 1 + (bits >> 1 & 1);
			code[CACHE] = 1 + (bits >> 2 & 1);
			code[HOST] = 1 + (bits >> 3 & 1);
			code[LEFT] = code[RIGHT] = 1 + (bits >> 4 & 1);
			code[PLAIN] = 1 + (bits >> 5 & 1);
			code[SMALL] = 1 + (bits >> 6 & 1);
			code[MODEL] = 1 + (bits >> 7);
			code[DRIVER_FLAG] = code[HOST];
			code[FLAG] = pl_nplegacy_double(&rng) < 0.85 ? code[HOST] : 3 - code[HOST];
			code[STABLE] = 1;
			for (size_t k = 0; k < FACTORS; k++)
				made->codes[k][made->count] = code[k];
			made->values[made->count] = effect_of(code) *
						    exp(0.03 * pl_nplegacy_gauss(&rng));
			made->row_ids[made->count] = (int64_t)made->count + 1;
			made->count++;
		}
	}
	assert_true(made->count > 0 && made->count < ROWS_MAX);
	ask(made);
}

static const struct res_impact_effect *effect_with(const struct res_impact_analysis *analysis,
						   size_t factor)
{
	for (size_t i = 0; i < analysis->effect_count; i++) {
		for (size_t k = 0; k < analysis->effects[i].factor_count; k++) {
			if (analysis->effects[i].factors[k] == factor)
				return &analysis->effects[i];
		}
	}
	return NULL;
}

static const struct res_impact_rest *rest_with(const struct res_impact_analysis *analysis,
					       size_t factor)
{
	for (size_t i = 0; i < analysis->rest_count; i++) {
		if (analysis->rests[i].factor == factor)
			return &analysis->rests[i];
	}
	return NULL;
}

static bool contains(const struct res_impact_ratio *ratio, double truth)
{
	return ratio->interval.low <= truth && truth <= ratio->interval.high;
}

/* ---- known truth --------------------------------------------------------------------------------- */

struct tally {
	size_t inside[FACTORS];
	size_t none[FACTORS];
	size_t interactions;
	double plain_flag, plain_confounded;
};

static const double truths[FACTORS] = {
	[BATCH] = 1.12, [FLAG] = 1, [LEFT] = 1.07, [PLAIN] = 1, [SMALL] = 0.95, [HOST] = 0
};

static void check_structure(const struct res_impact_analysis *analysis)
{
	const struct res_impact_effect *pair = effect_with(analysis, LEFT);
	const struct res_impact_rest *confounded = rest_with(analysis, DRIVER_FLAG),
				     *stable = rest_with(analysis, STABLE);

	/* the pair that varies only together is one effect of both */
	assert_non_null(pair);
	assert_int_equal(pair->factor_count, 2);
	assert_int_equal(pair->factors[0], LEFT);
	assert_int_equal(pair->factors[1], RIGHT);
	/* what is confounded with the host is not credited, and named with it */
	assert_null(effect_with(analysis, DRIVER_FLAG));
	assert_non_null(confounded);
	assert_int_equal(confounded->reason, RES_IMPACT_TOGETHER);
	assert_int_equal(confounded->with_count, 1);
	assert_int_equal(confounded->with[0], HOST);
	assert_int_equal(stable->reason, RES_IMPACT_CONSTANT);
}

static void tally_seed(struct made *made, struct tally *tally)
{
	struct res_impact_analysis *analysis = &made->analysis;

	for (size_t k = 0; k < FACTORS; k++) {
		double truth = k == BLOCK   ? 1.2 * sqrt(1.08)
			       : k == CACHE ? 1.1 * sqrt(1.08)
					    : truths[k];
		const struct res_impact_effect *effect = effect_with(analysis, k);
		if (!(truth > 0))
			continue;
		assert_non_null(effect);
		tally->inside[k] += contains(&effect->contrasts[0].effect, truth);
		tally->none[k] += effect->finding == RES_IMPACT_NONE;
	}
	const struct res_impact_effect *flag = effect_with(analysis, FLAG);
	tally->plain_flag += flag->contrasts[0].plain_ratio;
	tally->plain_confounded += rest_with(analysis, DRIVER_FLAG)->plain_ratio;
	for (size_t i = 0; i < analysis->interaction_count; i++) {
		const struct res_impact_interaction *found = &analysis->interactions[i];
		size_t first = analysis->effects[found->first].factors[0],
		       second = analysis->effects[found->second].factors[0];
		if ((first == BLOCK && second == CACHE) || (first == CACHE && second == BLOCK))
			tally->interactions += contains(&found->ratio, 1.08);
	}
}

static void test_result_impact__known_effects_are_found(void **state)
{
	size_t seeds = getenv("PROFLLM_TEST_LONG") != NULL ? SEEDS_LONG : SEEDS;
	struct tally tally = { 0 };
	struct made *made = pl_alloc(sizeof(*made));

	(void)state;
	for (uint32_t seed = 0; seed < seeds; seed++) {
		make(made, seed);
		made->question.without_forest = seed % 5 != 0;
		res_impact_analyze(&made->question, &made->analysis);
		check_structure(&made->analysis);
		tally_seed(made, &tally);
		res_impact_analysis_done(&made->analysis);
	}
	for (size_t k = 0; k < FACTORS; k++) {
		if (tally.inside[k] > 0)
			print_message("%-12s in its interval %4zu, none %4zu of %zu\n", ids[k],
				      tally.inside[k], tally.none[k], seeds);
	}
	print_message("interaction in its interval %zu of %zu\n", tally.interactions, seeds);
	print_message("plain ratio of flag %.3f, of driver_flag %.3f\n",
		      tally.plain_flag / (double)seeds, tally.plain_confounded / (double)seeds);
	for (size_t k = 0; k < FACTORS; k++) {
		if (truths[k] > 0 || k == BLOCK || k == CACHE)
			assert_true(100 * tally.inside[k] >= RIGHT_LEAST * seeds);
	}
	assert_true(100 * tally.none[PLAIN] >= RIGHT_LEAST * seeds);
	assert_true(100 * tally.none[FLAG] >= RIGHT_LEAST * seeds);
	assert_true(100 * tally.interactions >= RIGHT_LEAST * seeds);
	/* group means would have credited both flags with the host */
	assert_true(tally.plain_flag / (double)seeds < 0.95);
	assert_true(tally.plain_confounded / (double)seeds < 0.92);
	free(made);
}

/* ---- the same in any order ------------------------------------------------------------------------ */

static void reverse(struct made *made)
{
	for (size_t i = 0, k = made->count - 1; i < k; i++, k--) {
		double value = made->values[i];
		made->values[i] = made->values[k];
		made->values[k] = value;
		for (size_t f = 0; f < FACTORS; f++) {
			uint32_t code = made->codes[f][i];
			made->codes[f][i] = made->codes[f][k];
			made->codes[f][k] = code;
		}
	}
}

static bool is_same(const struct res_impact_ratio *one, const struct res_impact_ratio *other)
{
	return one->ratio == other->ratio && one->interval.low == other->interval.low &&
	       one->interval.high == other->interval.high && one->cell_count == other->cell_count;
}

static void test_result_impact__order_of_rows_changes_nothing(void **state)
{
	struct made *made = pl_alloc(sizeof(*made)), *other = pl_alloc(sizeof(*other));

	(void)state;
	make(made, 7);
	make(other, 7);
	reverse(other);
	res_impact_analyze(&made->question, &made->analysis);
	res_impact_analyze(&other->question, &other->analysis);
	assert_int_equal(made->analysis.effect_count, other->analysis.effect_count);
	assert_true(made->analysis.explained == other->analysis.explained);
	for (size_t i = 0; i < made->analysis.effect_count; i++) {
		const struct res_impact_effect *a = &made->analysis.effects[i],
					       *b = &other->analysis.effects[i];
		assert_int_equal(a->factors[0], b->factors[0]);
		assert_true(a->importance == b->importance && a->q == b->q);
		for (size_t k = 0; k < a->contrast_count; k++) {
			assert_true(is_same(&a->contrasts[k].effect, &b->contrasts[k].effect));
			assert_true(a->contrasts[k].plain_ratio == b->contrasts[k].plain_ratio);
		}
	}
	for (size_t i = 0; i < made->analysis.interaction_count; i++)
		assert_true(is_same(&made->analysis.interactions[i].ratio,
				    &other->analysis.interactions[i].ratio));
	res_impact_analysis_done(&made->analysis);
	res_impact_analysis_done(&other->analysis);
	free(made);
	free(other);
}

/* ---- small sets ----------------------------------------------------------------------------------- */

/* At most four inputs. */
struct small {
	uint32_t codes[4][40];
	double values[40];
	int64_t row_ids[40];
	struct res_impact_factor factors[4];
	struct res_impact_analysis analysis;
};

static void analyze_small(struct small *small, size_t factors, size_t rows)
{
	static const char *const names[] = { "a", "b", "c", "d" };

	for (size_t k = 0; k < factors; k++) {
		small->factors[k].id = names[k];
		small->factors[k].codes = small->codes[k];
		small->factors[k].level_count = 0;
		for (size_t i = 0; i < rows; i++) {
			if (small->codes[k][i] >= small->factors[k].level_count)
				small->factors[k].level_count = small->codes[k][i] + 1;
		}
	}
	for (size_t i = 0; i < rows; i++)
		small->row_ids[i] = (int64_t)i + 1;
	res_impact_analyze(&(struct res_impact_question){ .factors = small->factors,
							  .factor_count = factors,
							  .values = small->values,
							  .ids = small->row_ids,
							  .row_count = rows,
							  .effect = 0.05 },
			   &small->analysis);
}

static void test_result_impact__derived_inputs_follow(void **state)
{
	struct small small = { 0 };

	(void)state;
	/* a and b in all combinations, and c = a · b: without dropping it, nothing would have a pair */
	for (size_t i = 0; i < 9; i++) {
		small.codes[0][i] = (uint32_t)(1 + i % 3);
		small.codes[1][i] = (uint32_t)(1 + i / 3);
		small.codes[2][i] = small.codes[0][i] * small.codes[1][i];
		small.values[i] = 100 * (double)small.codes[0][i];
	}
	small.factors[2].is_derived = true;
	analyze_small(&small, 3, 9);
	assert_int_equal(small.analysis.effect_count, 2);
	assert_int_equal(small.analysis.rest_count, 1);
	assert_int_equal(small.analysis.rests[0].reason, RES_IMPACT_DERIVED);
	const struct res_impact_effect *effect = effect_with(&small.analysis, 0);
	const struct res_impact_contrast *shown = &effect->contrasts[0];
	assert_int_equal(shown->from, 1);
	assert_int_equal(shown->to, 3);
	assert_int_equal(shown->effect.cell_count, 3);
	assert_int_equal(shown->pair_count, 3);
	assert_true(fabs(shown->effect.ratio - 3) < 1e-9);
	res_impact_analysis_done(&small.analysis);
}

static void test_result_impact__determined_inputs_are_named(void **state)
{
	struct small small = { 0 };

	(void)state;
	/* each value of a has one value of b: a is credited, and b named with it where it differs */
	for (size_t i = 0; i < 12; i++) {
		small.codes[0][i] = (uint32_t)(1 + i % 3);
		small.codes[1][i] = small.codes[0][i] == 3 ? 2 : 1;
		small.codes[2][i] = (uint32_t)(1 + i / 6);
		small.codes[3][i] = (uint32_t)(1 + i / 3 % 2);
		small.values[i] = 10 * (double)small.codes[0][i] + (double)i / 100;
	}
	analyze_small(&small, 4, 12);
	const struct res_impact_effect *effect = effect_with(&small.analysis, 0);
	assert_non_null(effect);
	assert_int_equal(effect->contrast_count, 3);
	for (size_t i = 0; i < 3; i++) {
		const struct res_impact_contrast *contrast = &effect->contrasts[i];
		assert_int_equal(contrast->with_count, contrast->to == 3 ? 1 : 0);
		assert_int_equal(contrast->effect.cell_count, 4);
	}
	const struct res_impact_rest *rest = rest_with(&small.analysis, 1);
	assert_int_equal(rest->reason, RES_IMPACT_TOGETHER);
	assert_int_equal(rest->with[0], 0);
	res_impact_analysis_done(&small.analysis);
	/* if b is a host, only the values of a on the same host are compared */
	small.factors[1].is_host = true;
	analyze_small(&small, 4, 12);
	effect = effect_with(&small.analysis, 0);
	assert_int_equal(effect->contrast_count, 1);
	assert_int_equal(effect->contrasts[0].to, 2);
	struct res_impact_cell *cells;
	size_t count;
	res_impact_cells(&small.analysis, (size_t)(effect - small.analysis.effects), 0, &cells,
			 &count);
	assert_int_equal(count, 4);
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(cells[i].counts[0], 1);
		assert_int_equal(small.codes[0][cells[i].rows[0]], 1);
		assert_int_equal(small.codes[0][cells[i].rows[1]], 2);
		assert_int_equal(small.codes[2][cells[i].rows[0]],
				 small.codes[2][cells[i].rows[1]]);
		assert_true(fabs(cells[i].medians[0] - small.values[cells[i].rows[0]]) < 1e-9);
	}
	res_impact_cells_free(cells, count);
	res_impact_analysis_done(&small.analysis);
}

static void test_result_impact__reasons_without_pairs(void **state)
{
	struct small small = { 0 };

	(void)state;
	/* a is mixed with b and c, but bound to neither; d has a value of its own in every run */
	for (size_t i = 0; i < 24; i++) {
		small.codes[1][i] = (uint32_t)(1 + i % 2);
		small.codes[2][i] = (uint32_t)(1 + i / 2 % 2);
		small.codes[0][i] = (small.codes[1][i] + small.codes[2][i]) % 2 + 1;
		small.codes[3][i] = (uint32_t)(1 + i);
		small.values[i] = 100;
	}
	analyze_small(&small, 4, 24);
	assert_int_equal(small.analysis.effect_count, 0);
	assert_int_equal(rest_with(&small.analysis, 3)->reason, RES_IMPACT_EACH_RUN);
	const struct res_impact_rest *rest = rest_with(&small.analysis, 0);
	assert_int_equal(rest->reason, RES_IMPACT_NO_PAIRS);
	assert_int_equal(rest->with_count, 1);
	res_impact_analysis_done(&small.analysis);
	/* no rows at all */
	analyze_small(&small, 4, 0);
	assert_int_equal(small.analysis.effect_count, 0);
	assert_int_equal(small.analysis.rest_count, 4);
	res_impact_analysis_done(&small.analysis);
}

static void test_result_impact__one_cell_uses_its_runs(void **state)
{
	struct small small = { 0 };

	(void)state;
	for (size_t i = 0; i < 12; i++) {
		small.codes[0][i] = (uint32_t)(1 + i % 2);
		small.values[i] = (i % 2 == 1 ? 110 : 100) * (1 + 0.002 * (double)i);
	}
	analyze_small(&small, 1, 12);
	assert_int_equal(small.analysis.effect_count, 1);
	const struct res_impact_effect *effect = &small.analysis.effects[0];
	assert_int_equal(effect->contrasts[0].effect.method, RES_IMPACT_RUNS);
	assert_int_equal(effect->contrasts[0].pair_count, 36);
	assert_int_equal(effect->finding, RES_IMPACT_HIGHER);
	assert_true(contains(&effect->contrasts[0].effect, 1.1));
	res_impact_analysis_done(&small.analysis);
	analyze_small(&small, 1, 2);
	assert_int_equal(small.analysis.effects[0].finding, RES_IMPACT_UNKNOWN);
	assert_true(isnan(small.analysis.effects[0].contrasts[0].effect.interval.low));
	res_impact_analysis_done(&small.analysis);
}

/* ---- the location --------------------------------------------------------------------------------- */

static void test_result_impact__shift_is_the_median_of_means(void **state)
{
	struct pl_nplegacy rng;

	(void)state;
	pl_nplegacy_seed(&rng, 5);
	for (size_t n = 6; n < 60; n++) {
		double x[60], means[60 * 61 / 2];
		size_t count = 0;
		for (size_t i = 0; i < n; i++)
			x[i] = 0.1 + 0.05 * pl_nplegacy_gauss(&rng);
		for (size_t i = 0; i < n; i++) {
			for (size_t k = i; k < n; k++)
				means[count++] = (x[i] + x[k]) / 2;
		}
		pl_stats_sort(means, count);
		struct res_impact_ratio found;
		res_impact_shift_of(x, n, &found);
		assert_true(fabs(found.ratio / exp(pl_stats_median_sorted(means, count)) - 1) <
			    1e-12);
		/* each bound is one of the means; for 6 differences the outermost ones */
		assert_true(found.interval.low < found.ratio && found.ratio < found.interval.high);
		if (n == 6) {
			assert_true(fabs(found.interval.low - exp(means[0])) < 1e-12);
			assert_true(fabs(found.interval.high - exp(means[count - 1])) < 1e-12);
		}
		/* Wilcoxon's table for 95 %: 8 differences, from the 4th mean; 20, from the 53rd */
		size_t rank = n == 8 ? 4 : n == 20 ? 53 : 0;
		if (rank > 0)
			assert_true(fabs(found.interval.low - exp(means[rank - 1])) < 1e-12);
	}
}

static void test_result_impact__importance_ranks_inputs(void **state)
{
	struct made *made = pl_alloc(sizeof(*made));

	(void)state;
	make(made, 3);
	res_impact_analyze(&made->question, &made->analysis);
	double model = effect_with(&made->analysis, MODEL)->importance,
	       block = effect_with(&made->analysis, BLOCK)->importance,
	       plain = effect_with(&made->analysis, PLAIN)->importance;
	print_message("importances: model %.3f, block %.3f, plain %.4f; explained %.3f\n", model,
		      block, plain, made->analysis.explained);
	assert_true(model > block && block > 10 * plain && plain < 0.01);
	assert_true(made->analysis.explained > 0.8 && made->analysis.explained < 1);
	res_impact_analysis_done(&made->analysis);
	free(made);
}

/* Lets a number of questions pass. */
static bool counts_down(void *data)
{
	size_t *left = data;

	return *left > 0 && (*left)-- > 0;
}

static void test_result_impact__the_end_of_time_is_reported(void **state)
{
	struct made *made = pl_alloc(sizeof(*made));
	size_t left, effects, listed, grouping;

	(void)state;
	make(made, 3);
	/* once per input to join it, and once to find what it determines */
	grouping = 2 * made->question.factor_count;
	res_impact_analyze(&made->question, &made->analysis);
	assert_false(made->analysis.are_effects_cut || made->analysis.are_importances_cut);
	assert_int_equal(made->analysis.omitted_count, 0);
	effects = made->analysis.effect_count;
	res_impact_analysis_done(&made->analysis);
	made->question.goes_on = counts_down;
	made->question.data = &left;
	/* inputs that were not all compared with each other have no effect */
	for (size_t i = 0; i < 2; i++) {
		left = i == 0 ? 0 : grouping - 1;
		res_impact_analyze(&made->question, &made->analysis);
		assert_true(made->analysis.are_effects_cut && made->analysis.are_importances_cut);
		assert_int_equal(made->analysis.effect_count, 0);
		for (size_t k = 0; k < made->analysis.rest_count; k++) {
			enum res_impact_reason reason = made->analysis.rests[k].reason;
			assert_true(reason == RES_IMPACT_CONSTANT || reason == RES_IMPACT_DERIVED ||
				    reason == RES_IMPACT_EACH_RUN);
		}
		assert_int_equal(made->analysis.omitted_count,
				 made->question.factor_count - made->analysis.rest_count);
		res_impact_analysis_done(&made->analysis);
	}
	left = grouping + 3;
	res_impact_analyze(&made->question, &made->analysis);
	assert_true(made->analysis.are_effects_cut && made->analysis.are_importances_cut);
	assert_int_equal(made->analysis.effect_count, 3);
	listed = made->analysis.rest_count;
	for (size_t i = 0; i < made->analysis.effect_count; i++)
		listed += made->analysis.effects[i].factor_count;
	assert_true(made->analysis.omitted_count > 0);
	assert_int_equal(listed + made->analysis.omitted_count, made->question.factor_count);
	res_impact_analysis_done(&made->analysis);
	left = grouping + effects + 3;
	res_impact_analyze(&made->question, &made->analysis);
	assert_true(!made->analysis.are_effects_cut && made->analysis.are_importances_cut);
	assert_int_equal(made->analysis.effect_count, effects);
	assert_int_equal(made->analysis.omitted_count, 0);
	assert_true(isnan(made->analysis.effects[0].importance));
	res_impact_analysis_done(&made->analysis);
	free(made);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_result_impact__known_effects_are_found),
		cmocka_unit_test(test_result_impact__order_of_rows_changes_nothing),
		cmocka_unit_test(test_result_impact__derived_inputs_follow),
		cmocka_unit_test(test_result_impact__determined_inputs_are_named),
		cmocka_unit_test(test_result_impact__reasons_without_pairs),
		cmocka_unit_test(test_result_impact__one_cell_uses_its_runs),
		cmocka_unit_test(test_result_impact__shift_is_the_median_of_means),
		cmocka_unit_test(test_result_impact__importance_ranks_inputs),
		cmocka_unit_test(test_result_impact__the_end_of_time_is_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
