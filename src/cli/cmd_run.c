/*
 * `profllm run`: reads, checks, and runs one experiment, or shows what it would do. All errors that can be found before
 * the start are reported together.
 */
#include "cli/cli.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "cli/dry_run.h"
#include "cli/live.h"
#include "cli/otlp.h"
#include "cli/problems.h"
#include "cli/upload_result.h"
#include "cli/validate_input.h"
#include "experiment/config.h"
#include "result/brief/brief.h"
#include "result/report.h"
#include "run/check.h"
#include "run/single.h"
#include "run/stream.h"
#include "vllm/secret.h"
#include "vllm/shell/words.h"

#define REPORT_BYTES_MAX (16u << 20)

struct run_options {
	const char *config;
	const char *output;
	const char *fail_on;
	const char *overlay;
	const char *upload;
	const char *token_file;
	const char *ca_file;
	struct cli_otlp otlp;
	const struct vllm_catalog *catalog;
	struct pl_opt_list sets;
	const char *file_mode;
	bool dry_run;
	bool json;
	bool brief;
	bool quiet;
	bool simulate;
	bool force;
	bool allow_removed;
	bool overwrite;
	bool no_live;
	int64_t wait_ns;
	const char *progress;
	struct run_stream stream;
	struct pl_err err; /* why the run could not start */
};

#define AT(field) offsetof(struct run_options, field)

#define PROGRESS_JSON "json"
static const char *const progress_choices[] = { "text", PROGRESS_JSON, NULL };
static const char *const fail_on_choices[] = { "degraded", "client_limited", NULL };

static const struct pl_opt run_rows[] = {
	PL_OPT(TEXT, 'c', "config", config, "FILE",
	       "read the experiment (YAML or JSON) from FILE, or from standard input with '-'; if "
	       "FILE "
	       "is a result, repeat its run"),
	PL_OPT(TEXT, 'o', "output", output, "FILE",
	       "write the result to FILE and its artifacts to the same directory"),
	PL_OPT(LIST, 's', "set", sets, "KEY=VALUE",
	       "override a key of the experiment, such as server.max_num_seqs=8; may be repeated"),
	PL_OPT(FLAG, 0, "dry-run", dry_run, NULL, "show what would run, and start nothing"),
	PL_OPT(FLAG, 0, "json", json, NULL,
	       "print the result (or the dry run) to standard output as one JSON object"),
	PL_OPT(FLAG, 0, "brief", brief, NULL,
	       "print one short JSON object: the verdict and a few metrics with their intervals"),
	PL_OPT(FLAG, 'q', "quiet", quiet, NULL, "show no progress"),
	PL_OPT(TEXT, 0, "progress", progress, "FORM",
	       "write progress and messages as text, or as one JSON object per line that another "
	       "program reads; the run ends when that program does (default: text)",
	       .choices = progress_choices),
	PL_OPT(FLAG, 0, "sim", simulate, NULL, "start the simulator profllm-sim as the server"),
	PL_OPT(TEXT, 0, "fail-on", fail_on, "VERDICT",
	       "exit with status 6 if there is no verdict, or if it is VERDICT or worse",
	       .choices = fail_on_choices),
	PL_OPT(TEXT, 0, "upload", upload, "URL",
	       "show the run on the dashboard at URL while it lasts, then send the result and its "
	       "artifacts"),
	PL_OPT(FLAG, 0, "no-live", no_live, NULL,
	       "send nothing to the dashboard of --upload before the end of the run"),
	PL_OPT(TEXT, 0, "token-file", token_file, "FILE",
	       "send the token in FILE to the dashboard of --upload"),
	PL_OPT(TEXT, 0, "ca-file", ca_file, "FILE",
	       "trust the certificates in FILE (PEM) for --upload instead of the system's"),
	PL_OPT(TEXT, 0, "otlp", otlp.url, "URL",
	       "send the metrics of the result to the OpenTelemetry collector at URL (OTLP/HTTP "
	       "with "
	       "JSON)"),
	PL_OPT(TEXT, 0, "otlp-headers-file", otlp.headers_file, "FILE",
	       "send the headers in FILE, one NAME: VALUE per line, to --otlp (default: "
	       "$OTEL_EXPORTER_OTLP_HEADERS)"),
	PL_OPT(TEXT, 0, "otlp-ca-file", otlp.ca_file, "FILE",
	       "trust the certificates in FILE (PEM) for --otlp instead of the system's"),
	PL_OPT(TEXT, 0, "params-overlay", overlay, "FILE", CLI_HELP_PARAMS_OVERLAY),
	PL_OPT(DURATION, 0, "wait", wait_ns, "[TIME]",
	       "wait up to TIME (such as 90s or 2h) until the GPUs and the port are free; "
	       "without TIME, wait without limit",
	       .optional = true),
	PL_OPT(FLAG, 0, "force", force, NULL,
	       "start even if arguments break rules that 'profllm validate' checks; the result "
	       "records this"),
	PL_OPT(FLAG, 0, "overwrite", overwrite, NULL,
	       "replace an existing result at --output, if the new result is at least as complete"),
	PL_OPT(TEXT, 0, "file-mode", file_mode, "MODE",
	       "set the permissions of the result and its artifacts, such as 0640 (default: "
	       "0600 for logs, the umask for other files)"),
	PL_OPT(FLAG, 0, "allow-removed", allow_removed, NULL, CLI_HELP_ALLOW_REMOVED),
	PL_OPT(FLAG, 0, "allow-gone", allow_removed, NULL, "former name of --allow-removed",
	       .hidden = true),
	{ .name = NULL },
};

