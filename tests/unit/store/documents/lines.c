#include "store/documents/lines.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static int line_of(const char *text, const char *pointer)
{
	auto_json json_t *lines = json_pack("{s:n, s:n, s:n}", pointer, "/nowhere", "/a!");

	store_lines_find(text, strlen(text), lines);
	return (int)json_integer_value(json_object_get(lines, pointer));
}

static void test_store_documents_lines__are_those_of_keys_and_items(void **state)
{
	static const char text[] = "\n{\"a\": {\n"
				   "  \"b\": [1, {\"]\": 2},\n"
				   "    {\"c\\u0064\":\n"
				   "      3}],\n"
				   "  \"x/y~\": \"\\\"\n}\"},\n"
				   " \"z\": NaN}";
	static const struct {
		const char *pointer;
		int line;
	} rows[] = {
		{ "", 2 },         { "/a", 2 },     { "/a/b", 3 },        { "/a/b/0", 3 },
		{ "/a/b/1/]", 3 }, { "/a/b/2", 4 }, { "/a/b/2/cd", 4 },   { "/a/x~1y~0", 6 },
		{ "/z", 8 },       { "/a/b/3", 0 }, { "/a/b/2/cd/0", 0 }, { "/b", 0 },
		{ "/a/", 0 },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++) {
		int line = line_of(text, rows[i].pointer);
		if (line != rows[i].line)
			fail_msg("'%s' in line %d", rows[i].pointer, line);
	}
}

/* Text that is not JSON has an end, too. */
static void test_store_documents_lines__of_truncated_text(void **state)
{
	static const char text[] = "{\"a\":\n[{\"b\": \"\\\"\", \"c\"\n: 1}, [], ]]}{\"d\": 1";

	(void)state;
	for (size_t len = 0; len < sizeof(text); len++) {
		auto_json json_t *lines = json_pack("{s:n, s:n, s:n}", "/a/0/c", "/a/3/x", "/d");
		store_lines_find(text, len, lines);
		const json_t *line = json_object_get(lines, "/a/0/c");
		assert_true(json_is_null(line) || json_integer_value(line) == 2);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_store_documents_lines__are_those_of_keys_and_items),
		cmocka_unit_test(test_store_documents_lines__of_truncated_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
