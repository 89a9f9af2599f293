#include "result/commands.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static json_t *commands_of(const char *experiment)
{
	auto_json json_t *json = json_loads(experiment, 0, NULL);

	assert_non_null(json);
	auto_json json_t *document = json_pack("{s:i, s:s, s:{s:O}}", "schema_version", 3, "run_id",
					       "exp_1", "config", "experiment", json);
	return res_commands(document, false);
}

static const json_t *find(const json_t *all, const char *id)
{
	PL_JSON_EACH(command, json_object_get(all, "commands")) {
		if (strcmp(pl_json_get_text(command, "id"), id) == 0)
			return command;
	}
	return NULL;
}

static void variables_stay_for_the_shell(void **state)
{
	static const struct {
		const char *model;
		const char *expected;
	} cases[] = {
		{ "m", "vllm serve m\n" },
		{ "${V}", "vllm serve \"${V}\"\n" },
		{ "a b${V}", "vllm serve 'a b'\"${V}\"\n" },
		{ "${V} b", "vllm serve \"${V}\"' b'\n" },
		{ "${V}${W}", "vllm serve \"${V}\"\"${W}\"\n" },
		{ "it's ${V}'", "vllm serve 'it'\\''s '\"${V}\"\\'''\n" },
		{ "'${V}", "vllm serve ''\\'\"${V}\"\n" },
		{ "${V:-$(id)}", "vllm serve '${V:-$(id)}'\n" },
		{ "${}", "vllm serve '${}'\n" },
		{ "${V", "vllm serve '${V'\n" },
		{ "$V", "vllm serve '$V'\n" },
		{ "${1}", "vllm serve '${1}'\n" },
	};

	(void)state;
	assert_int_equal(setenv("V", "leaked", 1), 0);
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		auto_json json_t *experiment = json_pack("{s:{s:s}}", "server", "model",
							 cases[i].model);
		auto_free char *text = json_dumps(experiment, 0);
		auto_json json_t *all = commands_of(text);
		assert_string_equal(pl_json_get_text(find(all, "server"), "text"),
				    cases[i].expected);
	}
}

static void a_reason_replaces_a_text(void **state)
{
	auto_json json_t *all = commands_of("{\"server\": {\"model\": \"m\", \"block_size\": "
					    "\"${B}\"}}");
	const json_t *server = find(all, "server");

	(void)state;
	assert_null(pl_json_get_text(server, "text"));
	assert_non_null(strstr(pl_json_get_text(server, "reason"), "'${B}'"));
	assert_non_null(pl_json_get_text(find(all, "repeat"), "text"));
	assert_string_equal(pl_json_get_text(find(all, "repeat"), "file"), "exp_1.json");
}

static void secrets_are_named(void **state)
{
	auto_json json_t *all = commands_of("{\"server\": {\"model\": \"m\", \"api_key\": \"***\"},"
					    " \"launch\": {\"extra_args\": [\"--x\", \"a ***\"]}}");

	(void)state;
	auto_free char *text = json_dumps(json_object_get(all, "secrets"), JSON_COMPACT);
	assert_string_equal(text, "[\"server.api_key\",\"launch.extra_args[1]\"]");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(variables_stay_for_the_shell),
		cmocka_unit_test(a_reason_replaces_a_text),
		cmocka_unit_test(secrets_are_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
