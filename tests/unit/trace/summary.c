#include "trace/trace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define CATEGORY_39 "category_of_thirty_nine_bytes_3456789_9"
#define TAIL        "0123456789abcdefghijklmnopqrstuvwxyz0123456789abcdefghijklmnopqrstuvwxyz"

static json_t *sums_of(const char *text)
{
	auto_trace struct trace_reader *reader = trace_reader_new();
	struct pl_err err = PL_ERR_INIT;

	assert_int_equal(trace_reader_add(reader, text, strlen(text), &err), 0);
	assert_int_equal(trace_reader_end(reader, &err), 0);
	return trace_reader_summary(reader);
}

/* The longest category that fits, and one that is a byte longer. */
static void test_trace_summary__long_categories(void **state)
{
	auto_json json_t *sums = sums_of(
		"[{\"ph\":\"X\",\"name\":\"a\",\"cat\":\"" CATEGORY_39 "\",\"ts\":1,\"dur\":2},"
		"{\"ph\":\"X\",\"name\":\"a\",\"cat\":\"" CATEGORY_39 "x\",\"ts\":1,\"dur\":2},"
		"{\"ph\":\"X\",\"name\":\"a\",\"cat\":\"" CATEGORY_39 "x\",\"ts\":1,\"dur\":1}]");
	const json_t *categories = json_object_get(sums, "categories");

	(void)state;
	assert_int_equal(json_array_size(categories), 2);
	assert_string_equal(pl_json_get_text(json_array_get(categories, 0), "category"),
			    CATEGORY_39);
	assert_string_equal(pl_json_get_text(json_array_get(categories, 1), "category"), "other");
	assert_int_equal(pl_json_get_i64(json_array_get(categories, 1), "count"), 2);
	assert_string_equal(
		pl_json_get_text(json_array_get(json_object_get(sums, "longest"), 1), "category"),
		"other");
}

/* Events of one name are summed, also if it has a NUL. */
static void test_trace_summary__nul_in_name(void **state)
{
	auto_json json_t *sums = sums_of("[{\"ph\":\"X\",\"name\":\"a\\u0000" TAIL
					 "\",\"cat\":\"kernel\",\"ts\":1,\"dur\":2},"
					 "{\"ph\":\"X\",\"name\":\"a\\u0000" TAIL
					 "\",\"cat\":\"kernel\",\"ts\":5,\"dur\":2}]");
	const json_t *kernels = json_object_get(sums, "kernels");

	(void)state;
	assert_int_equal(pl_json_get_i64(kernels, "names"), 1);
	assert_int_equal(
		pl_json_get_i64(json_array_get(json_object_get(kernels, "top"), 0), "count"), 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_trace_summary__long_categories),
		cmocka_unit_test(test_trace_summary__nul_in_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
