/*
 * Reads the command line of an offline benchmark like a pasted one (vllm/command/line.h), with our own flags in
 * addition to vLLM's. The result is an experiment like any other.
 */
#include "cli/bench_offline.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/bench_run.h"
#include "cli/cli.h"
#include "cli/dry_run.h"
#include "experiment/offline.h"
#include "run/check.h"
#include "run/check_command.h"

#define TEXT_BYTES_MAX (4u << 20)

enum { ROWS_MAX = 96, WORDS_FRONT = 2 };

/* ---- help ---- */

static const struct pl_opt program_rows[] = {
#define BENCH_FLAG(name_, arg_, choices_, help_)              \
	{ .name = name_,                                      \
	  .type = (arg_) != NULL ? PL_OPT_TEXT : PL_OPT_FLAG, \
	  .arg = arg_,                                        \
	  .help = help_ },
#define OFFLINE_FLAG BENCH_FLAG
#include "tbl/bench_flags.h"
};

static const char *word_of(const struct option_row *row)
{
	return row->type == OPTION_BOOL     ? NULL
	       : row->type == OPTION_INT    ? "N"
	       : row->type == OPTION_FLOAT  ? "X"
	       : row->type == OPTION_STRING ? "TEXT"
					    : "JSON";
}

static int print_help(const struct vllm_bench_kind *kind)
{
	struct pl_opt rows[ROWS_MAX] = { 0 };
	char *defaults[ROWS_MAX] = { 0 };
	size_t count = 0;
	auto_free char *name = pl_asprintf("profllm bench %s", kind->name);
	auto_free char *details = pl_asprintf(
		"To run a command line of 'vllm bench %s', replace 'vllm' with 'profllm'. The "
		"command accepts the options above and every engine argument (see profllm params). "
		"--model names the model. If vLLM is installed, the command runs vLLM's own "
		"benchmark.%s\n\n"
		"Example:\n"
		"  profllm bench %s --model org/model --output r.json\n\n"
		"Exit status: 0 completed, 1 partial or failed, 2 invalid usage or input, 3 the "
		"engine did not start, 4 timeout, 5 GPU in use, 6 verdict not accepted, 128 + N "
		"interrupted by signal N.",
		kind->name,
		kind->at_server ? " With --base-url or --sim, it measures a server instead." : "",
		kind->name);

	for (size_t i = 0; i < kind->count && count < ROWS_MAX - 1; i++, count++) {
		const struct option_row *row = &kind->rows[i];
		defaults[count] = row->type != OPTION_BOOL ? option_row_default_text(row) : NULL;
		rows[count] = (struct pl_opt){
			.name = row->flag + strlen("--"),
			.type = row->type == OPTION_BOOL ? PL_OPT_FLAG : PL_OPT_TEXT,
			.arg = word_of(row),
			.help = row->help,
			.def = defaults[count],
		};
	}
	for (size_t i = 0; i < PL_ARRAY_SIZE(program_rows) && count < ROWS_MAX - 1; i++)
		rows[count++] = program_rows[i];
	const struct pl_opt_command command = {
		.name = name,
		.usage = "[options]",
		.summary = kind->summary,
		.details = details,
		.options = rows,
	};
	int status = cli_print_help(&command);
	for (size_t i = 0; i < PL_ARRAY_SIZE(defaults); i++)
		free(defaults[i]);
	return status;
}

/* ---- the command line ---- */

static void print_problems(const struct vllm_command *command,
			   const struct option_problems *problems)
{
	for (size_t i = 0; i < problems->count; i++) {
		auto_buf text = PL_BUF(TEXT_BYTES_MAX);
		vllm_command_problem_text(command, &problems->items[i], &text);
		fprintf(stderr, "%s%s",
			problems->items[i].severity == OPTION_WARNING ? "warning: " : "",
			pl_buf_text(&text));
	}
}

/* Applies flags about the place of the run. Returns -1 if one has an invalid value. */
static int position(struct exp_config *experiment, const json_t *flags, struct pl_err *err)
{
	static const char *const modes[] = { "in_process", "server" };
	const char *mode = pl_json_get_text(flags, "--mode");
	const char *url = pl_json_get_text(flags, "--base-url");

	if (mode != NULL && !PL_TEXT_IS_ONE_OF(mode, modes))
		return pl_err_invalid(err, "--mode: found '%s', expected in_process or server",
				      mode);
	if (mode != NULL) {
		experiment->bench.mode = pl_strdup(mode);
		experiment->bench_set[VLLM_BENCH_mode] = true;
	}
	if (url != NULL) {
		experiment->bench.base_url = pl_strdup(url);
		experiment->bench_set[VLLM_BENCH_base_url] = true;
	}
	experiment->simulate = json_object_get(flags, "--sim") != NULL;
	return 0;
}

static void check(const struct exp_config *experiment, struct option_problems *problems)
{
	const struct exp_check_options how = { .runs = true };
	auto_check found = { 0 };

	exp_check_alone(experiment, problems);
	run_check_server(experiment, &how, &found, problems);
	if (problems->errors == 0)
		run_check_host(experiment, problems);
}

static int run_line(struct exp_config *experiment, const struct vllm_command *command,
		    struct option_problems *problems)
{
	const char *fail_on_text = pl_json_get_text(command->flags, "--fail-on");
	bool dry_run = json_object_get(command->flags, "--dry-run") != NULL;
	bool as_json = json_object_get(command->flags, "--json") != NULL;
	enum res_fail_on fail_on = RES_FAIL_ON_NOTHING;
	struct pl_err err = PL_ERR_INIT;

	if (position(experiment, command->flags, &err) < 0 ||
	    (fail_on_text != NULL && res_fail_on_parse(fail_on_text, &fail_on, &err) < 0) ||
	    cli_bench_check_flags(command->flags, &err) < 0)
		return cli_fail(&err);
	check(experiment, problems);
	if (problems->errors > 0 || !dry_run)
		print_problems(command, problems);
	if (problems->errors > 0 && dry_run && as_json)
		(void)cli_dry_run_refused(problems);
	if (problems->errors > 0)
		return pl_err_exit_status(PL_ERR_INVALID);
	if (dry_run)
		return cli_dry_run(experiment, problems, as_json);
	return cli_bench_run(experiment, command->flags, fail_on);
}

static bool asks_for_help(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
			return true;
	}
	return false;
}

int cli_bench_offline(const struct vllm_bench_kind *kind, int argc, char **argv)
{
	auto_free const char **words = pl_alloc_array((size_t)argc + WORDS_FRONT, sizeof(*words));
	auto_experiment struct exp_config *experiment = NULL;
	auto_command struct vllm_command *command = NULL;
	auto_problems problems = { 0 };
	struct pl_err err = PL_ERR_INIT;

	if (asks_for_help(argc, argv))
		return print_help(kind);
	words[0] = "profllm";
	words[1] = "bench";
	for (int i = 0; i < argc; i++)
		words[WORDS_FRONT + i] = argv[i];
	const struct run_command_input input = {
		.catalog = vllm_catalog_reference(),
		.source = "command line",
		.argv = words,
		.argc = (size_t)argc + WORDS_FRONT,
		.program_flags = true,
	};
	if (run_command_read(&input, &command, &experiment, &problems, &err) < 0)
		return cli_fail(&err);
	return run_line(experiment, command, &problems);
}
