/* vLLM's sweeps: their flags, and the output. */
#include "cli/sweep_vllm.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/text.h"
#include "cli/cli.h"
#include "sweep/vllm/command.h"
#include "sweep/vllm/params.h"
#include "sweep/vllm/sla.h"
#include "sweep/vllm/startup.h"
#include "sweep/vllm/sweep.h"
#include "vllm/version.h"

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
	const char *workload_var;
	int64_t workload_iters;
	const char *sla_params;
	const char *sla_variable;
	const char *sla_rules;
	const char *startup_cmd;
	const char *startup_params;
	bool strict_params;
	bool show_stdout;
	bool continue_on_error;
	bool dry_run;
	bool resume;
	bool json;
	bool quiet;
};

#define AT(field) offsetof(struct options, field)

/* Rows that several of them share. */
#define SERVER_ROWS                                                                           \
	PL_OPT(TEXT, 0, "serve-cmd", serve_cmd, "COMMAND",                                    \
	       "start the server with COMMAND, split into arguments as a shell would"),       \
		PL_OPT(TEXT, 0, "bench-cmd", bench_cmd, "COMMAND",                            \
		       "send the load: vllm bench serve … or profllm bench serve …"),         \
		PL_OPT(TEXT, 0, "after-bench-cmd", after_bench_cmd, "COMMAND",                \
		       "run COMMAND after each run instead of clearing the server's caches"), \
		PL_OPT(INT, 0, "server-ready-timeout", server_ready_timeout, "S",             \
		       "wait at most S seconds for the server", .def = "300"),                \
		PL_OPT(TEXT, 0, "serve-params", serve_params, "FILE",                         \
		       "read combinations of server arguments from FILE (JSON)"),             \
		PL_OPT(TEXT, 0, "bench-params", bench_params, "FILE",                         \
		       "read combinations of load options from FILE (JSON)"),                 \
		PL_OPT(TEXT, 0, "link-vars", link_vars, "A=B,...",                            \
		       "run only pairs whose server value A equals their load value B"),      \
		PL_OPT(INT, 0, "warmup-num-prompts", warmup_num_prompts, "N",                 \
		       "send N uncounted prompts before each run", .def = "0"),               \
		PL_OPT(FLAG, 0, "continue-on-error", continue_on_error, NULL,                 \
		       "record failures and continue"),                                       \
		PL_OPT(DURATION, 0, "stop-timeout", stop_timeout_ns, "TIME",                  \
		       "wait TIME between SIGTERM and SIGKILL of a server", .def = "30s")
#define TREE_ROWS                                                                                  \
	PL_OPT(TEXT, 'o', "output-dir", output_dir, "DIR", "write experiments to DIR",             \
	       .def = "results"),                                                                  \
		PL_OPT(TEXT, 'e', "experiment-name", experiment_name, "NAME",                      \
		       "name the directory (default: the time, such as 20260131_235959)"),         \
		PL_OPT(FLAG, 0, "show-stdout", show_stdout, NULL,                                  \
		       "print the output of the commands, too"),                                   \
		PL_OPT(FLAG, 0, "dry-run", dry_run, NULL, "print the commands and start nothing"), \
		PL_OPT(FLAG, 0, "resume", resume, NULL,                                            \
		       "resume the sweep in the directory, started by vllm or profllm"),           \
		PL_OPT(FLAG, 0, "json", json, NULL, "print only one JSON object, at the end"),     \
		PL_OPT(FLAG, 'q', "quiet", quiet, NULL, "print no lines per run, and no progress")

static const char *const variables[] = { "request_rate", "max_concurrency", NULL };

static const struct pl_opt serve_rows[] = {
	SERVER_ROWS,
	PL_OPT(INT, 0, "num-runs", num_runs, "N", "run each combination N times", .def = "3"),
	TREE_ROWS,
	{ .name = NULL },
};

static const struct pl_opt workload_rows[] = {
	SERVER_ROWS,
	PL_OPT(INT, 0, "num-runs", num_runs, "N", "run each value N times", .def = "3"),
	PL_OPT(TEXT, 0, "workload-var", workload_var, "KEY", "vary this option",
	       .choices = variables, .def = "request_rate"),
	PL_OPT(INT, 0, "workload-iters", workload_iters, "N",
	       "measure N values, from one request at a time to all at once", .def = "10"),
	TREE_ROWS,
	{ .name = NULL },
};

