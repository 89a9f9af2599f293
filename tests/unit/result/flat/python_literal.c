#include "result/flat/python_literal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"

/* Appends "NAME=VALUE;" for each argument of a text, which has no NUL. */
static char *arguments_of(const char *text)
{
	size_t len = strlen(text);
	auto_free char *copy = pl_alloc(len);
	char *out = pl_strdup("");
	char *key;
	json_t *value;

	memcpy(copy, text, len);
	for (const char *at = copy; res_python_next_argument(&at, copy + len, &key, &value);) {
		auto_free char *shown = value != NULL ? pl_json_to_text(value, PL_JSON_COMPACT)
						      : pl_strdup("-");
		char *longer = pl_asprintf("%s%s=%s;", out, key, shown);
		free(out);
		out = longer;
		free(key);
		json_decref(value);
	}
	return out;
}

static void test_result_flat_python_literal__arguments(void **state)
{
	static const struct {
		const char *text, *arguments;
	} cases[] = {
		{ "a=1, b='x, y', c=[1, (2, 3)]", "a=1;b=\"x, y\";c=[1,[2,3]];" },
		{ "a=1, f=<function f at 0x7f>, b=2", "a=1;f=-;b=2;" },
		{ "a=1,", "a=1;" },
		{ "a=1", "a=1;" },
		/* the bracket of the call ends the list, whatever follows it */
		{ "a=1), b=2", "a=1;" },
		{ "a=1)b=2", "a=1;" },
		{ "a='x", "a=-;" },
		{ "", "" },
		{ "1, a=2", "" },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		auto_free char *found = arguments_of(cases[i].text);
		assert_string_equal(found, cases[i].arguments);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_result_flat_python_literal__arguments),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
