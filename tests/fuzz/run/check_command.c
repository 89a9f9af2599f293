/*
 * Any bytes as a pasted command, of no release and of two: the experiment made of it has the command's values and a place for each
 * problem, and its launch has one of the forms that experiments have.
 */
#include "run/check_command.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
	if (!holds)
		abort();
}

static void check_places(const struct vllm_command *command, const struct exp_config *experiment)
{
	PL_JSON_EACH_MEMBER(name, word, command->locations) {
		auto_free char *key = pl_asprintf("server.%s", name);
		const struct option_location *location = option_locations_find(
			&experiment->locations, key);
		(void)word;
		must(location != NULL && location->line >= 0 && location->column >= 0);
	}
}

static void check(const struct vllm_command *command, const struct exp_config *experiment)
{
	const struct exp_launch *launch = &experiment->launch;

	must(launch->container == NULL || launch->command == NULL);
	must(command->image == NULL || launch->container != NULL);
	PL_JSON_EACH_MEMBER(name, value, command->values)
		must(json_equal(value, json_object_get(experiment->server, name)));
	PL_JSON_EACH_MEMBER(name, value, launch->env) {
		(void)name;
		must(json_is_string(value));
	}
	check_places(command, experiment);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const releases[] = { NULL, "0.32.0", "0.9.0" };
	auto_free char *copy = pl_memdup(data, size);
	const struct run_command_input input = {
		.catalog = vllm_catalog_reference(),
		.source = "fuzz",
		.text = copy,
		.len = size,
		.version = releases[size % PL_ARRAY_SIZE(releases)],
		.program_flags = size % 2 == 1,
		.allow_removed = size % 4 == 1,
	};
	auto_command struct vllm_command *command = NULL;
	auto_experiment struct exp_config *experiment = NULL;
	auto_problems problems = { 0 };
	struct pl_err err = PL_ERR_INIT;

	if (run_command_read(&input, &command, &experiment, &problems, &err) < 0) {
		must(command == NULL && experiment == NULL && err.text[0] != '\0');
		return 0;
	}
	check(command, experiment);
	for (size_t i = 0; i < problems.count && i < 50; i++) {
		auto_buf text = PL_BUF(1u << 20);
		option_problem_text(&problems.items[i], OPTION_AS_LINE, &text);
		must(text.len > 0);
	}
	return 0;
}
