/*
 * vLLM's sweeps: its flags, and what is printed.
 */
#include "cli/sweep_vllm.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/text.h"
#include "cli/cli.h"
#include "run/vllm_sweep/command.h"
#include "run/vllm_sweep/params.h"
#include "run/vllm_sweep/sweep.h"

#define RUNS_MAX        100000
#define TIMEOUT_S_MAX   (30 * 86400)
#define STOP_TIMEOUT_NS (30 * PL_NS_PER_S)
#define NAME_BYTES      32

struct options {
	const char *serve_cmd;
	const char *bench_cmd;
	const char *after_bench_cmd;
	const char *serve_params;
	const char *bench_params;
	const char *link_vars;
	const char *output_dir;
	const char *experiment_name;
	int64_t server_ready_timeout;
	int64_t num_runs;
	int64_t warmup_num_prompts;
	int64_t stop_timeout_ns;
	bool show_stdout;
	bool continue_on_error;
	bool dry_run;
	bool resume;
	bool json;
	bool quiet;
};

#define AT(field) offsetof(struct options, field)

/* Rows that several of them have. */
#define SERVER_ROWS                                                                              \
	PL_OPT(TEXT, 0, "serve-cmd", serve_cmd, "COMMAND",                                       \
	       "starts the server; split as a shell does, run without one"),                     \
		PL_OPT(TEXT, 0, "bench-cmd", bench_cmd, "COMMAND",                               \
		       "sends the load: vllm bench serve … or profllm bench serve …"),           \
		PL_OPT(TEXT, 0, "after-bench-cmd", after_bench_cmd, "COMMAND",                   \
		       "behind each run, in place of emptying the server's caches"),             \
		PL_OPT(INT, 0, "server-ready-timeout", server_ready_timeout, "S",                \
		       "seconds until the server has to be ready", .def = "300"),                \
		PL_OPT(TEXT, 0, "serve-params", serve_params, "FILE",                            \
		       "JSON: combinations of the server's parameters"),                         \
		PL_OPT(TEXT, 0, "bench-params", bench_params, "FILE",                            \
		       "JSON: combinations of the load's parameters"),                           \
		PL_OPT(TEXT, 0, "link-vars", link_vars, "A=B,...",                               \
		       "only pairs in which the server's key A and the load's key B are equal"), \
		PL_OPT(INT, 0, "warmup-num-prompts", warmup_num_prompts, "N",                    \
		       "prompts of a run in front of those that count; 0: none", .def = "0"),    \
		PL_OPT(FLAG, 0, "continue-on-error", continue_on_error, NULL,                    \
		       "note what fails and go on"),                                             \
		PL_OPT(DURATION, 0, "stop-timeout", stop_timeout_ns, "TIME",                     \
		       "between SIGTERM and SIGKILL of a server", .def = "30s")
#define TREE_ROWS                                                                                  \
	PL_OPT(TEXT, 'o', "output-dir", output_dir, "DIR", "where experiments lie",                \
	       .def = "results"),                                                                  \
		PL_OPT(TEXT, 'e', "experiment-name", experiment_name, "NAME",                      \
		       "this one's folder (the time, as 20260131_235959)"),                        \
		PL_OPT(FLAG, 0, "show-stdout", show_stdout, NULL,                                  \
		       "print what the commands print, too"),                                      \
		PL_OPT(FLAG, 0, "dry-run", dry_run, NULL, "print the commands and start nothing"), \
		PL_OPT(FLAG, 0, "resume", resume, NULL,                                            \
		       "go on with the folder that is there, whoever made it"),                    \
		PL_OPT(FLAG, 0, "json", json, NULL, "print one JSON object at the end, no marks"), \
		PL_OPT(FLAG, 'q', "quiet", quiet, NULL, "no marks and no progress")

static const struct pl_opt serve_rows[] = {
	SERVER_ROWS,
	PL_OPT(INT, 0, "num-runs", num_runs, "N", "runs of a combination", .def = "3"),
	TREE_ROWS,
	{ .name = NULL },
};

