#include "query/needle.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static const struct {
	const char *needle, *text;
	bool is_in, is_at_start;
} cases[] = {
	{ "", "", true, true },
	{ "", "a", true, true },
	{ "a", "", false, false },
	{ "LLAMA", "Meta-Llama-3-8B", true, false },
	{ "meta", "Meta-Llama-3-8B", true, true },
	{ "ΣΊΣΥΦΟΣ", "σίσυφος", true, true },
	{ "ς", "Σ", true, true },
	{ "k", "300 \u212a", true, false }, /* the Kelvin sign */
	{ "s", "\u017f", true, true },      /* the long s */
	{ "ẞ", "straße", true, false },
	{ "ss", "straße", false, false },
	{ "дом", "большой ДОМ", true, false },
	{ "ǆ", "ǅ", true, true },
	{ "é", "e\u0301", false, false }, /* no normalization */
	{ ".", "abc", false, false },
	{ "a.c", "xA.Cx", true, false },
	{ "\\Qa", "\\qa", true, true },
	{ "%", "100 %", true, false },
	{ "b", "\xff\x62", true, false }, /* no UTF-8 before it */
};

static void test_query_needle__finds_any_case(void **state)
{
	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		auto_needle struct query_needle *anywhere = query_needle_new(cases[i].needle,
									     false);
		auto_needle struct query_needle *first = query_needle_new(cases[i].needle, true);
		if (query_needle_is_in(anywhere, cases[i].text) != cases[i].is_in ||
		    query_needle_is_in(first, cases[i].text) != cases[i].is_at_start)
			fail_msg("'%s' in '%s'", cases[i].needle, cases[i].text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_query_needle__finds_any_case),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
