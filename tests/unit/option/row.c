#include "option/row.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/text.h"

#define NO_BOUNDS .min = -INFINITY, .max = INFINITY

static void a_row_is_described(void **state)
{
	static const struct {
		struct option_row row;
		const char *text;
	} cases[] = {
		{ { .type = OPTION_ANY }, "any value" },
		{ { .type = OPTION_BOOL, .nullable = true }, "true or false, or null" },
		{ { .type = OPTION_INT, .min = 1, .max = INFINITY }, "an integer of at least 1" },
		{ { .type = OPTION_INT, .min = 1, .max = 8 }, "an integer from 1 to 8" },
		{ { .type = OPTION_FLOAT, .min = 0, .max = 1, .exclusive = "min" },
		  "a number above 0 and at most 1" },
		{ { .type = OPTION_FLOAT, .min = -INFINITY, .max = 1, .exclusive = "max" },
		  "a number below 1" },
		{ { .type = OPTION_DURATION, .min = 1e6, .max = INFINITY },
		  "a duration such as 30s or 100ms of at least 1ms" },
		{ { .type = OPTION_ENUM, .choices = "[\"a\", \"b\", \"\"]", NO_BOUNDS },
		  "a, b or \"\"" },
		{ { .type = OPTION_INT, NO_BOUNDS, .special_values = "[-1]" },
		  "an integer, or -1" },
		{ { .type = OPTION_STRING, .also_accepts = "bool json" },
		  "a text, or true or false, or a mapping" },
		{ { .type = OPTION_LIST_INT }, "a list of integers" },
		{ { .type = OPTION_LIST_FLOAT }, "a list of numbers" },
		{ { .type = OPTION_LIST_STRING }, "a list of strings" },
		{ { .type = OPTION_LIST_ENUM, .choices = "[\"a\", \"b\"]" }, "a list of a or b" },
		{ { .type = OPTION_LIST }, "a list" },
		{ { .type = OPTION_LIST_STRING, .style = OPTION_STYLE_LIST },
		  "a list of strings with at least one item" },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		auto_buf text = PL_BUF(1024);
		option_row_describe(&cases[i].row, &text);
		assert_string_equal(pl_buf_text(&text), cases[i].text);
	}
}

static void a_type_is_read_from_its_name(void **state)
{
	static const struct option_row rows[] = {
		{ .type = OPTION_ANY },         { .type = OPTION_BOOL },
		{ .type = OPTION_INT },         { .type = OPTION_HUMAN_INT },
		{ .type = OPTION_FLOAT },       { .type = OPTION_STRING },
		{ .type = OPTION_ENUM },        { .type = OPTION_JSON },
		{ .type = OPTION_LIST },        { .type = OPTION_DURATION },
		{ .type = OPTION_LIST_INT },    { .type = OPTION_LIST_FLOAT },
		{ .type = OPTION_LIST_STRING }, { .type = OPTION_LIST_ENUM },
	};
	struct option_row read = { .type = OPTION_TRI };

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++) {
		assert_int_equal(option_type_read(option_type_words(&rows[i]), &read), 0);
		assert_int_equal(read.type, rows[i].type);
		assert_int_equal(read.items, rows[i].items);
	}
	read.type = OPTION_TRI;
	assert_int_equal(option_type_read("list<bool>", &read), -1);
	assert_int_equal(option_type_read(NULL, &read), -1);
	assert_int_equal(read.type, OPTION_TRI);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_row_is_described),
		cmocka_unit_test(a_type_is_read_from_its_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
