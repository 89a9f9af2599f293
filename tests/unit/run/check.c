#include "run/check.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/file.h"
#include "run/check_command.h"

/* Reads and checks a text; the problems as "severity source:line key rule" lines. */
static char *check(const char *text, const struct exp_check_options *options)
{
	auto_experiment struct exp_config *experiment = NULL;
	auto_problems problems = { 0 };
	auto_check found = { 0 };
	struct pl_err err = PL_ERR_INIT;
	auto_buf all = { 0 };

	pl_buf_init(&all, 1 << 16);
	assert_int_equal(exp_config_read_text(vllm_catalog_reference(), text, strlen(text),
					      "e.yaml", NULL, 0, &experiment, &problems, &err),
			 0);
	run_check_server(experiment, options, &found, &problems);
	for (size_t i = 0; i < problems.count; i++) {
		const struct option_problem *problem = &problems.items[i];
		pl_buf_addf(&all, "%s %s:%d %s %s\n",
			    problem->severity == OPTION_ERROR ? "error" : "warning",
			    problem->source, problem->line, problem->key,
			    problem->rule != NULL ? problem->rule : "-");
	}
	return all.len > 0 ? pl_buf_take(&all) : pl_strdup("");
}

static void assert_checked(const char *text, const struct exp_check_options *options,
			   const char *expected)
{
	auto_free char *found = check(text, options);

	assert_string_equal(found, expected);
}

static void facts_of_the_host_decide(void **state)
{
	static const char tp4[] = "server: {tensor_parallel_size: 4}\n";
	static const char broken[] = "error e.yaml:1 server.tensor_parallel_size "
				     "world_fits_gpus\n";
	struct ckpt_hardware two = { 0 };
	struct exp_check_options nothing = { 0 };
	struct exp_check_options profile = { .hardware = &two };
	struct pl_err err = PL_ERR_INIT;

	(void)state;
	assert_int_equal(ckpt_hardware_find("h100x2", &two, &err), 0);
	assert_checked(tp4, &nothing, "");
	assert_checked(tp4, &profile, broken);
	auto_free char *listed = pl_asprintf("%slaunch: {gpus: [0, 1]}\n", tp4);
	assert_checked(listed, &nothing, broken);
	auto_free char *enough = pl_asprintf("%slaunch: {gpus: [0, 1, 2, 3]}\n", tp4);
	assert_checked(enough, &profile, "");
	auto_free char *without = pl_asprintf("%slaunch: {gpus: []}\n", tp4);
	assert_checked(without, &profile, "");
	auto_free char *elsewhere = pl_asprintf("%slaunch: {url: 'http://h:1'}\n", tp4);
	assert_checked(elsewhere, &profile, "");
}

static void the_platform_is_given_or_comes_from_the_gpus(void **state)
{
	static const char sleeps[] = "server: {enable_sleep_mode: true}\n";
	struct ckpt_hardware gpus = { 0 };
	struct exp_check_options nothing = { 0 };
	struct exp_check_options profile = { .hardware = &gpus };
	struct pl_err err = PL_ERR_INIT;

	(void)state;
	assert_int_equal(ckpt_hardware_find("h100", &gpus, &err), 0);
	assert_checked(sleeps, &nothing, "");
	assert_checked(sleeps, &profile, "");
	auto_free char *cpu = pl_asprintf("%slaunch: {platform: cpu}\n", sleeps);
	assert_checked(cpu, &nothing,
		       "error e.yaml:1 server.enable_sleep_mode sleep_mode_platform\n");
}

static void what_the_reader_refused_breaks_no_rule(void **state)
{
	struct exp_check_options nothing = { 0 };

	(void)state;
	assert_checked("server:\n  enable_auto_tool_choice: true\n", &nothing,
		       "error e.yaml:2 server.enable_auto_tool_choice auto_tool_needs_parser\n");
	assert_checked("server:\n  enable_auto_tool_choice: true\n  tool_call_parser: []\n",
		       &nothing, "error e.yaml:3 server.tool_call_parser -\n");
	assert_checked("server:\n  enable_auto_tool_choice: true\n  tool_cal_parser: x\n", &nothing,
		       "error e.yaml:3 server.tool_cal_parser -\n");
	/* a fault elsewhere hides nothing */
	assert_checked("server:\n  seed: x\n  enable_auto_tool_choice: true\n", &nothing,
		       "error e.yaml:2 server.seed -\n"
		       "error e.yaml:3 server.enable_auto_tool_choice auto_tool_needs_parser\n");
}

