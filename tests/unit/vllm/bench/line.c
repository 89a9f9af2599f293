#include "vllm/bench/line.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/json.h"
#include "base/mem.h"
#include "option/argv.h"

static void flags_of_the_command_are_its_own(void **state)
{
	static const char *const words[] = { "--model", "m", "--output", "r.json", "--json" };
	struct vllm_bench_line line;

	(void)state;
	vllm_bench_line_read(words, PL_ARRAY_SIZE(words), VLLM_BENCH_OF_OURS, &line);
	assert_int_equal(line.fault_count, 0);
	assert_true(line.given[VLLM_BENCH_model]);
	assert_string_equal(pl_json_get_text(line.set, "model"), "m");
	auto_free char *flags = pl_json_to_text(line.flags, PL_JSON_COMPACT);
	assert_string_equal(flags, "{\"--output\":\"r.json\",\"--json\":true}");
	vllm_bench_line_done(&line);

	/* vLLM's parser does not know them and completes what begins alike */
	vllm_bench_line_read(words, PL_ARRAY_SIZE(words), VLLM_BENCH_OF_VLLM, &line);
	assert_int_equal(line.fault_count, 2);
	assert_string_equal(line.faults[0].text,
			    "argument --output-len: invalid int value: 'r.json'");
	assert_string_equal(line.faults[1].text, "unrecognized arguments: --json");
	assert_int_equal(json_object_size(line.flags), 0);
	vllm_bench_line_done(&line);
}

/* An offline benchmark has options that vLLM lacks. */
static void added_rows_are_those_that_vllm_lacks(void **state)
{
	static const char *const own[] = { "--output", "--json", "--upload", "--mode" };
	struct option_argv argv = { 0 };

	(void)state;
	vllm_bench_line_program_rows(&argv);
	for (size_t i = 0; i < PL_ARRAY_SIZE(own); i++) {
		if (option_argv_find(&argv, own[i]) == NULL)
			fail_msg("%s", own[i]);
	}
	assert_null(option_argv_find(&argv, "--help"));
	assert_null(option_argv_find(&argv, "--model"));
	option_argv_done(&argv);
}

/* Both programs know --help, and it is the first that an ambiguous beginning lists. */
static void help_is_a_flag(void **state)
{
	static const char *const help[] = { "-h" }, *const beginning[] = { "--he" };
	static const enum vllm_bench_program programs[] = { VLLM_BENCH_OF_OURS,
							    VLLM_BENCH_OF_VLLM };
	struct vllm_bench_line line;

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(programs); i++) {
		vllm_bench_line_read(help, 1, programs[i], &line);
		assert_int_equal(line.fault_count, 0);
		assert_true(json_is_true(json_object_get(line.flags, "--help")));
		vllm_bench_line_done(&line);
		vllm_bench_line_read(beginning, 1, programs[i], &line);
		assert_int_equal(line.fault_count, 1);
		assert_string_equal(line.faults[0].text,
				    "ambiguous option: --he could match --help, --header");
		vllm_bench_line_done(&line);
	}
}

static void a_line_has_separate_defaults(void **state)
{
	struct vllm_bench_line line;
	struct vllm_bench bench;

	(void)state;
	vllm_bench_line_init(&line);
	auto_json json_t *host = vllm_bench_get(&line.bench, VLLM_BENCH_host);
	auto_json json_t *port = vllm_bench_get(&line.bench, VLLM_BENCH_port);
	assert_string_equal(json_string_value(host), "127.0.0.1");
	assert_int_equal(json_integer_value(port), 8000);
	for (size_t i = 0; i < VLLM_BENCH_COUNT; i++)
		assert_false(line.given[i]);
	assert_int_equal(json_object_size(line.set), 0);
	vllm_bench_line_done(&line);

	/* a file has none */
	vllm_bench_init(&bench);
	auto_json json_t *none = vllm_bench_get(&bench, VLLM_BENCH_port);
	assert_true(json_is_null(none));
	vllm_bench_done(&bench);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(flags_of_the_command_are_its_own),
		cmocka_unit_test(added_rows_are_those_that_vllm_lacks),
		cmocka_unit_test(help_is_a_flag),
		cmocka_unit_test(a_line_has_separate_defaults),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
