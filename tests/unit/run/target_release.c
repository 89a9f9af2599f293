#include "run/target_release.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/file.h"
#include "base/scratch.h"
#include "config_text.h"
#include "vllm/catalog.h"

/* A folder of installations. */
static int set_up(void **state)
{
	*state = pl_alloc(SCRATCH_PATH);
	scratch_folder(*state);
	return 0;
}

static int tear_down(void **state)
{
	free(*state);
	return 0;
}

static void make_folder(const char *root, const char *path)
{
	auto_free char *command = pl_asprintf("mkdir -p '%s/%s'", root, path);

	assert_int_equal(system(command), 0);
}

static void make_program(const char *root, const char *name, const char *text)
{
	auto_free char *path = pl_asprintf("%s/%s", root, name);
	struct pl_err err = PL_ERR_INIT;

	assert_int_equal(pl_file_write(path, text, strlen(text), &err), 0);
	assert_int_equal(chmod(path, 0755), 0);
}

static void assert_found(const char *root, json_t *command, const char *expected)
{
	auto_free char *found = run_release_installed(command);

	json_decref(command);
	if (expected == NULL) {
		assert_null(found);
		return;
	}
	auto_free char *full = pl_asprintf("%s/%s", root, expected);
	assert_non_null(found);
	assert_string_equal(found, full);
}

static json_t *words(const char *root, const char *first, const char *second)
{
	json_t *list = json_array();

	json_array_append_new(list, json_sprintf("%s/%s", root, first));
	if (second != NULL)
		json_array_append_new(list, json_string(second));
	return list;
}

static void a_script_leads_to_its_environment(void **state)
{
	const char *root = *state;
	auto_free char *script = pl_asprintf("#!%s/v/bin/python3\nimport sys\n", root);

	make_folder(root, "v/bin");
	make_folder(root, "v/lib/python3.12/site-packages/vllm-0.11.1.dist-info");
	make_program(root, "v/bin/python3", "");
	make_program(root, "v/bin/vllm", script);
	assert_found(root, words(root, "v/bin/vllm", "serve"),
		     "v/lib/python3.12/site-packages/vllm-0.11.1.dist-info");
	/* an interpreter that is named itself */
	assert_found(root, words(root, "v/bin/python3", "-m"),
		     "v/lib/python3.12/site-packages/vllm-0.11.1.dist-info");
}

static void a_script_with_a_long_path_leads_there_too(void **state)
{
	const char *root = *state;
	auto_free char *script = pl_asprintf(
		"#!/bin/sh\n'''exec' \"%s/v/bin/python3\" \"$0\" \"$@\"\n' '''\n", root);

	make_folder(root, "v/bin");
	make_folder(root, "v/lib64/python3.11/site-packages/vllm-0.9.2.dist-info");
	make_program(root, "v/bin/python3", "");
	make_program(root, "v/bin/vllm", script);
	assert_found(root, words(root, "v/bin/vllm", NULL),
		     "v/lib64/python3.11/site-packages/vllm-0.9.2.dist-info");
}

static void user_packages_are_next_to_the_script(void **state)
{
	const char *root = *state;

	make_folder(root, "home/bin");
	make_folder(root, "home/lib/python3.11/site-packages/vllm-0.10.0.dist-info");
	make_program(root, "home/bin/vllm", "#!/nowhere/bin/python3\n");
	assert_found(root, words(root, "home/bin/vllm", NULL),
		     "home/lib/python3.11/site-packages/vllm-0.10.0.dist-info");
}

static void a_wrapper_program_is_skipped(void **state)
{
	const char *root = *state;
	auto_free char *script = pl_asprintf("#!%s/v/bin/python3\n", root);
	json_t *command = json_array();

	make_folder(root, "v/bin");
	make_folder(root, "v/lib/python3.12/site-packages/vllm-0.32.0+cpu.dist-info");
	make_program(root, "v/bin/python3", "");
	make_program(root, "v/bin/vllm", script);
	make_program(root, "v/bin/pin", "\177ELF");
	json_array_append_new(command, json_sprintf("%s/v/bin/pin", root));
	json_array_append_new(command, json_string("-N"));
	json_array_append_new(command, json_sprintf("%s/v/bin/vllm", root));
	assert_found(root, command, "v/lib/python3.12/site-packages/vllm-0.32.0+cpu.dist-info");
}

static void other_files_say_nothing(void **state)
{
	const char *root = *state;

	make_folder(root, "bin");
	make_program(root, "bin/server", "\177ELF");
	make_program(root, "bin/empty", "");
	make_program(root, "bin/line", "#!\n");
	assert_found(root, words(root, "bin/server", NULL), NULL);
	assert_found(root, words(root, "bin/empty", NULL), NULL);
	assert_found(root, words(root, "bin/line", NULL), NULL);
	assert_found(root, words(root, "bin/absent", NULL), NULL);
	assert_found(root, json_array(), NULL);
}

static struct exp_config *parse(const char *text)
{
	struct exp_config *experiment = NULL;
	auto_problems problems = { 0 };
	struct pl_err err = PL_ERR_INIT;

	assert_int_equal(config_text_parse(vllm_catalog_reference(), text, strlen(text), "e.yaml",
					   NULL, 0, &experiment, &problems, &err),
			 0);
	return experiment;
}

static void assert_release(const char *text, const char *option, const char *version, bool assumed)
{
	auto_experiment struct exp_config *experiment = parse(text);
	auto_release release = { 0 };

	run_release_find(experiment, option, &release);
	assert_string_equal(release.version, version);
	assert_int_equal(release.assumed, assumed);
}

static void the_option_counts_most_then_the_file_then_what_is_installed(void **state)
{
	const char *root = *state;
	auto_free char *installed = pl_asprintf("launch: {command: [%s/v/bin/python3]}", root);
	auto_free char *both = pl_asprintf(
		"launch: {command: [%s/v/bin/python3], vllm_version: 0.10.1}", root);

	make_folder(root, "v/bin");
	make_folder(root, "v/lib/python3.12/site-packages/vllm-0.32.0+cpu.dist-info");
	make_program(root, "v/bin/python3", "");
	assert_release(both, "0.9.0", "0.9.0", false);
	assert_release(both, NULL, "0.10.1", false);
	assert_release(installed, NULL, "0.32.0", false);
	assert_release("launch: {command: [/nowhere/vllm]}", NULL, VLLM_REFERENCE_RELEASE, true);
	assert_release("launch: {url: 'http://127.0.0.1:1'}", NULL, VLLM_REFERENCE_RELEASE, true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_script_leads_to_its_environment, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_script_with_a_long_path_leads_there_too, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(user_packages_are_next_to_the_script, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_wrapper_program_is_skipped, set_up, tear_down),
		cmocka_unit_test_setup_teardown(other_files_say_nothing, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			the_option_counts_most_then_the_file_then_what_is_installed, set_up,
			tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
