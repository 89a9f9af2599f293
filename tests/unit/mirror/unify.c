#include "mirror/unify.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/mem.h"

static void test_mirror_unify__equal_numbers_have_one_text(void **state)
{
	static const struct {
		const char *text, *unified; /* NULL: the text is unified */
	} cases[] = {
		{ "[0]", NULL },
		{ "[0.0]", "[0]" },
		{ "[-0.0]", "[0]" },
		{ "[-3.0]", "[-3]" },
		{ "[1e+16]", "[10000000000000000]" },
		{ "[9.2e+18]", "[9200000000000000000]" },
		{ "[1e+19]", NULL },
		{ "[1e+300]", NULL },
		{ "[0.5,5e-07]", NULL },
		{ "{\"a\":1.0,\"b\":[2.0,2.5,true,null],\"c\":3.0}",
		  "{\"a\":1,\"b\":[2,2.5,true,null],\"c\":3}" },
		{ "{\"1.0\":\"2.0\"}", NULL },
		{ "{\"a\\\"1.0\":\"\\\\\",\"b\":1.0}", "{\"a\\\"1.0\":\"\\\\\",\"b\":1}" },
		/* not JSON */
		{ "", NULL },
		{ "\"1.0", NULL },
		{ "\"\\", NULL },
		{ "1.0", "1" },
		{ "1.0.0e", NULL },
		{ "[1.0000000000000000000000000000000000000000000000000000000000000000]", NULL },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		auto_free char *unified = mirror_json_unify(cases[i].text);
		if (cases[i].unified != NULL)
			assert_string_equal(unified, cases[i].unified);
		else
			assert_null(unified);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_mirror_unify__equal_numbers_have_one_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
