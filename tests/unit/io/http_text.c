#include "io/http_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

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
		cmocka_unit_test(test_io_http_text__reasons),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
