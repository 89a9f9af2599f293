#include "mirror/dictionary.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static const struct mirror_cell missing = { .state = RES_VALUE_NOT_RECORDED, .is_explicit = true };

static struct mirror_cell null_cell(bool is_explicit)
{
	return (struct mirror_cell){ .state = RES_VALUE_NULL, .is_explicit = is_explicit };
}

static struct mirror_cell number_cell(double number, bool is_explicit)
{
	return (struct mirror_cell){ .state = RES_VALUE_PRESENT,
				     .kind = RES_VALUE_NUMBER,
				     .is_explicit = is_explicit,
				     .number = number };
}

static struct mirror_cell text_cell(enum res_value_kind kind, const char *text)
{
	return (struct mirror_cell){ .state = RES_VALUE_PRESENT,
				     .kind = (unsigned char)kind,
				     .text = text };
}

static uint32_t code_of(struct dictionary *values, struct mirror_cell cell)
{
	return mirror_dictionary_code(values, &cell);
}

static void test_mirror_dictionary__each_value_has_one_code(void **state)
{
	struct dictionary values;
	char text[32];

	(void)state;
	mirror_dictionary_init(&values, RES_FIELD_TEXT);
	assert_int_equal(code_of(&values, missing), DICTIONARY_MISSING);
	assert_int_equal(code_of(&values, null_cell(false)), DICTIONARY_NULL);
	uint32_t set = code_of(&values, null_cell(true));
	assert_true(set > DICTIONARY_NULL);
	assert_int_equal(dictionary_value(&values, set)->same, DICTIONARY_NULL);
	for (int round = 0; round < 2; round++) {
		for (uint32_t i = 0; i < 3000; i++) {
			snprintf(text, sizeof(text), "text %u", (unsigned)i);
			uint32_t code = code_of(&values, text_cell(RES_VALUE_TEXT, text));
			assert_int_equal(code, set + 1 + i);
			assert_string_equal(dictionary_value(&values, code)->text, text);
		}
	}
	/* equal texts of different kinds are different values */
	uint32_t json = code_of(&values, text_cell(RES_VALUE_JSON, "text 5"));
	assert_int_equal(json, set + 3001);
	assert_int_equal(dictionary_value(&values, json)->class, MIRROR_JSON);
	assert_int_equal(values.count, set + 3002);
	assert_int_equal(values.classes, 1u << MIRROR_MISSING | 1u << MIRROR_NULL |
						 1u << MIRROR_TEXT | 1u << MIRROR_JSON);
	mirror_dictionary_done(&values);
}

static void test_mirror_dictionary__set_and_not_set_are_twins(void **state)
{
	struct dictionary values;

	(void)state;
	mirror_dictionary_init(&values, RES_FIELD_NUMBER);
	uint32_t set = code_of(&values, number_cell(0.0, true));
	uint32_t plain = code_of(&values, number_cell(-0.0, false));
	assert_int_not_equal(set, plain);
	assert_int_equal(code_of(&values, number_cell(-0.0, true)), set);
	assert_int_equal(code_of(&values, number_cell(0.0, false)), plain);
	assert_int_equal(dictionary_value(&values, set)->same, set);
	assert_int_equal(dictionary_value(&values, plain)->same, set);
	assert_true(dictionary_value(&values, set)->is_explicit);
	assert_false(dictionary_value(&values, plain)->is_explicit);
	assert_false(signbit(dictionary_value(&values, plain)->number));
	mirror_dictionary_done(&values);
}

static void test_mirror_dictionary__many_numbers_are_stored_separately(void **state)
{
	struct dictionary values;

	(void)state;
	mirror_dictionary_init(&values, RES_FIELD_NUMBER);
	for (int i = 0; i < DICTIONARY_NUMBERS_MAX; i++)
		assert_false(dictionary_value(&values, code_of(&values, number_cell(i, false)))
				     ->is_elsewhere);
	uint32_t others = code_of(&values, number_cell(-1, false));
	uint32_t set_others = code_of(&values, number_cell(INFINITY, true));
	assert_true(dictionary_value(&values, others)->is_elsewhere);
	assert_true(dictionary_value(&values, set_others)->is_explicit);
	assert_int_equal(code_of(&values, number_cell(-2, false)), others);
	assert_int_equal(code_of(&values, number_cell(1e9, true)), set_others);
	/* what has a code keeps it, set or not */
	assert_int_equal(code_of(&values, number_cell(5, false)), 2 + 5);
	uint32_t set = code_of(&values, number_cell(5, true));
	assert_int_equal(dictionary_value(&values, set)->same, 2 + 5);
	assert_false(dictionary_value(&values, set)->is_elsewhere);
	assert_int_equal(values.count, 2 + DICTIONARY_NUMBERS_MAX + 3);
	mirror_dictionary_done(&values);
	mirror_dictionary_init(&values, RES_FIELD_NUMBER);
	mirror_dictionary_refuse_numbers(&values);
	assert_true(
		dictionary_value(&values, code_of(&values, number_cell(5, false)))->is_elsewhere);
	assert_int_equal(values.count, 3);
	mirror_dictionary_done(&values);
}

