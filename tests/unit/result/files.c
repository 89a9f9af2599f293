#include "result/files.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void test_result_files__beside_a_result(void **state)
{
	(void)state;
	assert_string_equal(res_side_file("a/r.requests.jsonl.zst"), "records of requests");
	assert_string_equal(res_side_file("r.client.timeline.html"), "a drawing");
	assert_non_null(res_side_file("r.json.journal"));
	assert_null(res_side_file("r.json"));
	assert_null(res_side_file("requests.jsonl.zst"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_result_files__beside_a_result),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
