#include "run/redirect.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/text.h"

static void test_run_redirect__names_what_to_write(void **state)
{
	static const struct {
		const char *url, *location, *base;
	} cases[] = {
		{ "http://h:1", "https://h/v1/models", "https://h" },
		{ "http://h:1", "https://h:8443/gate/v1/models/", "https://h:8443/gate" },
		{ "http://h:1", "/llm/v1/models", "http://h:1/llm" },
		{ "https://h/a", "/b/v1/models", "https://h/b" },
		{ "http://h:1", "/v1/models/", NULL },
		{ "http://h:1", "http://h:1/v1/models/", NULL },
		{ "http://h:1", "https://login/?next=/v1/models&x", NULL },
		{ "http://h:1", "//other/v1/models", NULL },
		{ "http://h:1", "models/", NULL },
		{ "http://h:1", "ftp://h/v1/models", NULL },
		{ "http://h:1", "http:///v1/models", NULL },
		{ "http://h:1", "", NULL },
		{ NULL, "/v1/models", NULL },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		auto_free char *base = run_redirect_base(cases[i].url, "/v1/models",
							 cases[i].location);
		if (!pl_text_equal(base, cases[i].base))
			fail_msg("'%s': '%s'", cases[i].location, base != NULL ? base : "none");
	}
}

static void test_run_redirect__says_so(void **state)
{
	struct pl_err err = PL_ERR_INIT;

	(void)state;
	assert_true(run_redirect_is(301) && run_redirect_is(308));
	assert_false(run_redirect_is(200) || run_redirect_is(304) || run_redirect_is(404));
	assert_int_equal(
		run_redirect_error("http://h:1", "/v1/models", "https://h/v1/models", &err), -1);
	assert_non_null(strstr(err.text, "to 'https://h/v1/models'"));
	assert_non_null(strstr(err.text, "set {launch.url} to 'https://h'"));
	assert_int_equal(run_redirect_error(NULL, "/v1/models", NULL, &err), -1);
	assert_non_null(strstr(err.text, "the address that responds without a redirect"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_run_redirect__names_what_to_write),
		cmocka_unit_test(test_run_redirect__says_so),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
