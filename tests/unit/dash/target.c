#include "dash/target.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void test_dash_target__paths_and_members(void **state)
{
	(void)state;
	auto_target target;
	struct pl_err err = PL_ERR_INIT;

	assert_int_equal(dash_target_read("/a%2Fb+c?x=1+2&y&&z=%C3%A9=&x=", &target, &err), 0);
	assert_string_equal(target.path, "/a/b+c");
	static const char *const wanted[][2] = {
		{ "x", "1 2" }, { "y", "" }, { "z", "\xC3\xA9=" }, { "x", "" }
	};
	assert_int_equal(target.count, PL_ARRAY_SIZE(wanted));
	for (size_t i = 0; i < target.count; i++) {
		assert_string_equal(target.members[i].name, wanted[i][0]);
		assert_string_equal(target.members[i].value, wanted[i][1]);
	}
}

static void test_dash_target__faults_name_their_location(void **state)
{
	(void)state;
	static const char *const cases[][2] = {
		{ "", "expected a path" },
		{ "*", "expected a path" },
		{ "http://localhost/", "expected a path" },
		{ "/%", "byte 2: found '%'" },
		{ "/a%4", "byte 3: found '%4'" },
		{ "/a%g0b", "byte 3: found '%g0'" },
		{ "/%00", "byte 2: found '%00'" },
		{ "/\xff", "invalid UTF-8" },
		{ "/%ff", "invalid UTF-8" },
		{ "/a?b=%00", "byte 6" },
		{ "/a?b=%c3", "invalid UTF-8" },
	};

	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		struct dash_target target;
		struct pl_err err = PL_ERR_INIT;
		assert_int_equal(dash_target_read(cases[i][0], &target, &err), -1);
		assert_int_equal(err.code, PL_ERR_INVALID);
		assert_non_null(strstr(err.text, cases[i][1]));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_dash_target__paths_and_members),
		cmocka_unit_test(test_dash_target__faults_name_their_location),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