const struct pl_opt_command cli_run_command = {
	.name = "profllm run",
	.usage = "--config FILE --output FILE [options]\n--config FILE --dry-run [options]",
	.summary = "Start a server, measure it, stop it and write the result.",
	.details =
		"On a terminal, a view of the run is shown while requests are sent: the verdict so "
		"far, progress, rates, server and GPUs. Type a letter and press Enter: q closes "
		"the view, and the run continues with one line every 10 s; l shows the last "
		"lines of the server's log instead of the charts; v shows all reasons of the "
		"verdict.\n\n"
		"A run that was killed leaves a journal, from which 'profllm recover' writes its "
		"result. --overwrite deletes this journal.\n\n"
		"Examples:\n"
		"  profllm run -c configs/examples/quickstart.yaml -o r.json\n"
		"  profllm run -c exp.yaml -o r.json --set benchmark.request_rate=20\n"
		"  profllm run -c exp.yaml -o r.json --wait 2h\n"
		"  profllm run -c exp.yaml --dry-run\n"
		"  profllm run -c r.json -o again.json\n\n"
		"Exit status: 0 completed, 1 partial or failed, 2 invalid usage or input, 3 the "
		"server did not start, 4 timeout, 5 GPU or port in use, 6 verdict not accepted "
		"(--fail-on), 8 completed but not uploaded (--upload), 128 + N "
		"interrupted by signal N.",
	.options = run_rows,
};

/* Makes all checks that are possible before the start. */
static int check(struct run_options *options, struct exp_config **experiment,
		 struct option_problems *problems)
{
	struct exp_check_options how = { .allow_removed = options->allow_removed, .runs = true };
	auto_check found = { 0 };

	run_check_server(*experiment, &how, &found, problems);
	/* --force ignores rules between arguments, but no error that prevents the run */
	bool ends = exp_check_firm(problems) > 0 || (problems->errors > 0 && !options->force);
	if (!ends) {
		run_check_host(*experiment, problems);
		/* a dry run may be on another host than the run */
		ends = exp_check_firm(problems) > 0 && !options->dry_run;
	}
	if (ends || !options->dry_run)
		cli_print_problems(problems);
	if (!ends)
		return 0;
	if (options->dry_run && options->json)
		(void)cli_dry_run_refused(problems);
	pl_err_invalid(&options->err, "%zu problem%s of the experiment", problems->errors,
		       problems->errors == 1 ? "" : "s");
	exp_config_free(pl_take(*experiment));
	return pl_err_exit_status(PL_ERR_INVALID);
}