static void test_mirror_dictionary__a_value_becomes_the_same_cell(void **state)
{
	const struct mirror_cell cells[] = {
		{ .state = RES_VALUE_NOT_RECORDED },
		null_cell(true),
		number_cell(2.5, true),
		{ .state = RES_VALUE_PRESENT, .kind = RES_VALUE_YES, .number = 1 },
		{ .state = RES_VALUE_PRESENT, .kind = RES_VALUE_YES, .number = 0 },
		text_cell(RES_VALUE_TEXT, "a"),
		text_cell(RES_VALUE_JSON, "[1]"),
	};
	struct dictionary values;

	(void)state;
	mirror_dictionary_init(&values, RES_FIELD_JSON);
	for (size_t i = 0; i < PL_ARRAY_SIZE(cells); i++) {
		struct mirror_cell cell = mirror_dictionary_cell(
			dictionary_value(&values, code_of(&values, cells[i])));
		assert_int_equal(cell.state, cells[i].state);
		assert_int_equal(cell.is_explicit, cells[i].is_explicit);
		if (cell.state != RES_VALUE_PRESENT)
			continue;
		assert_int_equal(cell.kind, cells[i].kind);
		assert_true(cell.number >= cells[i].number && cell.number <= cells[i].number);
		if (cells[i].text != NULL)
			assert_string_equal(cell.text, cells[i].text);
	}
	mirror_dictionary_done(&values);
}

static void test_mirror_dictionary__equal_json_has_one_code(void **state)
{
	struct dictionary values;

	(void)state;
	mirror_dictionary_init(&values, RES_FIELD_JSON);
	uint32_t code = code_of(&values, text_cell(RES_VALUE_JSON, "{\"a\":0.0}"));
	const struct mirror_cell equal = text_cell(RES_VALUE_JSON, "{\"a\":0}");
	const struct mirror_cell other = text_cell(RES_VALUE_JSON, "{\"a\":0.5}");
	assert_string_equal(dictionary_value(&values, code)->text, "{\"a\":0}");
	assert_int_equal(code_of(&values, equal), code);
	assert_int_equal(mirror_dictionary_code_by_hint(&values, &equal, code), code);
	assert_int_equal(code_of(&values, text_cell(RES_VALUE_JSON, "{\"a\":-0.0}")), code);
	assert_int_not_equal(code_of(&values, other), code);
	assert_int_not_equal(code_of(&values, text_cell(RES_VALUE_TEXT, "{\"a\":0}")), code);
	mirror_dictionary_done(&values);
}

static void test_mirror_dictionary__knows_times(void **state)
{
	struct dictionary values;

	(void)state;
	mirror_dictionary_init(&values, RES_FIELD_TIME);
	uint32_t code = code_of(&values, text_cell(RES_VALUE_TEXT, "1970-01-01T00:00:01Z"));
	assert_true(dictionary_value(&values, code)->is_time);
	assert_int_equal(dictionary_value(&values, code)->time_us, 1000000);
	assert_false(values.has_odd_times);
	code = code_of(&values, text_cell(RES_VALUE_TEXT, "yesterday"));
	assert_false(dictionary_value(&values, code)->is_time);
	assert_true(values.has_odd_times);
	mirror_dictionary_done(&values);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_mirror_dictionary__each_value_has_one_code),
		cmocka_unit_test(test_mirror_dictionary__set_and_not_set_are_twins),
		cmocka_unit_test(test_mirror_dictionary__many_numbers_are_stored_separately),
		cmocka_unit_test(test_mirror_dictionary__a_value_becomes_the_same_cell),
		cmocka_unit_test(test_mirror_dictionary__equal_json_has_one_code),
		cmocka_unit_test(test_mirror_dictionary__knows_times),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
