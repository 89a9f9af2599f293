#include "base/strv.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void test_base_strv__is_ended_at_every_moment(void **state)
{
	auto_strv strv = { 0 };

	(void)state;
	assert_null(pl_strv_texts(&strv)[0]);
	for (size_t i = 0; i < 100; i++) {
		pl_strv_addf(&strv, "word %zu", i);
		assert_int_equal(strv.count, i + 1);
		assert_null(pl_strv_texts(&strv)[i + 1]);
	}
	assert_string_equal(pl_strv_texts(&strv)[0], "word 0");
	assert_string_equal(pl_strv_texts(&strv)[99], "word 99");
}

static void test_base_strv__keeps_copies(void **state)
{
	char text[] = "first";
	auto_strv strv = { 0 };

	(void)state;
	pl_strv_add(&strv, text);
	memset(text, 'x', sizeof(text) - 1);
	assert_string_equal(pl_strv_texts(&strv)[0], "first");
	pl_strv_done(&strv);
	assert_int_equal(strv.count, 0);
	assert_null(pl_strv_texts(&strv)[0]);
	pl_strv_add(&strv, "again");
	assert_string_equal(pl_strv_texts(&strv)[0], "again");
	assert_null(pl_strv_texts(&strv)[1]);
}

static void test_base_strv__from_json(void **state)
{
	auto_json json_t *list = json_pack("[s, i, s, n]", "vllm", 7, "serve");
	auto_json json_t *object = json_pack("{s:s, s:i, s:s}", "A", "1", "B", 2, "C", "x=y z");
	auto_strv strv = { 0 };

	(void)state;
	pl_strv_add_json(&strv, NULL);
	pl_strv_add_env(&strv, NULL);
	assert_int_equal(strv.count, 0);
	pl_strv_add_json(&strv, list);
	assert_int_equal(strv.count, 2);
	json_array_clear(list);
	pl_strv_add_env(&strv, object);
	assert_int_equal(strv.count, 4);
	const char *const *texts = pl_strv_texts(&strv);
	assert_string_equal(texts[0], "vllm");
	assert_string_equal(texts[1], "serve");
	assert_string_equal(texts[2], "A=1");
	assert_string_equal(texts[3], "C=x=y z");
	assert_null(texts[4]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_base_strv__is_ended_at_every_moment),
		cmocka_unit_test(test_base_strv__keeps_copies),
		cmocka_unit_test(test_base_strv__from_json),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
