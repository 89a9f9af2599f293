/*
 * Reads command lines: one JSON object per line on standard input, one per line in return.
 * In: {command, release, argv}; release null if unknown.
 * Out: {errors: [{key, word, found}], values, load, env, form, version, yaml_values, rewritten,
 * shown}: `yaml_values` are the server arguments of the experiment file made from it, `rewritten`
 * the command line made from that file, `shown` all problems as text. For a load also {benchmark,
 * bench_serve}: the completed options of that file, and those of `profllm bench serve` with the
 * words argv.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../config_text.h"
#include "base/json.h"
#include "base/mem.h"
#include "experiment/config.h"
#include "vllm/bench/line.h"
#include "vllm/command/line.h"
#include "vllm/yaml_out.h"

#define TEXT_BYTES_MAX (16u << 20)

static const char *const forms[] = {
	[VLLM_COMMAND_FLAGS] = "flags",   [VLLM_COMMAND_SERVE] = "serve",
	[VLLM_COMMAND_MODULE] = "module", [VLLM_COMMAND_CONTAINER] = "docker",
	[VLLM_COMMAND_NONE] = "none",
};

static json_t *errors_of(const struct vllm_command *command, const struct option_problems *problems)
{
	json_t *errors = json_array();

	for (size_t i = 0; i < problems->count; i++) {
		if (problems->items[i].severity == OPTION_ERROR)
			json_array_append_new(
				errors, vllm_command_problem_to_json(command, &problems->items[i]));
	}
	return errors;
}

/* There and back: the file made from the command, loaded, written as a command again. */
static int put_round_trip(const struct vllm_command *command, json_t *answer, struct pl_err *err)
{
	auto_experiment struct exp_config *experiment = NULL;
	auto_problems problems = { 0 };
	auto_buf yaml = { 0 };
	auto_buf line = { 0 };

	pl_buf_init(&yaml, TEXT_BYTES_MAX);
	pl_buf_init(&line, TEXT_BYTES_MAX);
	if (vllm_yaml_from_command(command, true, &yaml, err) < 0 ||
	    config_text_parse(vllm_catalog_reference(), pl_buf_text(&yaml), yaml.len, "made.yaml",
			      NULL, 0, &experiment, &problems, err) < 0) {
		json_object_set_new(answer, "yaml_values", json_null());
		json_object_set_new(answer, "yaml_error", json_string(err->text));
		return 0;
	}
	struct vllm_command_style style = { .launch = experiment->launch.command,
					    .env = experiment->launch.env,
					    .secrets = true };
	if (vllm_command_write(experiment->server, &style, &line, err) < 0)
		return -1;
	json_object_set(answer, "yaml_values", experiment->server);
	json_object_set_new(answer, "benchmark", vllm_bench_to_json(&experiment->bench));
	json_object_set_new(answer, "rewritten", json_string(pl_buf_text(&line)));
	return 0;
}

/* As `profllm bench serve` completes the words; null where it refuses them. */
static json_t *complete(const json_t *argv)
{
	auto_experiment struct exp_config *experiment = exp_config_new(vllm_catalog_reference(),
								       "command line");
	auto_free const char **words = pl_alloc_array(json_array_size(argv) + 1, sizeof(*words));
	auto_problems problems = { 0 };
	struct vllm_bench_line line;

	for (size_t i = 0; i < json_array_size(argv); i++)
		words[i] = json_string_value(json_array_get(argv, i));
	vllm_bench_line_read(words, json_array_size(argv), VLLM_BENCH_OF_OURS, &line);
	auto_json json_t *options = vllm_bench_line_options(&line);
	bool refused = line.fault_count > 0;
	vllm_bench_line_done(&line);
	exp_config_set_options(experiment, options, &problems);
	return refused || problems.errors > 0 ? json_null()
					      : vllm_bench_to_json(&experiment->bench);
}

static void put_texts(const struct vllm_command *command, const struct option_problems *problems,
		      json_t *answer)
{
	auto_buf shown = { 0 };

	pl_buf_init(&shown, TEXT_BYTES_MAX);
	for (size_t i = 0; i < problems->count; i++)
		vllm_command_problem_text(command, &problems->items[i], &shown);
	json_object_set_new(answer, "shown", json_string(pl_buf_text(&shown)));
}

static int answer(const char *line, size_t len, struct pl_err *err)
{
	auto_json json_t *requested = NULL;
	auto_json json_t *answer = json_object();
	auto_command struct vllm_command *command = NULL;
	auto_problems problems = { 0 };

	if (pl_json_parse(line, len, "stdin", &requested, err) < 0)
		return -1;
	const char *text = json_string_value(json_object_get(requested, "command"));
	struct vllm_command_options options = {
		.release = json_string_value(json_object_get(requested, "release")),
	};
	if (vllm_command_parse(text, strlen(text), &options, &command, &problems, err) < 0)
		return -1;
	json_object_set_new(answer, "errors", errors_of(command, &problems));
	json_object_set(answer, "values", command->values);
	json_object_set_new(answer, "load",
			    command->load != NULL ? json_incref(command->load) : json_null());
	json_object_set_new(answer, "bench_serve", complete(json_object_get(requested, "argv")));
	json_object_set(answer, "env", command->env);
	json_object_set_new(answer, "form", json_string(forms[command->form]));
	json_object_set_new(answer, "version", pl_json_text(command->version));
	put_texts(command, &problems, answer);
	if (put_round_trip(command, answer, err) < 0)
		return -1;
	auto_free char *out = pl_json_to_text(answer, PL_JSON_COMPACT);
	printf("%s\n", out);
	return 0;
}

int main(void)
{
	auto_free char *line = NULL;
	size_t room = 0;
	ssize_t len;

	while ((len = getline(&line, &room, stdin)) > 0) {
		struct pl_err err = PL_ERR_INIT;
		if (answer(line, (size_t)len, &err) < 0) {
			fprintf(stderr, "%s\n", err.text);
			return 1;
		}
	}
	return 0;
}
