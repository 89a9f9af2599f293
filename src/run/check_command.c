/*
 * Reads a vLLM command line as an experiment, so one set of checks and messages serves both. Locations are kept: a
 * problem refers to the word of the command, or to line and column of the file in --config.
 */
#include "run/check_command.h"

#include <stdlib.h>

#include "base/mem.h"
#include "run/target_release.h"

static void set_locations(const struct vllm_command *command, struct exp_config *experiment)
{
	PL_JSON_EACH_MEMBER(name, word, command->locations) {
		auto_free char *key = pl_asprintf("server.%s", name);
		size_t number = (size_t)json_integer_value(word);
		const json_t *line = json_array_get(word, 0);
		const json_t *column = json_array_get(word, 1);
		bool known = number > 0 && number <= command->words.count;
		option_locations_set(&experiment->locations, key,
				     known || command->config == NULL ? command->source
								      : command->config,
				     known ? (int)number : (int)json_integer_value(line),
				     known ? command->words.items[number - 1].column
					   : (int)json_integer_value(column));
	}
}

/*
 * Locations are those of the command: the number of a word and its column. Never NULL. Refused load options are
 * omitted.
 */
static struct exp_config *command_experiment(const struct vllm_command *command,
					     struct option_problems *problems)
{
	struct exp_config *experiment = exp_config_new(command->catalog, command->source);
	struct exp_launch *launch = &experiment->launch;

	json_object_update(experiment->server, command->values);
	if (command->image != NULL)
		launch->container = json_pack("{s:s?, s:s, s:O}", "runtime", command->runtime,
					      "image", command->image, "args",
					      command->runtime_args);
	else if (json_array_size(command->launch) > 0)
		launch->command = json_copy(command->launch);
	launch->vllm_version = pl_strdup(command->version);
	PL_JSON_EACH_MEMBER(name, value, command->env) {
		/* a name without a value, as in docker's "-e NAME", is taken from our environment */
		const char *text = json_is_string(value) ? json_string_value(value) : getenv(name);
		if (text != NULL)
			json_object_set_new(experiment->launch.env, name, json_string(text));
	}
	set_locations(command, experiment);
	PL_JSON_EACH_MEMBER(name, word, command->load_locations) {
		auto_free char *key = pl_asprintf("benchmark.%s", name);
		size_t number = (size_t)json_integer_value(word);
		option_locations_set(&experiment->locations, key, command->source, (int)number,
				     command->words.items[number - 1].column);
	}
	if (command->load != NULL)
		exp_config_set_options(experiment, command->load, problems);
	return experiment;
}

static int parse(const struct run_command_input *input, const char *release,
		 struct vllm_command **ret, struct option_problems *problems, struct pl_err *err)
{
	struct vllm_command_options options = {
		.catalog = input->catalog,
		.source = input->source,
		.release = release,
		.allow_removed = input->allow_removed,
		.program_flags = input->program_flags,
	};

	if (input->words != NULL)
		return vllm_command_from_words(input->words, input->inside, &options, ret, problems,
					       err);
	if (input->text != NULL)
		return vllm_command_parse(input->text, input->len, &options, ret, problems, err);
	return vllm_command_from_argv(input->argv, input->argc, &options, ret, problems, err);
}

int run_command_read(const struct run_command_input *input, struct vllm_command **ret_command,
		     struct exp_config **ret_experiment, struct option_problems *problems,
		     struct pl_err *err)
{
	auto_command struct vllm_command *command = NULL;
	auto_experiment struct exp_config *experiment = NULL;
	auto_problems found = { 0 };
	auto_release release = { 0 };

	if (parse(input, input->version, &command, &found, err) < 0)
		return -1;
	experiment = command_experiment(command, &found);
	run_release_find(experiment, input->version, &release);
	if (release.found_in == NULL) {
		for (size_t i = 0; i < found.count; i++)
			option_problems_add(problems, &found.items[i]);
	} else {
		/* the first reading determined the release; read again with its arguments */
		vllm_command_free(pl_take(command));
		exp_config_free(pl_take(experiment));
		if (parse(input, release.version, &command, problems, err) < 0)
			return -1;
		experiment = command_experiment(command, problems);
	}
	*ret_command = pl_take(command);
	*ret_experiment = pl_take(experiment);
	return 0;
}
