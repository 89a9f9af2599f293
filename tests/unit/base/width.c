#include "base/width.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/mem.h"

#define HAN   "\xe6\xbc\xa2" /* U+6F22, two columns */
#define ACUTE "\xcc\x81"     /* U+0301, a combining accent */
#define SMILE "\xf0\x9f\x98\x80"

static void test_base_width__columns(void **state)
{
	static const struct {
		const char *text;
		size_t columns;
	} rows[] = {
		{ "", 0 },
		{ "abc", 3 },
		{ "a\xc3\xa9\xe2\x80\x93z", 4 },
		{ HAN HAN, 4 },
		{ "e" ACUTE "x", 2 },
		{ SMILE, 2 },
		{ "\x1b", 1 },
		{ "a\xff"
		  "b",
		  3 },
		{ "\xe6\xbc", 2 },
		{ "\xef\xbf\xbd", 1 },
		{ "\xe2\x96\x81", 1 },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++)
		assert_int_equal(pl_width(rows[i].text, strlen(rows[i].text)), rows[i].columns);
}

static void test_base_width__fit(void **state)
{
	(void)state;
	assert_int_equal(pl_width_fit("abc", 2), 2);
	assert_int_equal(pl_width_fit(HAN HAN, 3), 3);
	assert_int_equal(pl_width_fit(HAN HAN, 1), 0);
	/* an accent belongs to the letter before it */
	assert_int_equal(pl_width_fit("e" ACUTE "x", 1), 3);
}

static void test_base_width__line(void **state)
{
	(void)state;
	assert_int_equal(pl_width_line("one two", 5), 3);
	assert_int_equal(pl_width_line("one two", 7), 7);
	assert_int_equal(pl_width_line("one two", 3), 3);
	assert_int_equal(pl_width_line("onetwo", 4), 4);
	assert_int_equal(pl_width_line("a " HAN HAN, 4), 1);
	assert_int_equal(pl_width_line(HAN, 1), 3);
	assert_int_equal(pl_width_line("", 1), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_base_width__columns),
		cmocka_unit_test(test_base_width__fit),
		cmocka_unit_test(test_base_width__line),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