static const struct pl_opt sla_rows[] = {
	SERVER_ROWS,
	PL_OPT(INT, 0, "num-runs", num_runs, "N", "run each value N times", .def = "3"),
	PL_OPT(TEXT, 0, "sla-params", sla_params, "FILE",
	       "read combinations of limits from FILE (JSON), such as {\"p99_e2el_ms\": "
	       "\"<=500\"}"),
	PL_OPT(TEXT, 0, "sla-variable", sla_variable, "KEY", "vary this option",
	       .choices = variables, .def = "request_rate"),
	PL_OPT(TEXT, 0, "sla-rules", sla_rules, "A|B|RELEASE",
	       "search as vLLM 0.11.1 to 0.13.0 (A: double, then halve) or as 0.14.1 to 0.16.0 "
	       "(B: interpolate)",
	       .def = "B"),
	TREE_ROWS,
	{ .name = NULL },
};

static const struct pl_opt startup_rows[] = {
	PL_OPT(TEXT, 0, "startup-cmd", startup_cmd, "COMMAND",
	       "run COMMAND, split into arguments as a shell would", .def = "vllm bench startup"),
	PL_OPT(TEXT, 0, "serve-params", serve_params, "FILE",
	       "read combinations of engine arguments from FILE (JSON)"),
	PL_OPT(TEXT, 0, "startup-params", startup_params, "FILE",
	       "read combinations of options of the benchmark from FILE (JSON)"),
	PL_OPT(FLAG, 0, "strict-params", strict_params, NULL,
	       "fail on options that the benchmark does not have"),
	PL_OPT(INT, 0, "num-runs", num_runs, "N", "run each combination N times", .def = "1"),
	TREE_ROWS,
	{ .name = NULL },
};

#define EXIT_STATUS                                                                               \
	"Exit status: 0 all runs completed, 1 some failed, 2 invalid usage or input, 3 a server " \
	"did not start, 4 a server was not ready in time, 5 its port is in use, 128 + N "         \
	"interrupted by signal N. "                                                               \
	"After each failure, --resume continues the sweep."

const struct pl_opt_command cli_sweep_vllm_commands[] = {
	[SWEEP_VLLM_SERVE] = {
		.name = "profllm sweep serve",
		.usage = "--serve-cmd COMMAND --bench-cmd COMMAND [options]",
		.summary = "Measure each combination of servers and loads.",
		.details =
			"To run a command line of 'vllm bench sweep serve', replace 'vllm' with 'profllm'. "
			"Either program resumes a sweep that the other started "
			"(docs/reference/vllm-sweeps.md).\n\n"
			"Examples:\n"
			"  profllm sweep serve --serve-cmd 'vllm serve org/model' \\\n"
			"      --bench-cmd 'profllm bench serve --model org/model' \\\n"
			"      --serve-params serve.json --bench-params bench.json -e night\n"
			"  profllm sweep serve … -e night --resume\n\n" EXIT_STATUS,
		.options = serve_rows,
	},
	[SWEEP_VLLM_WORKLOAD] = {
		.name = "profllm sweep serve_workload",
		.usage = "--serve-cmd COMMAND --bench-cmd COMMAND [options]",
		.summary = "Measure loads between one request at a time and all at once.",
		.details =
			"For each combination, the command first sends one request at a time, then all at "
			"once, then loads between the two "
			"(docs/reference/vllm-sweeps.md).\n\n"
			"Example:\n"
			"  profllm sweep serve_workload --serve-cmd 'vllm serve org/model' \\\n"
			"      --bench-cmd 'profllm bench serve --model org/model --num-prompts 200' \\\n"
			"      --workload-var max_concurrency --workload-iters 8 -e rates\n\n" EXIT_STATUS,
		.options = workload_rows,
	},
	[SWEEP_VLLM_SLA] = {
		.name = "profllm sweep serve_sla",
		.usage = "--serve-cmd COMMAND --bench-cmd COMMAND --sla-params FILE [options]",
		.summary = "Find the largest load whose metrics stay within limits.",
		.details =
			"vLLM had this command from 0.11.1 to 0.16.0, with two search methods "
			"(docs/reference/vllm-sweeps.md). Instead of the old '--resume NAME', use "
			"'--resume --experiment-name NAME'.\n\n"
			"Example:\n"
			"  profllm sweep serve_sla --serve-cmd 'vllm serve org/model' \\\n"
			"      --bench-cmd 'profllm bench serve --model org/model --num-prompts 200' \\\n"
			"      --sla-params sla.json --sla-variable max_concurrency -e limits\n\n" EXIT_STATUS,
		.options = sla_rows,
		.operand = "NAME",
	},
	[SWEEP_VLLM_STARTUP] = {
		.name = "profllm sweep startup",
		.usage = "[--startup-cmd COMMAND] [options]",
		.summary = "Measure the startup time of engine configurations.",
		.details =
			"Runs 'vllm bench startup' (or 'profllm bench startup …') with each combination "
			"of two files (docs/reference/vllm-sweeps.md).\n\n"
			"Example:\n"
			"  profllm sweep startup --startup-cmd 'vllm bench startup --model org/model' \\\n"
			"      --serve-params serve.json -e starts\n\n" EXIT_STATUS,
		.options = startup_rows,
	},
	{ .name = NULL },
};

