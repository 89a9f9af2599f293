#include "result/change/change.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "base/text.h"

enum { POINTS_MAX = 100, ID_BYTES = 24 };

/* A series of latencies with its analysis. */
struct made {
	struct res_change_point points[POINTS_MAX];
	char ids[POINTS_MAX][ID_BYTES];
	struct res_change_decision decisions[2];
	struct res_change_series series;
	struct res_change_analysis analysis;
};

/* Makes n values around 100 with a CV of 3 %, from `at` on times `factor`. */
static void make(struct made *made, size_t n, size_t at, double factor)
{
	struct pl_nplegacy rng;

	*made = (struct made){ 0 };
	pl_nplegacy_seed(&rng, 7);
	for (size_t i = 0; i < n; i++) {
		snprintf(made->ids[i], ID_BYTES, "%03zu", i);
		made->points[i] = (struct res_change_point){
			.at = (int64_t)i * 10,
			.id = made->ids[i],
			.value = 100 * (1 + 0.03 * pl_nplegacy_gauss(&rng)) *
				 (i >= at ? factor : 1),
		};
	}
	made->series = (struct res_change_series){ .key = "series",
						   .points = made->points,
						   .count = n,
						   .decisions = made->decisions,
						   .direction = RES_FIELD_LOWER,
						   .scale = RES_SCALE_LOG,
						   .effect_min = 0.05 };
}

static void analyze(struct made *made)
{
	res_change_analyze(&made->series, &res_change_defaults, &made->analysis);
	res_change_family(&made->analysis, 1, &res_change_defaults);
}

static bool has_reason(const struct made *made, const char *text)
{
	PL_JSON_EACH(reason, made->analysis.reasons) {
		if (strstr(json_string_value(reason), text) != NULL)
			return true;
	}
	return false;
}

static void assert_state(struct made *made, enum res_change_state state, const char *reason)
{
	analyze(made);
	if (made->analysis.state != state)
		fail_msg("found %s", res_change_state_name(made->analysis.state));
	if (reason != NULL && !has_reason(made, reason)) {
		PL_JSON_EACH(line, made->analysis.reasons)
			print_error("%s\n", json_string_value(line));
		fail_msg("no reason '%s'", reason);
	}
	auto_json json_t *answer = res_change_json(&made->analysis, &res_change_defaults);
	assert_non_null(answer);
	res_change_analysis_done(&made->analysis);
}

static void test_result_change_change__short_or_odd_series_have_no_verdict(void **state)
{
	static struct made made;

	(void)state;
	make(&made, 0, 0, 1);
	assert_state(&made, RES_CHANGE_INSUFFICIENT, "10 more points are needed");
	make(&made, 7, 7, 1);
	assert_state(&made, RES_CHANGE_INSUFFICIENT, "3 more points are needed");
	make(&made, 30, 30, 1);
	for (size_t i = 0; i < 30; i++)
		made.points[i].value = 5;
	assert_state(&made, RES_CHANGE_INSUFFICIENT, "all values are equal");
	for (size_t i = 0; i < 30; i++)
		made.points[i].value = NAN;
	assert_state(&made, RES_CHANGE_INSUFFICIENT, "30 of 30 points have no value");
	make(&made, 30, 30, 1);
	made.points[3].value = 0;
	made.points[4].value = -1;
	assert_state(&made, RES_CHANGE_NOT_COMPARABLE, "2 of 30 values are not above 0");
	made.series.scale = RES_SCALE_LOGIT;
	assert_state(&made, RES_CHANGE_NOT_COMPARABLE, "not between 0 and 1");
	make(&made, 30, 30, 1);
	for (size_t i = 0; i < 30; i++)
		made.points[i].hardware = i % 2 + 1;
	assert_state(&made, RES_CHANGE_NOT_COMPARABLE, "the hardware changes 29 times");
	make(&made, 30, 30, 1);
	assert_state(&made, RES_CHANGE_STABLE, "no change");
}

