#include "result/files.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/mem.h"

static void test_result_files__artifacts_of_a_result(void **state)
{
	(void)state;
	assert_string_equal(res_artifact_suffix("a/r.requests.jsonl.zst"), "records of requests");
	assert_string_equal(res_artifact_suffix("r.client.timeline.html"), "a drawing");
	assert_non_null(res_artifact_suffix("r.json.journal"));
	assert_null(res_artifact_suffix("r.json"));
	assert_null(res_artifact_suffix("requests.jsonl.zst"));
	assert_string_equal(res_artifact_suffix("rank0.1.pt.trace.json.gz"), "a trace");
}

static void test_result_files__what_may_hold_results(void **state)
{
	static const char *const yes[] = { "r.json", "r.json.gz", "r.json.zst", "a/r.jsonl.gz",
					   "r.ndjson.zst" };
	static const char *const no[] = { "r.gz", "r.zst",         "r.txt",
					  "json", "r.json.gz.zst", "r.json.bz2" };

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(yes); i++)
		assert_true(res_may_hold_results(yes[i]));
	for (size_t i = 0; i < PL_ARRAY_SIZE(no); i++)
		assert_false(res_may_hold_results(no[i]));
	assert_true(res_holds_lines("r.jsonl.gz") && res_holds_lines("r.ndjson"));
	assert_false(res_holds_lines("r.json.gz") || res_holds_lines("r.txt"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_result_files__artifacts_of_a_result),
		cmocka_unit_test(test_result_files__what_may_hold_results),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