static const char *const names[] = {
	[SWEEP_VLLM_SERVE] = "serve",
	[SWEEP_VLLM_WORKLOAD] = "serve_workload",
	[SWEEP_VLLM_SLA] = "serve_sla",
	[SWEEP_VLLM_STARTUP] = "startup",
};

/* ---- reading ---- */

/* Owns the data that the settings borrow. */
struct input {
	json_t *serve_command, *bench_command, *after_command;
	json_t *serve_params, *bench_params, *links, *limits;
	bool by_spline;
	char *folder;
};

static int check_given(enum sweep_vllm_kind kind, const struct options *options)
{
	if (kind == SWEEP_VLLM_STARTUP)
		return 0;
	if (options->serve_cmd == NULL)
		return cli_refuse("--serve-cmd COMMAND is missing");
	if (options->bench_cmd == NULL)
		return cli_refuse("--bench-cmd COMMAND is missing");
	if (kind == SWEEP_VLLM_SLA && options->sla_params == NULL)
		return cli_refuse("--sla-params FILE is missing");
	return 0;
}

static int check_usage(const struct options *options)
{
	if (options->workload_iters < 2 || options->workload_iters > RUNS_MAX)
		return cli_refuse("--workload-iters: found %lld, expected 2 to %d",
				  (long long)options->workload_iters, RUNS_MAX);
	if (options->num_runs < 1 || options->num_runs > RUNS_MAX)
		return cli_refuse("--num-runs: found %lld, expected 1 to %d",
				  (long long)options->num_runs, RUNS_MAX);
	if (options->warmup_num_prompts < 0)
		return cli_refuse("--warmup-num-prompts: found %lld, expected at least 0",
				  (long long)options->warmup_num_prompts);
	if (options->server_ready_timeout < 1 || options->server_ready_timeout > TIMEOUT_S_MAX)
		return cli_refuse("--server-ready-timeout: found %lld, expected 1 to %d seconds",
				  (long long)options->server_ready_timeout, TIMEOUT_S_MAX);
	if (options->stop_timeout_ns < 0)
		return cli_refuse("--stop-timeout: found a negative time, expected at least 0s");
	if (options->resume && options->experiment_name == NULL)
		return cli_refuse("--resume works only with --experiment-name; add "
				  "--experiment-name NAME to name the directory");
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
	return text != NULL ? sweep_vllm_command_split(option, text, ret, err) : 0;
}

static int read_params(const char *option, const char *path, json_t **ret, struct pl_err *err)
{
	return sweep_vllm_params_read(path, ret, err) < 0 ? pl_err_wrap(err, "%s", option) : 0;
}

/* Parses "A", "B", or a release that had one of them. */
static int read_rules(const char *text, bool *ret_by_spline, struct pl_err *err)
{
	struct vllm_version release;
	bool known;

	if (strcmp(text, "A") == 0 || strcmp(text, "B") == 0) {
		*ret_by_spline = text[0] == 'B';
		return 0;
	}
	if (vllm_version_parse(text, &release, PL_ERR_IGNORED) < 0 ||
	    vllm_release_compare(&release, "0.11.1", &known) < 0 ||
	    vllm_release_compare(&release, "0.16.0", &known) > 0)
		return pl_err_invalid(
			err,
			"--sla-rules: found '%s', expected A, B or a release from 0.11.1 to 0.16.0",
			text);
	*ret_by_spline = vllm_release_compare(&release, "0.14.0", &known) >= 0;
	return 0;
}

/* Removes parameters that `bench startup` lacks, with a note per combination. */
static int keep_startup(const struct options *options, json_t **params, struct pl_err *err)
{
	auto_json json_t *retained = NULL;
	auto_json json_t *notes = NULL;

	if (sweep_vllm_startup_keep(*params, options->strict_params, &retained, &notes, err) < 0)
		return -1;
	PL_JSON_EACH(note, notes)
		fprintf(stderr, "%s\n", json_string_value(note));
	json_decref(*params);
	*params = pl_take(retained);
	return 0;
}