static struct cli_dashboard dashboard_of(const struct run_options *options)
{
	return (struct cli_dashboard){ .url = options->upload,
				       .option = "--upload",
				       .token_file = options->token_file,
				       .ca_file = options->ca_file };
}

static int check_usage(const struct run_options *options, enum res_fail_on *ret_fail_on,
		       struct pl_err *err)
{
	if (options->config == NULL)
		return pl_err_invalid(err, "--config FILE is missing");
	if (options->brief && (options->json || options->dry_run))
		return pl_err_invalid(err, "--brief and %s exclude each other",
				      options->json ? "--json" : "--dry-run");
	if (options->output == NULL && !options->dry_run)
		return pl_err_invalid(err, "--output FILE is missing");
	if (cli_file_mode(options->file_mode, err) < 0)
		return -1;
	if (options->stream.is_open && options->quiet)
		return pl_err_invalid(err, "--progress json, --quiet: found both, expected one");
	if (options->wait_ns < 0)
		return pl_err_invalid(err, "--wait: found a negative time, expected at least 0s");
	const struct cli_dashboard dashboard = dashboard_of(options);
	if (cli_otlp_check(&options->otlp, err) < 0)
		return -1;
	if (options->upload != NULL && cli_dashboard_check(&dashboard, err) < 0)
		return -1;
	if (options->upload == NULL &&
	    (options->token_file != NULL || options->ca_file != NULL || options->no_live))
		return pl_err_invalid(err, "%s works only with --upload; add --upload URL",
				      options->no_live              ? "--no-live"
				      : options->token_file != NULL ? "--token-file"
								    : "--ca-file");
	if (options->fail_on == NULL)
		return 0;
	return res_fail_on_parse(options->fail_on, ret_fail_on, err);
}

static int fail(struct run_options *options, const struct pl_err *err)
{
	options->err = *err;
	return cli_fail(err);
}

static int read_experiment(const struct run_options *options, struct exp_config **ret,
			   struct option_problems *problems, struct pl_err *err)
{
	auto_free char *text = NULL;
	size_t len;

	if (strcmp(options->config, CLI_STDIN) != 0)
		return run_check_read(options->catalog, options->config, options->sets.items,
				      options->sets.count, ret, problems, err);
	if (cli_text_read(options->config, &text, &len, err) < 0)
		return -1;
	return run_check_read_text(options->catalog, text, len, cli_input_name(options->config),
				   options->sets.items, options->sets.count, ret, problems, err);
}

/* If the line in the file is known, the message starts with it, so that editors can open it. */
static int load(struct run_options *options, enum res_fail_on *ret_fail_on, struct exp_config **ret,
		struct option_problems *problems)
{
	struct pl_err err = PL_ERR_INIT;

	if (check_usage(options, ret_fail_on, &err) < 0 ||
	    cli_catalog_open(options->overlay, &options->catalog, &err) < 0)
		return fail(options, &err);
	if (read_experiment(options, ret, problems, &err) == 0) {
		(*ret)->simulate = options->simulate;
		return check(options, ret, problems);
	}
	if (err.line > 0 && !options->stream.is_open) {
		fprintf(stderr, "%s\n", err.text);
		return pl_err_exit_status(err.code);
	}
	return fail(options, &err);
}

/* `path` NULL: it could not be written. */
static int print_result(const json_t *result, const struct exp_config *experiment,
			const struct run_options *options, const char *path)
{
	auto_buf text = PL_BUF(REPORT_BYTES_MAX);

	if (options->brief) {
		auto_fields struct res_fields *fields = res_fields_new(NULL);
		auto_json json_t *answer = res_brief_run(fields, (json_t *)result, path);
		return cli_print_json(answer);
	}
	if (options->json)
		return cli_print_json(result);
	res_report_run(result, &experiment->bench, path, NULL, pl_log_has_color(STDOUT_FILENO),
		       &text);
	return cli_print(pl_buf_text(&text));
}

