/*
 * `profllm bench serve`: a vLLM command line instead of an experiment file. It is converted to an experiment, and
 * checked and run like `profllm run`.
 */
#include "cli/cli.h"

#include <stdio.h>
#include <string.h>

#include "cli/bench_dry_run.h"
#include "cli/bench_offline.h"
#include "cli/bench_run.h"
#include "cli/sweep_vllm.h"
#include "experiment/config.h"
#include "run/check.h"
#include "vllm/bench/kinds.h"
#include "vllm/bench/line.h"

#define REPORT_BYTES_MAX (64u << 20)

static bool has_flag(const json_t *flags, const char *flag)
{
	return json_object_get(flags, flag) != NULL;
}

static void print_line(const char *kind, const char *text)
{
	fprintf(stderr, "profllm bench serve: %s: %s\n", kind, text);
}

/* Prints one line per fault, worded like vLLM's parser, with the remedy. */
static void print_faults(const struct vllm_bench_line *line)
{
	for (size_t i = 0; i < line->fault_count; i++) {
		const struct vllm_bench_fault *fault = &line->faults[i];
		auto_free char *text = fault->hint != NULL
					       ? pl_asprintf("%s (%s)", fault->text, fault->hint)
				       : fault->nearest != NULL
					       ? pl_asprintf("%s (did you mean '%s'?)", fault->text,
							     fault->nearest)
					       : pl_strdup(fault->text);
		print_line("error", text);
	}
}

static void print_problems(const struct option_problems *problems)
{
	bool some_later = false;

	for (size_t i = 0; i < problems->count; i++) {
		const struct option_problem *problem = &problems->items[i];
		auto_buf text = PL_BUF(REPORT_BYTES_MAX);
		option_problem_text(problem, OPTION_AS_FLAG, &text);
		print_line(problem->severity == OPTION_ERROR ? "error" : "warning",
			   pl_buf_text(&text));
		some_later |= exp_problem_is_later(problem);
	}
	if (some_later)
		fputs("profllm bench serve: to run vllm bench serve itself, use an experiment file "
		      "with 'client: vllm' (docs/reference/client-vllm.md)\n",
		      stderr);
}

/* Makes the equivalent experiment: a running server, and this load. */
static struct exp_config *make_experiment(const struct vllm_bench_line *line,
					  struct option_problems *problems)
{
	auto_json json_t *options = vllm_bench_line_options(line);
	struct exp_config *experiment = exp_config_new(vllm_catalog_reference(), "command line");
	const char *hardware = pl_json_get_text(line->flags, "--hardware");

	exp_config_set_options(experiment, options, problems);
	if (hardware != NULL)
		experiment->launch.hardware = pl_strdup(hardware);
	/* the default address of the server is not the user's choice */
	memcpy(experiment->bench_set, line->given, sizeof(experiment->bench_set));
	exp_check_alone(experiment, problems);
	if (experiment->bench.label != NULL)
		experiment->name = pl_strdup(experiment->bench.label);
	return experiment;
}

/* Returns whether only values are wrong. The meaning of unknown words is missing. */
static bool is_readable(const struct vllm_bench_line *line)
{
	for (size_t i = 0; i < line->fault_count; i++) {
		if (line->faults[i].id == VLLM_BENCH_COUNT)
			return false;
	}
	return true;
}

/* Makes all checks that are possible before anything is sent. */
static void check(const struct exp_config *experiment, struct option_problems *problems)
{
	const struct exp_check_options how = { .runs = true };
	auto_check found = { 0 };

	run_check_server(experiment, &how, &found, problems);
	if (problems->errors == 0)
		run_check_host(experiment, problems);
}

/* An option of a later version also ends a dry run, which could not show it. */
static bool has_later(const struct option_problems *problems)
{
	for (size_t i = 0; i < problems->count; i++) {
		if (exp_problem_is_later(&problems->items[i]))
			return true;
	}
	return false;
}

static void warn_existing(const struct vllm_bench_line *line, struct option_problems *problems)
{
	const struct cli_file file = {
		.path = pl_json_get_text(line->flags, "--output"),
		.option = "--output",
		.overwrite = has_flag(line->flags, "--overwrite"),
		.is_result = true,
	};

	if (file.path == NULL)
		return;
	cli_warn_file(&file, problems);
	if (!file.overwrite)
		run_check_artifacts(file.path, problems);
}

static int serve_read(struct vllm_bench_line *line)
{
	const char *fail_on_text = pl_json_get_text(line->flags, "--fail-on");
	const char *output = pl_json_get_text(line->flags, "--output");
	bool dry_run = has_flag(line->flags, "--dry-run"),
	     as_json = has_flag(line->flags, "--json");
	auto_experiment struct exp_config *experiment = NULL;
	enum res_fail_on fail_on = RES_FAIL_ON_NOTHING;
	auto_problems problems = { 0 };
	struct pl_err err = PL_ERR_INIT;

	if (is_readable(line)) {
		experiment = make_experiment(line, &problems);
		check(experiment, &problems);
		if (output != NULL)
			run_check_output(experiment, output, true, &problems);
	}
	if (dry_run)
		warn_existing(line, &problems);
	print_faults(line);
	print_problems(&problems);
	if ((fail_on_text != NULL && res_fail_on_parse(fail_on_text, &fail_on, &err) < 0) ||
	    cli_bench_check_flags(line->flags, &err) < 0)
		return cli_fail(&err);
	/* a dry run only lists what would end the run: a file may be missing on this host */
	bool ends = line->fault_count > 0 || has_later(&problems) ||
		    (problems.errors > 0 && !dry_run);
	if (!ends && dry_run)
		return cli_bench_dry_run(experiment, line, &problems, as_json);
	if (!ends)
		return cli_bench_run(experiment, line->flags, fail_on);
	if (dry_run && as_json)
		(void)cli_bench_refused(line, &problems);
	return pl_err_exit_status(PL_ERR_INVALID);
}

static int serve(int argc, char **argv)
{
	struct vllm_bench_line line;
	int status;

	/* argv[0] is "serve" */
	vllm_bench_line_read((const char *const *)argv + 1, (size_t)argc - 1, VLLM_BENCH_OF_OURS,
			     &line);
	if (has_flag(line.flags, "--help"))
		status = cli_print_help(&cli_bench_command);
	else
		status = serve_read(&line);
	vllm_bench_line_done(&line);
	return status;
}

int cmd_bench(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	const struct vllm_bench_kind *kind = vllm_bench_kind_find(what);

	if (strcmp(what, "serve") == 0)
		return serve(argc - 1, argv + 1);
	if (strcmp(what, "sweep") == 0 && argc > 2 && cli_sweep_is_vllms(argv[2]))
		return cli_sweep_vllm(argc - 2, argv + 2);
	if (kind != NULL)
		return cli_bench_offline(kind, argc - 1, argv + 1);
	if (strcmp(what, "--help") == 0 || strcmp(what, "-h") == 0)
		return cli_print_help(&cli_bench_command);
	return cli_unknown_bench(what);
}
