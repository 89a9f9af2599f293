/*
 * A history of known truth: 40 configurations with 6 metrics and 120 runs each. Two causes slow two groups down, in two
 * metrics each; one group moves to another driver, one has a host with more noise, and values are missing everywhere.
 */
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

enum {
	CONFIGURATIONS = 40,
	METRICS = 6,
	RUNS = 120,
	SERIES = CONFIGURATIONS * METRICS,
	KEY_BYTES = 32
};
enum { FIRST_AT = 50, SECOND_AT = 90, DRIVER_AT = 70, GROUP = 5, DRIVERS = 20, NOISY = 30 };
enum field { COMMIT, BACKEND, CACHE, HOST, FIELDS };

struct step {
	size_t configuration; /* the first of a group of GROUP */
	size_t metric;
	size_t at;
	double factor;
};
static const struct step steps[] = {
	{ 0, 0, FIRST_AT, 0.9 },   /* throughput */
	{ 0, 3, FIRST_AT, 1.12 },  /* a latency */
	{ 10, 1, SECOND_AT, 0.8 }, /* throughput */
	{ 10, 5, SECOND_AT, 1.15 },
};

struct history {
	struct res_change_point points[SERIES][RUNS];
	uint32_t fields[CONFIGURATIONS][RUNS][FIELDS];
	char keys[SERIES][KEY_BYTES];
	struct res_change_series series[SERIES];
	struct res_change_analysis analyses[SERIES];
};

static const struct step *step_of(size_t configuration, size_t metric)
{
	for (size_t i = 0; i < PL_ARRAY_SIZE(steps); i++) {
		if (metric == steps[i].metric && configuration >= steps[i].configuration &&
		    configuration < steps[i].configuration + GROUP)
			return &steps[i];
	}
	return NULL;
}

static bool is_in(size_t configuration, size_t group)
{
	return configuration >= group && configuration < group + GROUP;
}

static void set_fields(struct history *history, size_t configuration, size_t run)
{
	uint32_t *fields = history->fields[configuration][run];

	fields[COMMIT] = (uint32_t)(run / 10 + 1);
	fields[BACKEND] = is_in(configuration, 0) && run >= FIRST_AT ? 2 : 1;
	fields[CACHE] = is_in(configuration, 10) && run >= SECOND_AT ? 2 : 1;
	fields[HOST] = (uint32_t)(run * 7 % 3 + 1);
}

static void make_history(struct history *history)
{
	struct pl_nplegacy rng;

	pl_nplegacy_seed(&rng, 38);
	for (size_t i = 0; i < SERIES; i++) {
		size_t configuration = i / METRICS, metric = i % METRICS;
		const struct step *step = step_of(configuration, metric);

		snprintf(history->keys[i], KEY_BYTES, "%zu/%zu", configuration, metric);
		for (size_t run = 0; run < RUNS; run++) {
			bool is_noisy = is_in(configuration, NOISY) && run % 3 == 1;
			double x = 100 * (1 + (is_noisy ? 0.09 : 0.03) * pl_nplegacy_gauss(&rng));
			bool is_driver = is_in(configuration, DRIVERS) && run >= DRIVER_AT;

			set_fields(history, configuration, run);
			x *= step != NULL && run >= step->at ? step->factor : 1;
			x *= is_driver ? 1.15 : 1;
			history->points[i][run] = (struct res_change_point){
				.at = (int64_t)run * 1000,
				.id = "",
				.value = pl_nplegacy_double(&rng) < 0.03 ? NAN : x,
				.hardware = is_driver ? 2 : 1,
				.host = history->fields[configuration][run][HOST],
				.version = history->fields[configuration][run][COMMIT],
				.fields = history->fields[configuration][run],
			};
		}
		history->series[i] = (struct res_change_series){
			.key = history->keys[i],
			.points = history->points[i],
			.count = RUNS,
			.direction = metric < 3 ? RES_FIELD_HIGHER : RES_FIELD_LOWER,
			.scale = RES_SCALE_LOG,
			.effect_min = metric < 3 ? 0.03 : 0.05,
		};
	}
}

static int set_up(void **state)
{
	struct history *history = pl_alloc(sizeof(*history));

	make_history(history);
	for (size_t i = 0; i < SERIES; i++)
		res_change_analyze(&history->series[i], &res_change_defaults,
				   &history->analyses[i]);
	res_change_family(history->analyses, SERIES, &res_change_defaults);
	*state = history;
	return 0;
}

