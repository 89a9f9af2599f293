#include "run/route.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* From 0.33.0 on vLLM's client takes only events with output; a release that is not known counts as the newest. */
static void test_run_route__rule_of_a_release(void **state)
{
	static const struct {
		const char *release, *rule;
	} cases[] = {
		{ NULL, RUN_METRICS_0_33 },     { "", RUN_METRICS_0_33 },
		{ "mine", RUN_METRICS_0_33 },   { "0.6.3", RUN_METRICS_0_32 },
		{ "0.32.0", RUN_METRICS_0_32 }, { "0.32.9", RUN_METRICS_0_32 },
		{ "0.33.0", RUN_METRICS_0_33 }, { "0.33.1", RUN_METRICS_0_33 },
		{ "1.0.0", RUN_METRICS_0_33 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_string_equal(run_metrics_rule(cases[i].release), cases[i].rule);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_run_route__rule_of_a_release),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