#define EXIT_STATUS                                                                               \
	"Exit status: 0 all runs are there, 1 some failed, 2 bad usage or input, 3 a server did " \
	"not start, 4 it was not ready in time, 5 its port is taken, 128 + signal interrupted; "  \
	"--resume goes on after each of them."

static const struct pl_opt_command commands[] = {
	[RUN_VSWEEP_SERVE] = {
		.name = "profllm sweep serve",
		.usage = "--serve-cmd COMMAND --bench-cmd COMMAND [options]",
		.summary = "vLLM's sweep of servers and loads: each combination of two files.",
		.details =
			"A line of 'vllm bench sweep serve' works with 'vllm' replaced by 'profllm', "
			"and a folder that either made is gone on with by the other "
			"(docs/reference/vllm-sweeps.md).\n\n"
			"Examples:\n"
			"  profllm sweep serve --serve-cmd 'vllm serve org/model' \\\n"
			"      --bench-cmd 'profllm bench serve --model org/model' \\\n"
			"      --serve-params serve.json --bench-params bench.json -e night\n"
			"  profllm sweep serve … -e night --resume\n\n" EXIT_STATUS,
		.options = serve_rows,
	},
};

static const char *const names[] = {
	[RUN_VSWEEP_SERVE] = "serve",
};

/* ---- reading ---- */

/* What the settings borrow. */
struct input {
	json_t *serve_command, *bench_command, *after_command;
	json_t *serve_params, *bench_params, *links;
	char *folder;
};

static void input_done(struct input *input)
{
	json_decref(input->serve_command);
	json_decref(input->bench_command);
	json_decref(input->after_command);
	json_decref(input->serve_params);
	json_decref(input->bench_params);
	json_decref(input->links);
	free(input->folder);
}

static int check_usage(const struct options *options)
{
	if (options->serve_cmd == NULL)
		return cli_refuse("--serve-cmd COMMAND is missing");
	if (options->bench_cmd == NULL)
		return cli_refuse("--bench-cmd COMMAND is missing");
	if (options->num_runs < 1 || options->num_runs > RUNS_MAX)
		return cli_refuse("--num-runs: expected 1 to %d", RUNS_MAX);
	if (options->warmup_num_prompts < 0)
		return cli_refuse("--warmup-num-prompts: found a number below zero");
	if (options->server_ready_timeout < 1 || options->server_ready_timeout > TIMEOUT_S_MAX)
		return cli_refuse("--server-ready-timeout: expected 1 to %d seconds",
				  TIMEOUT_S_MAX);
	if (options->stop_timeout_ns < 0)
		return cli_refuse("--stop-timeout: found a time below zero");
	if (options->resume && options->experiment_name == NULL)
		return cli_refuse("--resume: --experiment-name NAME is missing, which says what to "
				  "go on with");
	return 0;
}

static char *folder_of(const struct options *options)
{
	time_t now = (time_t)(pl_clock_real_ns() / PL_NS_PER_S);
	char name[NAME_BYTES];
	struct tm parts;

	localtime_r(&now, &parts);
	strftime(name, sizeof(name), "%Y%m%d_%H%M%S", &parts);
	return pl_asprintf("%s/%s", options->output_dir,
			   options->experiment_name != NULL ? options->experiment_name : name);
}

static int split(const char *option, const char *text, json_t **ret, struct pl_err *err)
{
	return text != NULL ? run_vsweep_command_split(option, text, ret, err) : 0;
}

static int read_input(const struct options *options, struct input *input, struct pl_err *err)
{
	input->folder = folder_of(options);
	if (split("--serve-cmd", options->serve_cmd, &input->serve_command, err) < 0 ||
	    split("--bench-cmd", options->bench_cmd, &input->bench_command, err) < 0 ||
	    split("--after-bench-cmd", options->after_bench_cmd, &input->after_command, err) < 0)
		return -1;
	if (run_vsweep_params_read(options->serve_params, &input->serve_params, err) < 0)
		return pl_err_wrap(err, "--serve-params");
	if (run_vsweep_params_read(options->bench_params, &input->bench_params, err) < 0)
		return pl_err_wrap(err, "--bench-params");
	return run_vsweep_links_parse(options->link_vars, &input->links, err);
}