static int tear_down(void **state)
{
	struct history *history = *state;

	for (size_t i = 0; i < SERIES; i++)
		res_change_analysis_done(&history->analyses[i]);
	free(history);
	return 0;
}

static void test_result_change_history__steps_are_found_and_nothing_else(void **state)
{
	struct history *history = *state;

	for (size_t i = 0; i < SERIES; i++) {
		const struct res_change_analysis *analysis = &history->analyses[i];
		const struct step *step = step_of(i / METRICS, i % METRICS);
		size_t found = 0;

		for (size_t j = 0; j < analysis->change_count; j++) {
			const struct res_change *change = &analysis->changes[j];

			if (change->state == RES_CHANGE_STABLE ||
			    change->state == RES_CHANGE_SUSPECT)
				continue;
			found++;
			if (step == NULL)
				fail_msg("%s: %s at %zu", history->keys[i],
					 res_change_state_name(change->state), change->index);
			assert_int_equal(change->state, RES_CHANGE_REGRESSION);
			assert_in_range(change->index, step->at - 2, step->at + 2);
			assert_true(change->low <= change->index && change->index <= change->high);
			assert_true(change->interval.low <= change->ratio &&
				    change->ratio <= change->interval.high);
			assert_true(fabs(change->ratio - step->factor) < 0.04);
			assert_true(change->q <= 0.05);
		}
		assert_int_equal(found, step != NULL);
		assert_int_equal(analysis->state == RES_CHANGE_REGRESSION, step != NULL);
	}
}

static void test_result_change_history__a_driver_is_marked_and_not_blamed(void **state)
{
	struct history *history = *state;

	for (size_t i = 0; i < SERIES; i++) {
		const struct res_change_analysis *analysis = &history->analyses[i];
		bool is_moved = is_in(i / METRICS, DRIVERS);

		assert_int_equal(analysis->marker_count, is_moved);
		if (is_moved) {
			/* the first value there: some are missing */
			assert_in_range(analysis->markers[0], DRIVER_AT, DRIVER_AT + 3);
			assert_int_equal(analysis->since, analysis->markers[0]);
		}
	}
}

static void test_result_change_history__groups_with_one_cause_are_one_incident(void **state)
{
	struct history *history = *state;
	struct res_incident *incidents;
	struct res_cause causes[FIELDS];
	size_t count;

	res_change_incidents(history->analyses, SERIES, res_change_defaults.drift, &incidents,
			     &count);
	assert_int_equal(count, 2);
	for (size_t i = 0; i < count; i++) {
		size_t at = i == 0 ? FIRST_AT : SECOND_AT;

		assert_int_equal(incidents[i].count, 2 * GROUP);
		/* after the last run without it, at or before the first run with it */
		assert_true(incidents[i].from < incidents[i].to);
		assert_in_range(incidents[i].to, (at - 2) * 1000, (at + 2) * 1000);
		size_t cause_count = res_change_causes(history->analyses, SERIES, &incidents[i],
						       FIELDS, causes);
		assert_true(cause_count > 0);
		assert_int_equal(causes[0].field, i == 0 ? BACKEND : CACHE);
		assert_int_equal(causes[0].affected, 2 * GROUP);
		assert_true(causes[0].score > 0.8);
	}
	res_incidents_free(incidents, count);
}

static void test_result_change_history__reasons_have_numbers(void **state)
{
	struct history *history = *state;
	const struct res_change_analysis *analysis = &history->analyses[0];
	auto_json json_t *answer = res_change_json(analysis, &res_change_defaults);
	const json_t *reasons = json_object_get(answer, "reasons");
	bool has_size = false;

	assert_string_equal(json_string_value(json_object_get(answer, "state")), "regression");
	PL_JSON_EACH(reason, reasons)
		has_size |= strstr(json_string_value(reason), "% lower (95 % interval: ") != NULL;
	assert_true(has_size);
	assert_true(json_array_size(reasons) >= 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_result_change_history__steps_are_found_and_nothing_else),
		cmocka_unit_test(test_result_change_history__a_driver_is_marked_and_not_blamed),
		cmocka_unit_test(
			test_result_change_history__groups_with_one_cause_are_one_incident),
		cmocka_unit_test(test_result_change_history__reasons_have_numbers),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
