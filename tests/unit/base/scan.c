#include "base/scan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *after_string(const char *text)
{
	return pl_scan_string(text, text + strlen(text));
}

static const char *after_value(const char *text, const char *stops)
{
	return pl_scan_value(text, text + strlen(text), stops);
}

static void test_base_scan__ends_strings_and_values(void **state)
{
	(void)state;
	assert_string_equal(after_string("\"a\\\"b\\\\\", 1"), ", 1");
	assert_string_equal(after_value("{\"a\": [1, \"}\"]}, 2", ",}"), ", 2");
	assert_string_equal(after_value("{\"a\": {}} rest", ""), " rest");
	assert_string_equal(after_value("12 }", ",}"), "}");
	static const char blanks[] = " \t\r\n1";
	assert_string_equal(pl_scan_blanks(blanks, blanks + strlen(blanks)), "1");
}

/* Finds the end of text that is cut at any byte, and reads nothing after it (sanitizers would
 * see it). */
static void test_base_scan__stays_within(void **state)
{
	static const char whole[] = "{\"a\\\\\\\"\": [1, {\"b\": \"c\\\\\"}], \"d\": 2}";

	(void)state;
	for (size_t len = 1; len < strlen(whole); len++) {
		char *text = malloc(len);
		assert_non_null(text);
		memcpy(text, whole, len);
		const char *end = text + len;
		assert_true(pl_scan_value(text, end, "") == end);
		for (size_t at = 0; at < len; at++) {
			assert_true(pl_scan_string(text + at, end) <= end);
			assert_true(pl_scan_value(text + at, end, ",]}") <= end);
		}
		free(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_base_scan__ends_strings_and_values),
		cmocka_unit_test(test_base_scan__stays_within),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
