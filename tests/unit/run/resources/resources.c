#include "run/resources/resources.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "config_text.h"
#include "experiment/config.h"
#include "unit/base/scratch.h"

static struct exp_config *read_experiment(const char *text)
{
	auto_problems problems = { 0 };
	struct pl_err err = PL_ERR_INIT;
	struct exp_config *experiment = NULL;

	if (config_text_parse(vllm_catalog_reference(), text, strlen(text), "e.yaml", NULL, 0,
			      &experiment, &problems, &err) < 0)
		fail_msg("%s", err.text);
	return experiment;
}

/* 192.0.2.1 (RFC 5737) is not an address of any host, so no port of it can be bound. */
static void test_run_resources_resources__a_port_that_cannot_be_bound_fails(void **state)
{
	static const char *const texts[] = {
		"server: {model: m}\nlaunch: {gpus: [], host: 192.0.2.1, port: 8123}\n",
		"server: {model: m}\nlaunch: {gpus: [], host: 192.0.2.1}\n",
	};

	setenv("PROFLLM_LOCK_DIR", scratch_path(*state, "locks"), 1);
	for (size_t i = 0; i < PL_ARRAY_SIZE(texts); i++) {
		auto_experiment struct exp_config *experiment = read_experiment(texts[i]);
		const struct run_taking how = { .quiet = true };
		auto_json json_t *warnings = json_array();
		struct run_resources resources;
		struct pl_err err = PL_ERR_INIT;
		run_resources_init(&resources);
		assert_int_equal(run_resources_take(experiment, &how, warnings, &resources, &err),
				 -1);
		assert_non_null(strstr(err.text, "launch.port"));
		assert_non_null(strstr(err.text, "192.0.2.1"));
		assert_int_not_equal(err.code, PL_ERR_BUSY);
		run_resources_done(&resources);
	}
	unsetenv("PROFLLM_LOCK_DIR");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		scratch_test(test_run_resources_resources__a_port_that_cannot_be_bound_fails),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
