#include "sweep/vllm/command.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static json_t *split(const char *text)
{
	struct pl_err err = PL_ERR_INIT;
	json_t *words = NULL;

	if (sweep_vllm_command_split("--x", text, &words, &err) < 0)
		fail_msg("%s: %s", text, err.text);
	return words;
}

static void check_set(const char *command, const char *parameters, const char *expected)
{
	auto_json json_t *words = split(command);
	auto_json json_t *wanted = json_loads(expected, 0, NULL);
	auto_json json_t *object = json_loads(parameters, 0, NULL);

	sweep_vllm_command_set(words, object);
	if (!json_equal(words, wanted)) {
		auto_free char *text = pl_json_to_text(words, PL_JSON_PYTHON);
		fail_msg("%s: found %s, expected %s", parameters, text, expected);
	}
}

#define BASE "vllm serve m --max-num-seqs 8 --enable_x --max_model_len=5"
#define HEAD "[\"vllm\", \"serve\", \"m\", "
#define SAME HEAD "\"--max-num-seqs\", \"8\", \"--enable_x\", \"--max_model_len=5\", "

/* vLLM's own test vectors, but with '=' and lists fixed. */
static void test_sweep_vllm_command__sets_as_vllm(void **state)
{
	static const struct {
		const char *parameters, *words;
	} cases[] = {
		{ "{\"max_num_seqs\": 16}",
		  HEAD "\"--max-num-seqs\", \"16\", \"--enable_x\", \"--max_model_len=5\"]" },
		{ "{\"enable_x\": false, \"enable-y\": true, \"z\": false}",
		  HEAD "\"--max-num-seqs\", \"8\", \"--no-enable-x\", \"--max_model_len=5\", "
		       "\"--enable-y\", \"--no-z\"]" },
		{ "{\"compilation_config.cudagraph_mode\": \"FULL\", \"compilation_config.x_y\": "
		  "true}",
		  SAME "\"--compilation-config.cudagraph_mode\", \"FULL\", "
		       "\"--compilation-config.x_y=true\"]" },
		{ "{\"compilation_config\": {\"a\": 1}, \"l\": [1, 2], \"n\": null}", SAME
		  "\"--compilation-config\", \"{\\\"a\\\": 1}\", \"--l\", \"[1, 2]\", \"--n\", "
		  "\"None\"]" },
		/* vLLM appends it, where it takes precedence */
		{ "{\"max_model_len\": 7}",
		  HEAD "\"--max-num-seqs\", \"8\", \"--enable_x\", \"--max-model-len\", \"7\"]" },
		{ "{\"l\": [\"a\", true]}", SAME "\"--l\", \"[\\\"a\\\", true]\"]" },
		{ "{\"_benchmark_name\": \"a\", \"f\": 1e-07, \"t\": \"a b\"}",
		  SAME "\"--f\", \"1e-07\", \"--t\", \"a b\"]" },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++)
		check_set(BASE, cases[i].parameters, cases[i].words);
}

static void test_sweep_vllm_command__replaces_what_counts(void **state)
{
	(void)state;
	/* vLLM: an index error */
	check_set("v --port", "{\"port\": 1}", "[\"v\", \"--port\", \"1\"]");
	check_set("v --a_b 1 --a-b 2 c", "{\"a_b\": 3}",
		  "[\"v\", \"--a_b\", \"1\", \"--a-b\", \"3\", \"c\"]");
	check_set("v --a.b=true --c", "{\"a.b\": false}", "[\"v\", \"--a.b=false\", \"--c\"]");
	check_set("v --a.b true --c", "{\"a.b\": false}", "[\"v\", \"--a.b=false\", \"--c\"]");
	check_set("v --a-b.c_d 1", "{\"a_b.c_d\": 2}", "[\"v\", \"--a-b.c_d\", \"2\"]");
	check_set("--port serve", "{\"port\": 1}", "[\"--port\", \"serve\", \"--port\", \"1\"]");
}

static void test_sweep_vllm_command__splits_as_python(void **state)
{
	static const struct {
		const char *text, *words;
	} cases[] = {
		{ "vllm serve m", "[\"vllm\", \"serve\", \"m\"]" },
		{ "  a\t'b c'\n\"d \\\" \\\\ \\n\"x \\e ''",
		  "[\"a\", \"b c\", \"d \\\" \\\\ \\\\nx\", "
		  "\"e\", \"\"]" },
		{ "a $HOME | b > c # d",
		  "[\"a\", \"$HOME\", \"|\", \"b\", \">\", \"c\", \"#\", \"d\"]" },
		{ "a --b='{\"c\": 1}'", "[\"a\", \"--b={\\\"c\\\": 1}\"]" },
	};
	static const char *const bad[] = { "", "  ", "a 'b", "a \"b\\\"", "a \\", "a \xff" };

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		auto_json json_t *words = split(cases[i].text);
		auto_json json_t *wanted = json_loads(cases[i].words, 0, NULL);
		assert_true(json_equal(words, wanted));
	}
	for (size_t i = 0; i < PL_ARRAY_SIZE(bad); i++) {
		struct pl_err err = PL_ERR_INIT;
		json_t *words = NULL;
		assert_int_equal(sweep_vllm_command_split("--x", bad[i], &words, &err), -1);
		assert_non_null(strstr(err.text, "--x"));
		assert_null(words);
	}
}

static void test_sweep_vllm_command__values_and_dropped_flags(void **state)
{
	auto_json json_t *words = split("v -p 1 --host=a --output-json x --output_json=y --port 2");
	auto_json json_t *left = json_pack("[s, s, s, s, s, s]", "v", "-p", "1", "--host=a",
					   "--port", "2");

	(void)state;
	assert_string_equal(sweep_vllm_command_value(words, "--port", "-p"), "2");
	assert_string_equal(sweep_vllm_command_value(words, "--host", NULL), "a");
	assert_null(sweep_vllm_command_value(words, "--hos", NULL));
	sweep_vllm_command_drop(words, "output-json");
	assert_true(json_equal(words, left));
	auto_free char *text = sweep_vllm_command_text(words);
	assert_string_equal(text, "v -p 1 --host=a --port 2");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sweep_vllm_command__sets_as_vllm),
		cmocka_unit_test(test_sweep_vllm_command__replaces_what_counts),
		cmocka_unit_test(test_sweep_vllm_command__splits_as_python),
		cmocka_unit_test(test_sweep_vllm_command__values_and_dropped_flags),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
