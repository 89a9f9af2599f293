#include "base/buf.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static void test_base_buf__empty_takes_no_memory(void **state)
{
	auto_buf buf = { 0 };

	(void)state;
	pl_buf_init(&buf, 10);
	assert_null(buf.data);
	assert_string_equal(pl_buf_text(&buf), "");
	auto_free char *taken = pl_buf_take(&buf);
	assert_string_equal(taken, "");
	pl_buf_consume(&buf, 5);
	pl_buf_clear(&buf);
	assert_int_equal(buf.len, 0);
}

static void test_base_buf__appends(void **state)
{
	auto_buf buf = { 0 };

	(void)state;
	pl_buf_init(&buf, 100);
	assert_true(pl_buf_add(&buf, "ab", 2));
	assert_true(pl_buf_add_text(&buf, "cd"));
	assert_true(pl_buf_add_char(&buf, 'e'));
	assert_true(pl_buf_addf(&buf, "%03d", 7));
	assert_true(pl_buf_add(&buf, NULL, 0));
	assert_string_equal(pl_buf_text(&buf), "abcde007");
	assert_int_equal(buf.len, 8);
	assert_true(pl_buf_add(&buf, "\0x", 2));
	assert_int_equal(buf.len, 10);
	assert_memory_equal(buf.data, "abcde007\0x", 11);
}

static void test_base_buf__ceiling_holds(void **state)
{
	auto_buf buf = { 0 };

	(void)state;
	pl_buf_init(&buf, 5);
	assert_true(pl_buf_add_text(&buf, "abc"));
	assert_false(pl_buf_add_text(&buf, "def"));
	assert_true(buf.full);
	assert_string_equal(pl_buf_text(&buf), "abc"); /* nothing of it was appended */
	assert_false(pl_buf_addf(&buf, "%s", "def"));
	assert_string_equal(pl_buf_text(&buf), "abc");
	assert_true(pl_buf_add_text(&buf, "de"));
	assert_false(pl_buf_add_char(&buf, 'f'));
	assert_true(pl_buf_add(&buf, "", 0));
	assert_false(pl_buf_add(&buf, "x", SIZE_MAX));
	pl_buf_clear(&buf);
	assert_false(buf.full);
	assert_true(pl_buf_add_text(&buf, "12345"));
}

static void test_base_buf__ceiling_may_be_the_largest_number(void **state)
{
	auto_buf buf = { 0 };

	(void)state;
	pl_buf_init(&buf, SIZE_MAX);
	for (int i = 0; i < 1000; i++)
		assert_true(pl_buf_add_text(&buf, "0123456789"));
	assert_int_equal(buf.len, 10000);
	assert_int_equal(strlen(pl_buf_text(&buf)), 10000);
}

static void test_base_buf__reserve_then_raise(void **state)
{
	auto_buf buf = { 0 };

	(void)state;
	pl_buf_init(&buf, 1000);
	pl_buf_add_text(&buf, "x");
	char *at = pl_buf_reserve(&buf, 999);
	assert_non_null(at);
	memset(at, 'y', 999);
	buf.len += 999;
	assert_null(pl_buf_reserve(&buf, 1));
	assert_int_equal(buf.data[0], 'x');
	assert_int_equal(buf.data[999], 'y');
}

static void test_base_buf__consume(void **state)
{
	auto_buf buf = { 0 };

	(void)state;
	pl_buf_init(&buf, 100);
	pl_buf_add_text(&buf, "abcdef");
	pl_buf_consume(&buf, 0);
	assert_string_equal(pl_buf_text(&buf), "abcdef");
	pl_buf_consume(&buf, 2);
	assert_string_equal(pl_buf_text(&buf), "cdef");
	pl_buf_consume(&buf, 4);
	assert_string_equal(pl_buf_text(&buf), "");
	pl_buf_add_text(&buf, "gh");
	pl_buf_consume(&buf, 1000);
	assert_int_equal(buf.len, 0);
}

static void test_base_buf__forget_gives_large_memory_back(void **state)
{
	auto_buf buf = { 0 };

	(void)state;
	pl_buf_init(&buf, 1000);
	pl_buf_add_text(&buf, "abc");
	pl_buf_forget(&buf, 100);
	assert_string_equal(pl_buf_text(&buf), "");
	assert_true(buf.room > 0);
	assert_non_null(pl_buf_reserve(&buf, 500));
	assert_null(pl_buf_reserve(&buf, 1001));
	pl_buf_forget(&buf, 100);
	assert_null(buf.data);
	assert_int_equal(buf.room, 0);
	assert_false(buf.full);
	assert_int_equal(buf.max, 1000);
}

static void test_base_buf__take_empties(void **state)
{
	auto_buf buf = { 0 };

	(void)state;
	pl_buf_init(&buf, 100);
	pl_buf_add_text(&buf, "abc");
	auto_free char *taken = pl_buf_take(&buf);
	assert_string_equal(taken, "abc");
	assert_int_equal(buf.len, 0);
	assert_true(pl_buf_add_text(&buf, "d"));
	assert_string_equal(pl_buf_text(&buf), "d");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_base_buf__empty_takes_no_memory),
		cmocka_unit_test(test_base_buf__appends),
		cmocka_unit_test(test_base_buf__ceiling_holds),
		cmocka_unit_test(test_base_buf__ceiling_may_be_the_largest_number),
		cmocka_unit_test(test_base_buf__reserve_then_raise),
		cmocka_unit_test(test_base_buf__consume),
		cmocka_unit_test(test_base_buf__forget_gives_large_memory_back),
		cmocka_unit_test(test_base_buf__take_empties),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