/* Returns the command that repeats the run, for display. free() */
static char *command_of(const struct run_options *options)
{
	auto_json json_t *words = json_pack("[s, s, s, o, s, o]", "profllm", "run", "--config",
					    pl_json_text(options->config), "--output",
					    pl_json_text(options->output));
	auto_buf text = PL_BUF(REPORT_BYTES_MAX);

	for (size_t i = 0; i < options->sets.count; i++) {
		json_array_append_new(words, json_string("--set"));
		json_array_append_new(words, pl_json_text(options->sets.items[i]));
	}
	if (options->simulate)
		json_array_append_new(words, json_string("--sim"));
	auto_json json_t *shown = vllm_secret_words_shown(words);
	PL_JSON_EACH(word, shown) {
		pl_buf_add_text(&text, text.len > 0 ? " " : "");
		vllm_word_quote(json_string_value(word), &text);
	}
	return pl_buf_take(&text);
}

static int run(const struct exp_config *experiment, struct run_options *options,
	       const struct option_problems *problems, enum res_fail_on fail_on)
{
	auto_free char *written = NULL;
	struct run_settings how = {
		.output = options->output,
		.written = &written,
		.quiet = options->quiet || options->stream.is_open,
		.ends_with_reader = options->stream.is_open,
		.forced = problems->errors > 0,
		.overwrite = options->overwrite,
		.wait_ns = options->wait_ns,
	};
	struct cli_dashboard dashboard = dashboard_of(options);
	auto_free char *command = command_of(options);
	struct cli_live live = { 0 };
	auto_json json_t *result = NULL;
	struct pl_err err = PL_ERR_INIT;
	int signal_number = 0, ended;

	if (options->upload != NULL && !options->no_live)
		how.sink = cli_live_open(&dashboard, command, &live);
	how.sink = run_stream_sink(&options->stream, how.sink, command);
	int done = run_single(experiment, &how, &result, &signal_number, &err);
	if (options->upload != NULL)
		cli_upload_prepare(written, &dashboard);
	if (done < 0) {
		ended = cli_fail(&err);
		if (result != NULL)
			(void)print_result(result, experiment, options, written);
		/* like a shell, so that scripts detect the interruption */
		if (err.code == PL_ERR_INTERRUPTED && signal_number != 0)
			ended = 128 + signal_number;
	} else {
		int printed = print_result(result, experiment, options, written);
		ended = res_exit_status_of(result, fail_on, signal_number);
		/* a closed terminal is also a failed output: the cause of the run's end takes precedence */
		if (ended == 0 && printed != 0)
			ended = pl_err_exit_status(PL_ERR_IO);
	}
	cli_live_close(&live, result, ended);
	cli_otlp_send(&options->otlp, result);
	if (result != NULL && options->upload != NULL)
		ended = cli_upload_result(written, &dashboard, ended);
	run_stream_end(&options->stream, ended, result, written, &err);
	return ended;
}

static int dry_run(const struct exp_config *experiment, const struct run_options *options,
		   struct option_problems *problems)
{
	const struct cli_file file = {
		.path = options->output,
		.option = "--output",
		.overwrite = options->overwrite,
		.is_result = true,
	};

	if (file.path != NULL) {
		cli_warn_file(&file, problems);
		run_check_output(experiment, file.path, false, problems);
		if (!file.overwrite)
			run_check_artifacts(file.path, problems);
	}
	return cli_dry_run(experiment, problems, options->json);
}

int cmd_run(int argc, char **argv)
{
	struct run_options options = { 0 };
	auto_experiment struct exp_config *experiment = NULL;
	auto_problems problems = { 0 };
	struct pl_words words;
	enum res_fail_on fail_on = RES_FAIL_ON_NOTHING;
	int status;

	if (pl_command_read(&cli_run_command, argc, argv, &options, &words, &status)) {
		if (options.progress != NULL && strcmp(options.progress, PROGRESS_JSON) == 0)
			run_stream_open(&options.stream);
		status = load(&options, &fail_on, &experiment, &problems);
	}
	if (experiment != NULL && options.dry_run)
		status = dry_run(experiment, &options, &problems);
	if (experiment != NULL && !options.dry_run)
		status = run(experiment, &options, &problems, fail_on);
	else
		run_stream_end(&options.stream, status, NULL, NULL, &options.err);
	pl_opt_list_done(&options.sets);
	vllm_catalog_free(options.catalog);
	return status;
}