static void test_result_change_change__the_direction_decides(void **state)
{
	static struct made made;
	static const struct {
		enum res_field_direction direction;
		double factor;
		enum res_change_state wanted;
	} rows[] = {
		{ RES_FIELD_LOWER, 1.2, RES_CHANGE_REGRESSION },
		{ RES_FIELD_LOWER, 0.8, RES_CHANGE_IMPROVEMENT },
		{ RES_FIELD_HIGHER, 1.2, RES_CHANGE_IMPROVEMENT },
		{ RES_FIELD_HIGHER, 0.8, RES_CHANGE_REGRESSION },
		{ RES_FIELD_NEITHER, 0.8, RES_CHANGE_SHIFTED },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++) {
		make(&made, 60, 40, rows[i].factor);
		made.series.direction = rows[i].direction;
		assert_state(&made, rows[i].wanted, "Mann-Whitney p = ");
	}
}

static void test_result_change_change__a_difference_below_the_minimum_is_stable(void **state)
{
	static struct made made;

	(void)state;
	make(&made, 60, 30, 1.1);
	made.series.effect_min = 0.15;
	assert_state(&made, RES_CHANGE_STABLE, NULL);
	made.series.effect_min = 0.05;
	assert_state(&made, RES_CHANGE_REGRESSION, "% higher (95 % interval: ");
}

static void test_result_change_change__more_variation_is_noisier_not_slower(void **state)
{
	static struct made made;

	(void)state;
	make(&made, 80, 80, 1);
	for (size_t i = 40; i < 80; i++)
		made.points[i].value = 100 * pow(made.points[i].value / 100, 8);
	assert_state(&made, RES_CHANGE_NOISIER, "spread ");
}

static void test_result_change_change__fresh_changes_are_suspect(void **state)
{
	static struct made made;

	(void)state;
	make(&made, 45, 40, 1.2);
	assert_state(&made, RES_CHANGE_SUSPECT, NULL);
	for (size_t i = 0; i < 45; i++)
		made.points[i].version = i < 42 ? 1 : 2;
	analyze(&made);
	assert_false(made.analysis.tail.is_tested);
	assert_int_equal(made.analysis.tail.missing, 2);
	assert_true(has_reason(&made, "2 more points of the newest version are needed"));
	res_change_analysis_done(&made.analysis);
}

static void test_result_change_change__decisions_count_at_their_place(void **state)
{
	static struct made made;

	(void)state;
	make(&made, 90, 30, 1.2);
	for (size_t i = 60; i < 90; i++)
		made.points[i].value *= 1.2;
	made.decisions[0] = (struct res_change_decision){ 300, RES_DECISION_WRONG };
	made.series.decision_count = 1;
	analyze(&made);
	assert_int_equal(made.analysis.change_count, 2);
	assert_int_equal(made.analysis.changes[0].state, RES_CHANGE_STABLE);
	assert_int_equal(made.analysis.changes[0].decision, RES_DECISION_WRONG);
	assert_int_equal(made.analysis.changes[1].state, RES_CHANGE_REGRESSION);
	assert_int_equal(made.analysis.changes[1].decision, RES_DECISION_NONE);
	res_change_analysis_done(&made.analysis);

	/* an expected change cuts the history: nothing before it is analyzed */
	made.decisions[1] = (struct res_change_decision){ 600, RES_DECISION_EXPECTED };
	made.series.decision_count = 2;
	analyze(&made);
	assert_int_equal(made.analysis.state, RES_CHANGE_STABLE);
	assert_int_equal(made.analysis.change_count, 0);
	assert_int_equal(made.analysis.since, 60);
	assert_int_equal(made.analysis.current.count, 30);
	res_change_analysis_done(&made.analysis);

	made.decisions[1].kind = RES_DECISION_ACKNOWLEDGED;
	assert_state(&made, RES_CHANGE_REGRESSION, "decision: acknowledged");
}

static void test_result_change_change__another_host_is_not_comparable(void **state)
{
	static struct made made;

	(void)state;
	make(&made, 60, 30, 1.2);
	for (size_t i = 0; i < 60; i++)
		made.points[i].host = i < 30 ? 1 : 2;
	assert_state(&made, RES_CHANGE_NOT_COMPARABLE, "no host measured both before and after");
	made.points[10].host = 2;
	assert_state(&made, RES_CHANGE_REGRESSION, NULL);
}

