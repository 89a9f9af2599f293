#include "result/match/nearest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/rng.h"

struct list {
	json_t *holder;
	const json_t **items;
	size_t count;
};

static void list_done(struct list *list)
{
	json_decref(list->holder);
	free(list->items);
}
#define auto_list __attribute__((cleanup(list_done))) struct list

static size_t pick(struct pl_nplegacy *rng, size_t count)
{
	return (size_t)(pl_nplegacy_double(rng) * (double)count);
}

/* `count` configurations with `inputs` inputs of `values` values each; value 0 is missing or null. */
static struct list random_list(struct pl_nplegacy *rng, size_t count, size_t inputs, size_t values)
{
	struct list list = { .holder = json_array(),
			     .items = pl_alloc_array(count + 1, sizeof(*list.items)),
			     .count = count };

	for (size_t i = 0; i < count; i++) {
		json_t *item = json_object();
		for (size_t k = 0; k < inputs; k++) {
			size_t value = pick(rng, values);
			char id[] = { 'a', (char)('a' + k % 26), (char)('a' + k / 26), '\0' };
			if (value > 0)
				json_object_set_new(item, id,
						    k % 2 == 0 ? json_integer((json_int_t)value)
							       : json_sprintf("v%zu", value));
			else if (pick(rng, 2) == 0)
				json_object_set_new(item, id, json_null());
		}
		json_object_set_new(item, "same", json_string("for all"));
		json_array_append_new(list.holder, item);
		list.items[i] = item;
	}
	return list;
}

static bool is_null(const json_t *value)
{
	return value == NULL || json_is_null(value);
}

static size_t distance_of(const json_t *one, const json_t *other)
{
	size_t count = 0;

	PL_JSON_EACH_MEMBER(id, value, one) {
		const json_t *second = json_object_get(other, id);
		count += is_null(value) ? !is_null(second) : !json_equal(value, second);
	}
	PL_JSON_EACH_MEMBER(id, value, other)
		count += !is_null(value) && json_object_get(one, id) == NULL;
	return count;
}

/* Compares each with each. */
static size_t nearest_of(const json_t *cell, const struct list *others)
{
	size_t nearest = SIZE_MAX, fewest = SIZE_MAX;

	for (size_t i = 0; i < others->count; i++) {
		size_t distance = distance_of(cell, others->items[i]);
		if (distance < fewest) {
			fewest = distance;
			nearest = i;
		}
	}
	return nearest;
}

static void test_result_match_nearest__equals_each_compared_with_each(void **state)
{
	static const struct {
		size_t inputs, values;
	} cases[] = { { 0, 2 }, { 1, 5 }, { 3, 2 }, { 3, 20 }, { 6, 4 }, { 10, 3 }, { 10, 1000 } };
	struct pl_nplegacy rng;

	(void)state;
	pl_nplegacy_seed(&rng, 5);
	for (size_t c = 0; c < PL_ARRAY_SIZE(cases); c++) {
		for (size_t play = 0; play < 20; play++) {
			auto_list cells = random_list(&rng, 1 + pick(&rng, 20), cases[c].inputs,
						      cases[c].values);
			auto_list others = random_list(&rng, pick(&rng, 30), cases[c].inputs,
						       cases[c].values);
			auto_free size_t *found = res_match_nearest(
				cells.items, cells.count, others.items, others.count, NULL);
			for (size_t i = 0; i < cells.count; i++)
				assert_int_equal(found[i], nearest_of(cells.items[i], &others));
		}
	}
}

/* Other configurations of which each differs from one of the cells in `far` inputs of 30, and more from all others. */
static void test_result_match_nearest__finds_two_of_many_inputs(void **state)
{
	struct pl_nplegacy rng;

	(void)state;
	pl_nplegacy_seed(&rng, 6);
	for (size_t far = 0; far <= 2; far++) {
		auto_list cells = random_list(&rng, 40, 30, 6);
		auto_list others = { .holder = json_deep_copy(cells.holder),
				     .items = pl_alloc_array(40, sizeof(json_t *)),
				     .count = 40 };
		for (size_t i = 0; i < others.count; i++) {
			json_t *other = json_array_get(others.holder, i);
			others.items[i] = other;
			for (size_t k = 0; k < far; k++)
				json_object_set_new(other, k == 0 ? "aba" : "afa",
						    json_string("another"));
		}
		auto_free size_t *found = res_match_nearest(cells.items, cells.count, others.items,
							    others.count, NULL);
		for (size_t i = 0; i < cells.count; i++)
			assert_int_equal(found[i], i);
	}
}

/* Whatever the distance: near ones, and those that only a sample decides. */
static void test_result_match_nearest__work_grows_with_the_lists(void **state)
{
	static const struct {
		size_t inputs, values;
	} cases[] = { { 4, 50 }, { 8, 3 }, { 30, 100 } };

	(void)state;
	for (size_t c = 0; c < PL_ARRAY_SIZE(cases); c++) {
		size_t work[2] = { 0 };
		for (size_t twice = 0; twice < 2; twice++) {
			struct pl_nplegacy rng;
			pl_nplegacy_seed(&rng, 7);
			size_t count = 200 << twice;
			auto_list cells = random_list(&rng, count, cases[c].inputs,
						      cases[c].values);
			auto_list others = random_list(&rng, count, cases[c].inputs,
						       cases[c].values);
			free(res_match_nearest(cells.items, count, others.items, count,
					       &work[twice]));
			assert_true(work[twice] <=
				    2 * count * (RES_NEAREST_SETS_MAX + RES_NEAREST_SAMPLE));
		}
		assert_true(work[0] > 0 && work[1] <= 2 * work[0] + work[0] / 10);
	}
}

static void test_result_match_nearest__empty_lists(void **state)
{
	struct pl_nplegacy rng;

	(void)state;
	pl_nplegacy_seed(&rng, 8);
	auto_list one = random_list(&rng, 1, 3, 3);
	auto_free size_t *none = res_match_nearest(one.items, 1, NULL, 0, NULL);
	assert_true(none[0] == SIZE_MAX);
	free(res_match_nearest(NULL, 0, one.items, 1, NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_result_match_nearest__equals_each_compared_with_each),
		cmocka_unit_test(test_result_match_nearest__finds_two_of_many_inputs),
		cmocka_unit_test(test_result_match_nearest__work_grows_with_the_lists),
		cmocka_unit_test(test_result_match_nearest__empty_lists),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