static int read_input(enum sweep_vllm_kind kind, const struct options *options, struct input *input,
		      struct pl_err *err)
{
	input->folder = folder_of(options);
	if (kind == SWEEP_VLLM_STARTUP) {
		if (split("--startup-cmd", options->startup_cmd, &input->bench_command, err) < 0 ||
		    read_params("--serve-params", options->serve_params, &input->serve_params,
				err) < 0 ||
		    read_params("--startup-params", options->startup_params, &input->bench_params,
				err) < 0 ||
		    keep_startup(options, &input->serve_params, err) < 0 ||
		    keep_startup(options, &input->bench_params, err) < 0)
			return -1;
		return sweep_vllm_links_parse(NULL, &input->links, err);
	}
	if (split("--serve-cmd", options->serve_cmd, &input->serve_command, err) < 0 ||
	    split("--bench-cmd", options->bench_cmd, &input->bench_command, err) < 0 ||
	    split("--after-bench-cmd", options->after_bench_cmd, &input->after_command, err) < 0 ||
	    read_params("--serve-params", options->serve_params, &input->serve_params, err) < 0 ||
	    read_params("--bench-params", options->bench_params, &input->bench_params, err) < 0 ||
	    sweep_vllm_links_parse(options->link_vars, &input->links, err) < 0)
		return -1;
	if (kind != SWEEP_VLLM_SLA)
		return 0;
	if (sweep_vllm_sla_read(options->sla_params, &input->limits, err) < 0)
		return pl_err_wrap(err, "--sla-params");
	return read_rules(options->sla_rules, &input->by_spline, err);
}

/* ---- the command ---- */

static int print_outcome(const struct options *options, const struct input *input,
			 const struct sweep_vllm_outcome *outcome)
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

static int run(enum sweep_vllm_kind kind, const struct options *options, const struct input *input)
{
	const struct sweep_vllm_settings settings = {
		.kind = kind,
		.serve_command = input->serve_command,
		.bench_command = input->bench_command,
		.after_command = input->after_command,
		.serve_params = input->serve_params,
		.bench_params = input->bench_params,
		.links = input->links,
		.variable = kind == SWEEP_VLLM_WORKLOAD ? options->workload_var
			    : kind == SWEEP_VLLM_SLA    ? options->sla_variable
							: NULL,
		.iterations = options->workload_iters,
		.limits = input->limits,
		.by_spline = input->by_spline,
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
	struct sweep_vllm_outcome outcome;
	struct pl_err err = PL_ERR_INIT;

	if (sweep_vllm_check(&settings, &err) < 0)
		return cli_fail(&err);
	int status = sweep_vllm(&settings, &outcome, &err) < 0 ? cli_fail(&err) : 0;
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

static int sweep(enum sweep_vllm_kind kind, const struct options *options)
{
	struct input input = { 0 };
	struct pl_err err = PL_ERR_INIT;
	int status = check_given(kind, options);

	if (status == 0)
		status = check_usage(options);
	if (status == 0)
		status = read_input(kind, options, &input, &err) < 0 ? cli_fail(&err)
								     : run(kind, options, &input);
	json_decref(input.serve_command);
	json_decref(input.bench_command);
	json_decref(input.after_command);
	json_decref(input.serve_params);
	json_decref(input.bench_params);
	json_decref(input.links);
	json_decref(input.limits);
	free(input.folder);
	return status;
}

int cli_sweep_vllm(int argc, char **argv)
{
	size_t kind = pl_text_index(argv[0], names, PL_ARRAY_SIZE(names));
	struct options options = {
		.output_dir = "results",
		.server_ready_timeout = 300,
		.num_runs = kind == SWEEP_VLLM_STARTUP ? 1 : 3,
		.stop_timeout_ns = STOP_TIMEOUT_NS,
		.workload_var = variables[0],
		.workload_iters = 10,
		.sla_variable = variables[0],
		.sla_rules = "B",
		.startup_cmd = "vllm bench startup",
	};
	struct pl_words words;
	int status;

	if (!pl_command_read(&cli_sweep_vllm_commands[kind], argc, argv, &options, &words, &status))
		return status;
	/* as it was spelled before --experiment-name existed */
	if (words.count == 1 && options.resume && options.experiment_name == NULL)
		options.experiment_name = words.items[0];
	else if (words.count > 0)
		return cli_refuse("unexpected argument '%s'", words.items[0]);
	return sweep((enum sweep_vllm_kind)kind, &options);
}

bool cli_sweep_is_vllms(const char *name)
{
	return PL_TEXT_IS_ONE_OF(name, names);
}

const struct pl_opt_command *cli_sweep_vllm_command(const char *name)
{
	return cli_sweep_is_vllms(name)
		       ? &cli_sweep_vllm_commands[pl_text_index(name, names, PL_ARRAY_SIZE(names))]
		       : NULL;
}