static void test_result_change_change__gaps_keep_their_positions(void **state)
{
	static struct made made;

	(void)state;
	make(&made, 70, 40, 1.25);
	for (size_t i = 0; i < 20; i += 4)
		made.points[i].value = NAN;
	analyze(&made);
	assert_int_equal(made.analysis.gaps, 5);
	assert_int_equal(made.analysis.value_count, 65);
	assert_int_equal(made.analysis.change_count, 1);
	assert_in_range(made.analysis.changes[0].index, 38, 42);
	res_change_analysis_done(&made.analysis);
}

static void test_result_change_change__the_order_of_points_does_not_matter(void **state)
{
	static struct made made, other;

	(void)state;
	make(&made, 60, 33, 1.15);
	make(&other, 60, 33, 1.15);
	for (size_t i = 0; i < 30; i++) {
		struct res_change_point swapped = other.points[i];
		other.points[i] = other.points[59 - i];
		other.points[59 - i] = swapped;
	}
	analyze(&made);
	analyze(&other);
	auto_json json_t *a = res_change_json(&made.analysis, &res_change_defaults);
	auto_json json_t *b = res_change_json(&other.analysis, &res_change_defaults);
	auto_free char *first = pl_json_to_text(a, PL_JSON_COMPACT);
	auto_free char *second = pl_json_to_text(b, PL_JSON_COMPACT);
	assert_string_equal(first, second);
	res_change_analysis_done(&made.analysis);
	res_change_analysis_done(&other.analysis);
}

static void test_result_change_change__few_points_cannot_show_a_small_change(void **state)
{
	const struct res_change_options *options = &res_change_defaults;

	(void)state;
	assert_true(isnan(res_change_points_needed(RES_SCALE_LOG, 0.05, 10, 0.05, options)));
	assert_true(isnan(res_change_points_needed(RES_SCALE_LOG, 0.05, 4, 0.5, options)));
	double small = res_change_points_needed(RES_SCALE_LOG, 0.05, 60, 0.05, options);
	double large = res_change_points_needed(RES_SCALE_LOG, 0.05, 60, 0.2, options);
	assert_true(small > 20 && large < small && large >= 7);
}

static void test_result_change_change__tails_have_larger_minimum_effects(void **state)
{
	static const struct {
		struct res_field field;
		double wanted;
	} rows[] = {
		{ { .id = "results.output_throughput", .direction = RES_FIELD_HIGHER }, 0.03 },
		{ { .id = "results.median_ttft_ms", .direction = RES_FIELD_LOWER }, 0.05 },
		{ { .id = "results.p50_ttft_ms", .direction = RES_FIELD_LOWER }, 0.05 },
		{ { .id = "results.peak_memory", .direction = RES_FIELD_LOWER }, 0.05 },
		{ { .id = "results.p95_ttft_ms", .direction = RES_FIELD_LOWER }, 0.08 },
		{ { .id = "results.p99_itl_ms", .direction = RES_FIELD_LOWER }, 0.15 },
		{ { .id = "results.p99.9_itl_ms", .direction = RES_FIELD_LOWER }, 0.15 },
		{ { .id = "results.std_itl_ms", .direction = RES_FIELD_LOWER }, 0.15 },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++)
		assert_true(res_change_effect_default(&rows[i].field) == rows[i].wanted);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_result_change_change__short_or_odd_series_have_no_verdict),
		cmocka_unit_test(test_result_change_change__the_direction_decides),
		cmocka_unit_test(
			test_result_change_change__a_difference_below_the_minimum_is_stable),
		cmocka_unit_test(test_result_change_change__more_variation_is_noisier_not_slower),
		cmocka_unit_test(test_result_change_change__fresh_changes_are_suspect),
		cmocka_unit_test(test_result_change_change__decisions_count_at_their_place),
		cmocka_unit_test(test_result_change_change__another_host_is_not_comparable),
		cmocka_unit_test(test_result_change_change__gaps_keep_their_positions),
		cmocka_unit_test(test_result_change_change__the_order_of_points_does_not_matter),
		cmocka_unit_test(test_result_change_change__few_points_cannot_show_a_small_change),
		cmocka_unit_test(test_result_change_change__tails_have_larger_minimum_effects),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
