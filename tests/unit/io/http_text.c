#include "io/http_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/mem.h"

static void test_io_http_text__percent_decoding(void **state)
{
	static const struct {
		const char *from;
		const char *to; /* NULL: malformed */
	} rows[] = {
		{ "", "" },
		{ "/a%20b%2Fc", "/a b/c" },
		{ "%c3%A9", "\xc3\xa9" },
		{ "100%", NULL },
		{ "%2", NULL },
		{ "%2g", NULL },
		{ "a%00b", NULL },
		{ "%%30", NULL },
		{ "+", "+" },
		{ "%25%32", "%2" },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++) {
		char text[64];
		snprintf(text, sizeof(text), "%s", rows[i].from);
		assert_int_equal(io_http_percent_decode(text), rows[i].to != NULL);
		if (rows[i].to != NULL)
			assert_string_equal(text, rows[i].to);
	}
}

static void test_io_http_text__reasons(void **state)
{
	(void)state;
	assert_string_equal(io_http_reason(200), "OK");
	assert_string_equal(io_http_reason(404), "Not Found");
	assert_string_equal(io_http_reason(599), "Unknown");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_io_http_text__percent_decoding),
		cmocka_unit_test(test_io_http_text__reasons),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
