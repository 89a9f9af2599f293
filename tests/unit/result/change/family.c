#include "result/change/change.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/rng.h"

enum { SERIES = 300, POINTS = 60, KEY_BYTES = 32 };

struct family {
	struct res_change_point points[SERIES][POINTS];
	char keys[SERIES][KEY_BYTES];
	struct res_change_series series[SERIES];
	struct res_change_analysis analyses[SERIES];
};

/* Makes unchanged series, except that the first `changed` have a step in the middle. */
static struct family *make(size_t changed)
{
	struct family *family = pl_alloc(sizeof(*family));
	struct pl_nplegacy rng;

	pl_nplegacy_seed(&rng, 1);
	for (size_t i = 0; i < SERIES; i++) {
		snprintf(family->keys[i], KEY_BYTES, "series-%zu", i);
		for (size_t j = 0; j < POINTS; j++) {
			double factor = i < changed && j >= POINTS / 2 ? 1.3 : 1;

			family->points[i][j] = (struct res_change_point){
				.at = (int64_t)j,
				.id = "",
				.value = factor * (100 + 5 * pl_nplegacy_gauss(&rng)),
			};
		}
		family->series[i] = (struct res_change_series){ .key = family->keys[i],
								.points = family->points[i],
								.count = POINTS,
								.direction = RES_FIELD_LOWER,
								.scale = RES_SCALE_LOG,
								.effect_min = 0.05 };
		res_change_analyze(&family->series[i], &res_change_defaults, &family->analyses[i]);
	}
	res_change_family(family->analyses, SERIES, &res_change_defaults);
	return family;
}

static void family_free(struct family *family)
{
	for (size_t i = 0; i < SERIES; i++)
		res_change_analysis_done(&family->analyses[i]);
	free(family);
}

static size_t count_regressions(const struct family *family)
{
	size_t count = 0;

	for (size_t i = 0; i < SERIES; i++)
		count += family->analyses[i].state == RES_CHANGE_REGRESSION;
	return count;
}

/* 999 orders show p = 0.001 at best, and one of 300 tests needs 0.05/300. */
static void test_result_change_family__one_change_of_many_series_is_found(void **state)
{
	struct family *family = make(1);
	const struct res_change_analysis *changed = &family->analyses[0];

	(void)state;
	assert_int_equal(changed->state, RES_CHANGE_REGRESSION);
	assert_int_equal(changed->change_count, 1);
	assert_true(changed->changes[0].permutations > 999);
	assert_true(changed->changes[0].p < 0.05 / SERIES);
	assert_true(changed->changes[0].q <= 0.05);
	assert_int_equal(count_regressions(family), 1);
	family_free(family);
}

static void test_result_change_family__many_changes_need_no_more_orders(void **state)
{
	struct family *family = make(SERIES / 2);

	(void)state;
	for (size_t i = 0; i < SERIES / 2; i++) {
		for (size_t j = 0; j < family->analyses[i].change_count; j++)
			assert_int_equal(family->analyses[i].changes[j].permutations, 999);
	}
	assert_in_range(count_regressions(family), SERIES / 2 - 5, SERIES / 2);
	family_free(family);
}

/* Without the others, some of these have a change at 1 %; together, none is significant. */
static void test_result_change_family__chance_among_many_series_is_no_change(void **state)
{
	struct family *family = make(0);
	size_t candidates = 0;

	(void)state;
	for (size_t i = 0; i < SERIES; i++) {
		candidates += family->analyses[i].change_count > 0;
		assert_int_equal(family->analyses[i].state, RES_CHANGE_STABLE);
	}
	assert_in_range(candidates, 1, SERIES / 20);
	family_free(family);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_result_change_family__one_change_of_many_series_is_found),
		cmocka_unit_test(test_result_change_family__many_changes_need_no_more_orders),
		cmocka_unit_test(test_result_change_family__chance_among_many_series_is_no_change),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
