#include "result/artifacts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* An artifact has a kind, a SHA-256 and the name of a file in the result's directory. */
static void test_result_artifacts__artifacts_of_a_document(void **state)
{
	static const char text[] =
		"{\"run_id\": \"exp_1\", \"config\": {}, \"results\": {}, \"artifacts\": ["
		"{\"kind\": \"log\", \"name\": \"r.log\", \"sha256\": \"ab\", \"size\": 5},"
		"{\"kind\": \"log\", \"name\": \"no-hash\"},"
		"{\"name\": \"no-kind\", \"sha256\": \"ab\"},"
		"{\"kind\": \"log\", \"sha256\": \"ab\"},"
		"{\"kind\": \"log\", \"name\": \"../up\", \"sha256\": \"ab\"},"
		"{\"kind\": \"log\", \"name\": \"..\", \"sha256\": \"ab\"},"
		"{\"kind\": \"log\", \"name\": \"\", \"sha256\": \"ab\"},"
		"{\"kind\": \"trace\", \"name\": \"t.gz\", \"sha256\": \"cd\"}]}";
	auto_res_artifacts besides = { 0 };
	struct pl_err err = PL_ERR_INIT;
	auto_json json_t *document = NULL;

	(void)state;
	if (pl_json_parse(text, strlen(text), "text", &document, &err) < 0)
		fail_msg("%s", err.text);
	res_artifacts_add(document, "/some/where/r.json", &besides);
	assert_int_equal(besides.count, 2);
	assert_string_equal(besides.items[0].path, "/some/where/r.log");
	assert_string_equal(besides.items[0].run_id, "exp_1");
	assert_int_equal(besides.items[0].bytes, 5);
	assert_string_equal(besides.items[1].kind, "trace");
	assert_string_equal(besides.items[1].sha256, "cd");
	assert_int_equal(besides.items[1].bytes, -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_result_artifacts__artifacts_of_a_document),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
