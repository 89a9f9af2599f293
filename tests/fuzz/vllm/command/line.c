/*
 * Parses any bytes as a command line: values or faults, never a crash. The experiment file made
 * from it reproduces the values for which it has a key. So do the commands made from its values and
 * from the options of its load.
 */
#include "vllm/command/line.h"

#include <stdlib.h>
#include <string.h>

#include "../../../config_text.h"
#include "base/mem.h"
#include "experiment/config.h"
#include "vllm/bench/write.h"
#include "vllm/yaml_out.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

#define TEXT_BYTES_MAX (32u << 20)

static void check_texts(const struct vllm_command *command, const struct option_problems *problems)
{
	for (size_t i = 0; i < problems->count && i < 50; i++) {
		auto_json json_t *json = vllm_command_problem_to_json(command, &problems->items[i]);
		auto_free char *dump = pl_json_to_text(json, PL_JSON_COMPACT);
		auto_buf text = { 0 };
		pl_buf_init(&text, TEXT_BYTES_MAX);
		vllm_command_problem_text(command, &problems->items[i], &text);
		if (text.len == 0 || dump == NULL)
			abort();
	}
}

/* Secrets become variables, and null is nothing where that is the default. */
static bool says_less(const char *name, const json_t *value)
{
	return strcmp(name, "api_key") == 0 || strcmp(name, "hf_token") == 0 || json_is_null(value);
}

static void check_written(const struct vllm_command *command,
			  const struct vllm_command_options *options)
{
	auto_command struct vllm_command *retry = NULL;
	auto_problems problems = { 0 };
	struct pl_err err = PL_ERR_INIT;
	const char *name;
	json_t *value;
	auto_buf line = { 0 };

	pl_buf_init(&line, TEXT_BYTES_MAX);
	if (vllm_command_write(command->values, &(struct vllm_command_style){ .secrets = true },
			       &line, &err) < 0 ||
	    line.len > VLLM_WORDS_BYTES_MAX)
		return;
	if (vllm_command_parse(pl_buf_text(&line), line.len, options, &retry, &problems, &err) <
		    0 ||
	    problems.errors > 0)
		abort();
	json_object_foreach(command->values, name, value)
	{
		if (!says_less(name, value) &&
		    !json_equal(value, json_object_get(retry->values, name)))
			abort();
	}
}

/* Header values are "***" on the way back, and an empty list is nothing. */
static bool load_says_less(const char *name, const json_t *value)
{
	return strcmp(name, "header") == 0 || (json_is_array(value) && json_array_size(value) == 0);
}

static void check_load_written(const struct vllm_command *command, const struct vllm_bench *bench,
			       const struct vllm_command_options *options)
{
	auto_command struct vllm_command *retry = NULL;
	auto_json json_t *words = json_array();
	auto_problems problems = { 0 };
	struct pl_err err = PL_ERR_INIT;
	const char *name;
	json_t *value;
	auto_buf line = { 0 };

	json_object_foreach(command->load, name, value)
	{
		/* of ours alone */
		if (vllm_bench_row(vllm_bench_find(name))->ours ||
		    !vllm_bench_words_add(bench, vllm_bench_find(name), words))
			return;
	}
	pl_buf_init(&line, TEXT_BYTES_MAX);
	if (vllm_command_write_load(words, &(struct vllm_command_style){ .secrets = true }, &line,
				    &err) < 0 ||
	    line.len > VLLM_WORDS_BYTES_MAX)
		return;
	if (vllm_command_parse(pl_buf_text(&line), line.len, options, &retry, &problems, &err) <
		    0 ||
	    problems.errors > 0)
		abort();
	json_object_foreach(command->load, name, value)
	{
		if (!load_says_less(name, value) &&
		    !json_equal(value, json_object_get(retry->load, name)))
			abort();
	}
}

static void check_load(const struct vllm_command *command,
		       const struct vllm_command_options *options)
{
	auto_experiment struct exp_config *experiment = exp_config_new(vllm_catalog_reference(),
								       "fuzz");
	auto_problems problems = { 0 };

	if (command->load == NULL)
		return;
	exp_config_set_options(experiment, command->load, &problems);
	if (problems.errors == 0)
		check_load_written(command, &experiment->bench, options);
}

static void check_yaml(const struct vllm_command *command)
{
	auto_experiment struct exp_config *experiment = NULL;
	auto_problems problems = { 0 };
	struct pl_err err = PL_ERR_INIT;
	auto_buf yaml = { 0 };

	pl_buf_init(&yaml, TEXT_BYTES_MAX);
	if (vllm_yaml_from_command(command, true, &yaml, &err) < 0)
		abort();
	if (config_text_parse(vllm_catalog_reference(), pl_buf_text(&yaml), yaml.len, "made.yaml",
			      NULL, 0, &experiment, &problems, &err) == 0 &&
	    !json_equal(experiment->server, command->values))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static const char *const releases[] = { NULL, "0.32.0", "0.9.0" };
	const struct vllm_command_options options = {
		.release = len > 0 ? releases[data[len - 1] % PL_ARRAY_SIZE(releases)] : NULL,
		.folder = "/nonexistent",
	};
	struct vllm_command_options same = options;
	auto_command struct vllm_command *command = NULL;
	auto_problems problems = { 0 };
	struct pl_err err = PL_ERR_INIT;

	if (vllm_command_parse((const char *)data, len, &options, &command, &problems, &err) < 0)
		return err.text[0] == '\0' ? abort(), 0 : 0;
	check_texts(command, &problems);
	if (problems.errors > 0)
		return 0;
	check_yaml(command);
	check_load(command, &options);
	/* an image said the release */
	same.release = command->target;
	check_written(command, &same);
	return 0;
}
