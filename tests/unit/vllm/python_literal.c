#include "vllm/python_literal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "vllm/python_text.h"

static void values_become_json(void **state)
{
	static const struct {
		const char *text;
		const char *json; /* NULL: it is none */
	} cases[] = {
		{ "None", "null" },
		{ "True", "true" },
		{ "False", "false" },
		{ "-3", "-3" },
		{ "0.92", "0.92" },
		{ " 'a' ", "\"a\"" },
		{ "\"it's\"", "\"it's\"" },
		{ "'a\\'b\\\\'", "\"a'b\\\\\"" },
		{ "[]", "[]" },
		{ "['*', 1,]", "[\"*\",1]" },
		{ "(1, (2, None))", "[1,[2,null]]" },
		{ "{'a': {'b': [True]}, 'c': None}", "{\"a\":{\"b\":[true]},\"c\":null}" },
		{ "auto", NULL },
		{ "", NULL },
		{ "1 2", NULL },
		{ "[1", NULL },
		{ "[1 2]", NULL },
		{ "{'a'", NULL },
		{ "{'a':", NULL },
		{ "{'a': 1", NULL },
		{ "{1: 2}", NULL },
		{ "'abc", NULL },
		{ "'abc\\", NULL },
		{ "nan", NULL },
		{ "inf", NULL },
		{ "Config(a=1)", NULL },
		{ "{'a': <Kind.X: 'x'>}", NULL },
		{ "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]",
		  NULL },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		auto_json json_t *json = vllm_python_literal(cases[i].text);
		auto_free char *found = json != NULL ? pl_json_to_text(json, PL_JSON_COMPACT)
						     : NULL;
		if (cases[i].json == NULL)
			assert_null(found);
		else
			assert_string_equal(found, cases[i].json);
	}
}

/* As repr() of Python 3.11 writes them: the first and last of a range of formats, and their neighbors. */
static void texts_are_written_as_by_repr(void **state)
{
	static const struct {
		const char *text, *shown;
	} cases[] = {
		{ "a", "'a'" },
		{ "it's", "\"it's\"" },
		{ "\t\x7f", "'\\t\\x7f'" },
		{ "\u00a0\u00a1\u00ac\u00ad\u00ae", "'\\xa0\u00a1\u00ac\\xad\u00ae'" },
		{ "\u0600\u0605\u0606\u061b\u061c\u061d",
		  "'\\u0600\\u0605\u0606\u061b\\u061c\u061d'" },
		{ "\u2010\u200f\u2027\u2028", "'\u2010\\u200f\u2027\\u2028'" },
		{ "\U000f0000\U000ffffd", "'\\U000f0000\\U000ffffd'" },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		auto_free char *shown = vllm_python_repr(cases[i].text);
		assert_string_equal(shown, cases[i].shown);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(texts_are_written_as_by_repr),
					    cmocka_unit_test(values_become_json) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