/* ---- the command ---- */

static int print_outcome(const struct options *options, const struct input *input,
			 const struct run_vsweep_outcome *outcome)
{
	auto_json json_t *report = json_pack(
		"{s:I, s:I, s:I, s:I, s:I, s:s}", "combinations", (json_int_t)outcome->combinations,
		"measured", (json_int_t)outcome->measured, "reused", (json_int_t)outcome->reused,
		"failed", (json_int_t)outcome->failed, "servers_started",
		(json_int_t)outcome->servers, "folder", input->folder);

	if (options->json)
		return cli_print_json(report);
	if (options->quiet)
		return 0;
	auto_free char *text = pl_asprintf("Experiment %s saved at: %s\n",
					   options->dry_run ? "will be" : "has been",
					   input->folder);
	return cli_print(text);
}

static int run(enum run_vsweep_kind kind, const struct options *options, const struct input *input)
{
	const struct run_vsweep_settings settings = {
		.kind = kind,
		.serve_command = input->serve_command,
		.bench_command = input->bench_command,
		.after_command = input->after_command,
		.serve_params = input->serve_params,
		.bench_params = input->bench_params,
		.links = input->links,
		.folder = input->folder,
		.runs = options->num_runs,
		.warmup_prompts = options->warmup_num_prompts,
		.ready_timeout_ns = options->server_ready_timeout * PL_NS_PER_S,
		.stop_timeout_ns = options->stop_timeout_ns,
		.continue_on_error = options->continue_on_error,
		.show_output = options->show_stdout,
		.resume = options->resume,
		.dry_run = options->dry_run,
		.quiet = options->quiet || options->json,
	};
	struct run_vsweep_outcome outcome;
	struct pl_err err = PL_ERR_INIT;

	if (run_vsweep_check(&settings, &err) < 0)
		return cli_fail(&err);
	int status = run_vsweep(&settings, &outcome, &err) < 0 ? cli_fail(&err) : 0;
	if (status != 0 || outcome.signal != 0)
		fputs("The script was terminated early. Use `--resume` to continue the script from "
		      "its last checkpoint.\n",
		      stderr);
	int printed = status == 0 || options->json ? print_outcome(options, input, &outcome) : 0;
	if (outcome.signal != 0)
		return 128 + outcome.signal;
	if (status != 0)
		return status;
	return outcome.failed > 0 ? pl_err_exit_status(PL_ERR_FAILED) : printed;
}

static int sweep(enum run_vsweep_kind kind, const struct options *options)
{
	struct input input = { 0 };
	struct pl_err err = PL_ERR_INIT;
	int status = check_usage(options);

	if (status == 0)
		status = read_input(options, &input, &err) < 0 ? cli_fail(&err)
							       : run(kind, options, &input);
	input_done(&input);
	return status;
}

int cli_sweep_vllm(int argc, char **argv)
{
	struct options options = {
		.output_dir = "results",
		.server_ready_timeout = 300,
		.num_runs = 3,
		.stop_timeout_ns = STOP_TIMEOUT_NS,
	};
	enum run_vsweep_kind kind = (enum run_vsweep_kind)pl_text_index(argv[0], names,
									PL_ARRAY_SIZE(names));
	struct pl_words words;
	int status;

	if (pl_command_read(&commands[kind], argc, argv, &options, &words, &status))
		status = sweep(kind, &options);
	return status;
}

bool cli_sweep_is_vllms(const char *name)
{
	return PL_TEXT_IS_ONE_OF(name, names);
}

const struct pl_opt_command *cli_sweep_vllm_command(const char *name)
{
	return cli_sweep_is_vllms(name)
		       ? &commands[pl_text_index(name, names, PL_ARRAY_SIZE(names))]
		       : NULL;
}
