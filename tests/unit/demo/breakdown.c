#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/json.h"
#include "demo/history_priv.h"

/* The server of synthetic results is on the host of the run, whether a request completed or not. */
static void test_demo_breakdown__without_requests_has_no_times(void **state)
{
	const struct demo_figures figures = { .completed = 0, .spread = 0.3 };
	auto_json json_t *results = json_object();
	auto_json json_t *json = demo_breakdown(&figures, results);

	(void)state;
	assert_string_equal(pl_json_get_text(json, "state"), "none");
	assert_string_equal(pl_json_get_text(json, "reason"), "no_requests");
	assert_int_equal(json_integer_value(json_object_get(json, "requests")), 0);
	assert_true(json_is_true(json_object_get(json, "same_host")));
	assert_true(json_is_false(json_object_get(json, "busy_before")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_demo_breakdown__without_requests_has_no_times),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
