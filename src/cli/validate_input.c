/*
 * One input of `validate` or `config`: an experiment file, a command line, or standard input, which may be either (a
 * YAML mapping is a file). It is read and checked. An unreadable input has a problem, so that the other inputs are
 * still checked.
 */
#include "cli/validate_input.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"
#include "base/yaml.h"
#include "run/check_command.h"
#include "vllm/manifest/manifest.h"

#define TEXT_BYTES_MAX (8u << 20)

void cli_input_done(struct cli_input *input)
{
	free(input->name);
	free(input->container);
	free(input->text);
	exp_config_free(input->experiment);
	vllm_command_free(input->command);
	option_problems_done(&input->problems);
	run_check_done(&input->check);
}

static void add_unreadable(struct cli_input *input, const struct pl_err *err)
{
	option_problem_report(&input->problems, .source = input->name, .line = err->line,
			      .column = err->column, .key = "", .found = err->text + err->reason,
			      .expected_is_reason = true, .reason = "unreadable");
}

void cli_input_file(struct cli_input *input, const char *path, const char *const *sets,
		    size_t set_count)
{
	struct pl_err err = PL_ERR_INIT;

	input->name = pl_strdup(path);
	if (run_check_read(input->catalog, path, sets, set_count, &input->experiment,
			   &input->problems, &err) < 0)
		add_unreadable(input, &err);
}

/* The words of `argv`; NULL: those in the input's text. */
static void read_command(struct cli_input *input, char **argv, int argc,
			 const struct exp_check_options *options)
{
	struct pl_err err = PL_ERR_INIT;
	const struct run_command_input how = {
		.catalog = input->catalog,
		.source = input->name,
		.argv = (const char *const *)argv,
		.argc = (size_t)argc,
		.text = input->text,
		.len = input->len,
		.version = options->target.version,
		.allow_removed = options->allow_removed,
	};

	if (run_command_read(&how, &input->command, &input->experiment, &input->problems, &err) < 0)
		add_unreadable(input, &err);
}

void cli_input_command(struct cli_input *input, char **argv, int argc,
		       const struct exp_check_options *options)
{
	input->name = pl_strdup("command line");
	read_command(input, argv, argc, options);
}

int cli_stdin_read(size_t max_bytes, char **ret_text, size_t *ret_len, struct pl_err *err)
{
	auto_buf text = PL_BUF(max_bytes);

	for (;;) {
		char block[65536];
		size_t got = fread(block, 1, sizeof(block), stdin);
		if (got == 0)
			break;
		if (!pl_buf_add(&text, block, got))
			return pl_err_invalid(err, "standard input is larger than %zu bytes",
					      max_bytes);
	}
	if (ferror(stdin))
		return pl_err_errno(err, "could not read standard input");
	*ret_len = text.len;
	*ret_text = pl_buf_take(&text);
	return 0;
}

const char *cli_input_name(const char *path)
{
	return strcmp(path, CLI_STDIN) == 0 ? "standard input" : path;
}

int cli_text_read(const char *path, char **ret_text, size_t *ret_len, struct pl_err *err)
{
	return strcmp(path, CLI_STDIN) == 0
		       ? cli_stdin_read(TEXT_BYTES_MAX, ret_text, ret_len, err)
		       : pl_file_read(path, TEXT_BYTES_MAX, ret_text, ret_len, err);
}

bool cli_is_script(const char *path, const char *text)
{
	static const char *const endings[] = { ".sh",     ".bash", ".zsh", ".slurm",
					       ".sbatch", ".ps1",  ".bat", ".cmd" };

	for (size_t i = 0; i < PL_ARRAY_SIZE(endings); i++) {
		if (pl_text_ends(path, endings[i]))
			return true;
	}
	return pl_text_starts(text, "#!");
}

void cli_input_container(struct cli_input *input, const char *path,
			 const struct vllm_container *container,
			 const struct exp_check_options *options)
{
	const struct vllm_inside inside = vllm_container_inside(container);
	struct pl_err err = PL_ERR_INIT;

	input->name = pl_strdup(cli_input_name(path));
	input->container = pl_strdup(container->name);
	input->line = container->line;
	const struct run_command_input how = {
		.catalog = input->catalog,
		.source = input->name,
		.words = &container->words,
		.inside = &inside,
		.version = options->target.version,
		.allow_removed = options->allow_removed,
	};
	for (size_t i = 0; i < container->problems.count; i++)
		option_problems_add(&input->problems, &container->problems.items[i]);
	if (run_command_read(&how, &input->command, &input->experiment, &input->problems, &err) < 0)
		add_unreadable(input, &err);
	else
		vllm_container_check(container, input->command, &input->problems);
}

/*
 * Keeps the text of a file, or of standard input, which can only be read once. Returns false after reporting an error.
 */
static bool read_text(struct cli_input *input, const char *path)
{
	struct pl_err err = PL_ERR_INIT;

	input->name = pl_strdup(cli_input_name(path));
	if (input->text != NULL || cli_text_read(path, &input->text, &input->len, &err) == 0)
		return true;
	add_unreadable(input, &err);
	return false;
}

void cli_input_command_file(struct cli_input *input, const char *path,
			    const struct exp_check_options *options)
{
	if (read_text(input, path))
		read_command(input, NULL, 0, options);
}

static bool is_mapping(const char *text, size_t len)
{
	auto_yaml struct pl_yaml_doc *doc = NULL;

	return pl_yaml_parse(text, len, "", &doc, PL_ERR_IGNORED) == 0 &&
	       pl_yaml_root(doc)->kind == PL_YAML_MAP;
}

void cli_input_stdin(struct cli_input *input, const char *const *sets, size_t set_count,
		     const struct exp_check_options *options)
{
	struct pl_err err = PL_ERR_INIT;

	if (!read_text(input, CLI_STDIN))
		return;
	if (!is_mapping(input->text, input->len)) {
		read_command(input, NULL, 0, options);
		return;
	}
	if (run_check_read_text(input->catalog, input->text, input->len, input->name, sets,
				set_count, &input->experiment, &input->problems, &err) < 0)
		add_unreadable(input, &err);
}

void cli_input_check(struct cli_input *input, const struct exp_check_options *options)
{
	struct exp_check_options how = *options;

	if (input->experiment == NULL)
		return;
	how.is_command = input->command != NULL;
	/* the reader of a file has checked these */
	if (how.is_command && input->command->load != NULL)
		exp_check_alone(input->experiment, &input->problems);
	run_check_server(input->experiment, &how, &input->check, &input->problems);
	input->is_checked = true;
}
