#include "result/read.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* A member has the same value, however the document is read. */
static void test_result_read__one_member_is_that_of_the_whole(void **state)
{
	static const char *const texts[] = {
		"{\"run_id\": \"r\", \"tags\": {\"team\": \"a\", \"n\": [1, {\"x\": \"}\"}]}, "
		"\"z\": 1}",
		" {\"tags\":{\"quote\":\"\\\\\\\"}{\\\\\"},\"a\":\"\\\"tags\\\":\",\"run_id\":"
		"\"r\"}\n",
		"{\"run_id\":\"r\",\"config\":{\"tags\":{\"not\":\"this\"}},\"deep\":[[[]],{}]}",
		"{\"run_id\":\"r\",\"tags\":null}",
		"{\"run_id\":\"r\",\"tags\":7, \"last\" : -1.5e3 }",
		"{\"run_id\":\"r\",\"t\\u0061gs\":{\"escaped\":true}}",
		"{\"profllm\":{\"run_id\":\"r\",\"tags\":{\"in\":\"side\"}},\"tags\":{\"out\":"
		"\"side\"}}",
		"{\"run_id\":\"r\",\"tags\":{\"number\":NaN}}",
		"{\"run_id\":\"r\"}",
		"{\"run_id\":7,\"tags\":{}}",
		"{\"run_id\":\"r\",\"tags\":{",
		"{\"run_id\":\"r\",\"tags\" {}}",
		"{\"run_id\":\"r\",\"tags\":\"no end}",
		"[]",
		"",
	};
	auto_fields struct res_fields *fields = res_fields_new(NULL);

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(texts); i++) {
		auto_json json_t *whole = NULL, *lean = NULL;
		size_t len = strlen(texts[i]);
		int result = res_read_text(fields, texts[i], len, "t", &whole, PL_ERR_IGNORED);
		assert_int_equal(
			res_read_member(fields, texts[i], len, "t", "tags", &lean, PL_ERR_IGNORED),
			result);
		json_t *wanted = json_object_get(whole, "tags");
		json_t *found = json_object_get(lean, "tags");
		assert_true(wanted == found || json_equal(wanted, found));
	}
}

/* Nothing else is made of it. */
static void test_result_read__a_member_is_read_alone(void **state)
{
	static const char text[] =
		"{\"run_id\":\"r\",\"results\":{\"n\":1},\"tags\":{\"a\":\"b\"}}";
	auto_fields struct res_fields *fields = res_fields_new(NULL);
	auto_json json_t *lean = NULL;

	(void)state;
	assert_int_equal(
		res_read_member(fields, text, strlen(text), "t", "tags", &lean, PL_ERR_IGNORED), 0);
	assert_int_equal(json_object_size(lean), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_result_read__one_member_is_that_of_the_whole),
		cmocka_unit_test(test_result_read__a_member_is_read_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