static void problems_are_in_the_order_of_the_file(void **state)
{
	struct exp_check_options nothing = { 0 };

	(void)state;
	assert_checked("server:\n  task: embed\n  enable_auto_tool_choice: true\n  seed: x\n"
		       "launch: {prot: 1}\n",
		       &nothing,
		       "warning e.yaml:2 server.task -\n"
		       "error e.yaml:3 server.enable_auto_tool_choice auto_tool_needs_parser\n"
		       "error e.yaml:4 server.seed -\n"
		       "error e.yaml:5 launch.prot -\n");
}

static void releases_and_strictness(void **state)
{
	static const char gone[] = "server: {task: embed}\n";
	struct exp_check_options nothing = { 0 };
	struct exp_check_options known = { .target.version = "0.32.0" };
	struct exp_check_options allowed = { .target.version = "0.32.0", .allow_removed = true };
	struct exp_check_options strict = { .strict = true };
	struct exp_check_options older = { .target.version = "0.9.0" };

	(void)state;
	assert_checked(gone, &nothing, "warning e.yaml:1 server.task -\n");
	assert_checked(gone, &known, "error e.yaml:1 server.task -\n");
	assert_checked(gone, &allowed, "warning e.yaml:1 server.task -\n");
	assert_checked(gone, &strict, "error e.yaml:1 server.task -\n");
	assert_checked(gone, &older, "");
	assert_checked("launch: {vllm_version: soon}\n", &nothing,
		       "error e.yaml:1 launch.vllm_version -\n");
}

static void a_server_without_an_api_belongs_to_several_nodes(void **state)
{
	struct exp_check_options nothing = { 0 };
	struct exp_check_options meant = { .is_command = true };

	(void)state;
	assert_checked("server: {headless: true}\n", &nothing,
		       "error e.yaml:1 server.headless -\n");
	assert_checked("server: {headless: true}\n", &meant, "");
	assert_checked("server: {headless: true, nnodes: 2, node_rank: 1, "
		       "tensor_parallel_size: 2}\n",
		       &nothing, "warning e.yaml:1 server.headless -\n");
}

static void keys_of_objects_are_those_of_one_release(void **state)
{
	static const char unknown[] = "server: {compilation_config: {no_such_key: 1}}\n";
	struct exp_check_options nothing = { 0 };

	(void)state;
	assert_checked(unknown, &nothing,
		       "error e.yaml:1 server.compilation_config.no_such_key -\n");
	auto_free char *older = pl_asprintf("%slaunch: {vllm_version: 0.10.0}\n", unknown);
	assert_checked(older, &nothing,
		       "warning e.yaml:1 server.compilation_config.no_such_key -\n");
	auto_free char *same = pl_asprintf("%slaunch: {vllm_version: 0.32.0}\n", unknown);
	assert_checked(same, &nothing, "error e.yaml:1 server.compilation_config.no_such_key -\n");
}

static struct exp_config *of_command(const char *text, struct option_problems *problems)
{
	auto_command struct vllm_command *command = NULL;
	struct exp_config *experiment = NULL;
	struct run_command_input input = {
		.source = "pasted", .text = text, .len = strlen(text), .version = "0.32.0"
	};
	struct pl_err err = PL_ERR_INIT;

	assert_int_equal(run_command_read(&input, &command, &experiment, problems, &err), 0);
	return experiment;
}

static void a_command_is_an_experiment(void **state)
{
	auto_problems problems = { 0 };

	(void)state;
	auto_experiment struct exp_config *e = of_command("A=b vllm serve m --seed 7", &problems);
	const struct option_location *location = option_locations_find(&e->locations,
								       "server.seed");
	assert_int_equal(problems.count, 0);
	assert_int_equal(json_integer_value(json_object_get(e->server, "seed")), 7);
	assert_string_equal(json_string_value(json_object_get(e->launch.env, "A")), "b");
	assert_string_equal(json_string_value(json_array_get(e->launch.command, 0)), "vllm");
	assert_non_null(location);
	assert_string_equal(location->source, "pasted");
	assert_int_equal(location->line, 5);

	auto_experiment struct exp_config *contained = of_command(
		"docker run --gpus all vllm/vllm-openai:v0.9.0 --model m", &problems);
	assert_null(contained->launch.command);
	assert_string_equal(contained->launch.vllm_version, "0.9.0");
	assert_string_equal(
		json_string_value(json_object_get(contained->launch.container, "image")),
		"vllm/vllm-openai:v0.9.0");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(facts_of_the_host_decide),
		cmocka_unit_test(the_platform_is_given_or_comes_from_the_gpus),
		cmocka_unit_test(what_the_reader_refused_breaks_no_rule),
		cmocka_unit_test(problems_are_in_the_order_of_the_file),
		cmocka_unit_test(releases_and_strictness),
		cmocka_unit_test(a_server_without_an_api_belongs_to_several_nodes),
		cmocka_unit_test(keys_of_objects_are_those_of_one_release),
		cmocka_unit_test(a_command_is_an_experiment),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
