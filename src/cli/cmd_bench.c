#include "cli/cli.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/text.h"
#include "bench/adapters/adapter.h"
#include "bench/data/dataset.h"
#include "cli/bench_rows.h"
#include "cli/bench_dry_run.h"
#include "cli/bench_words.h"
#include "result/report.h"
#include "run/alone.h"
#include "vllm/bench/line.h"
#include "experiment/config.h"

#define REPORT_BYTES_MAX (64u << 20)

/* What vLLM's suite has and this version has not. */
static const char *const later[] = { "latency", "throughput", "startup", "mm-processor", "sweep" };

static bool has_flag(const struct vllm_bench_line *line, const char *flag)
{
	return json_object_get(line->flags, flag) != NULL;
}

static const char *flag_text(const struct vllm_bench_line *line, const char *flag)
{
	return json_string_value(json_object_get(line->flags, flag));
}

/* One line each, as vLLM words it, with what to write instead. */
static void print_faults(const struct vllm_bench_line *line)
{
	static const char *const words[] = {
		[VLLM_BENCH_MISREAD] = "error",
		[VLLM_BENCH_REFUSED] = "error",
		[VLLM_BENCH_LATER] = "error",
		[VLLM_BENCH_WARNING] = "warning",
	};

	for (size_t i = 0; i < line->fault_count; i++) {
		const struct vllm_bench_fault *fault = &line->faults[i];
		const char *hint = fault->hint != NULL ? fault->hint : "";
		fprintf(stderr, "profllm bench serve: %s: %s%s%s%s\n", words[fault->kind],
			fault->text, *hint != '\0' ? " (" : "", hint, *hint != '\0' ? ")" : "");
	}
	if (vllm_bench_line_count(line, VLLM_BENCH_LATER) > 0)
		fputs("profllm bench serve: what vllm bench serve itself can do is measured by an "
		      "experiment file with 'client: vllm' (docs/reference/client-vllm.md)\n",
		      stderr);
}

/* The experiment that the line means: a server that runs, and this load. */
static struct exp_config *make_experiment(struct vllm_bench_line *line)
{
	struct exp_config *experiment = exp_config_new(vllm_catalog_reference(), "command line");

	vllm_bench_done(&experiment->bench);
	experiment->bench = line->bench;
	vllm_bench_init(&line->bench);
	memcpy(experiment->bench_set, line->given, sizeof(line->given));
	if (experiment->bench.label != NULL)
		experiment->name = pl_strdup(experiment->bench.label);
	return experiment;
}

/* The lines about the end of a run, in the words of this command. */
static int print_console(const char *text)
{
	auto_buf told = { 0 };

	pl_buf_init(&told, REPORT_BYTES_MAX);
	while (*text != '\0') {
		size_t len = strcspn(text, "\n") + 1;
		auto_free char *line = pl_strndup(text, len);
		bool is_ours = pl_text_starts(line, "Status: ") || pl_text_starts(line, "To try: ");
		auto_free char *shown = is_ours ? cli_bench_in_flags(line) : pl_strdup(line);
		pl_buf_add_text(&told, shown);
		text += strlen(line);
	}
	return cli_print(pl_buf_text(&told));
}

/* `path` NULL: the result was not to be kept. */
static int print_result(const struct exp_config *experiment, const struct vllm_bench_line *line,
			const json_t *result, const char *path, const char *failures)
{
	auto_buf text = { 0 };

	if (has_flag(line, "--json"))
		return cli_print_json(result);
	pl_buf_init(&text, REPORT_BYTES_MAX);
	res_report_run(result, &experiment->bench, path, failures, pl_log_has_colour(STDOUT_FILENO),
		       &text);
	return print_console(pl_buf_text(&text));
}

/* A folder for what is not to be kept: a killed run leaves its journal there. */
static int make_place(char *folder, size_t room, char **ret_path, struct pl_err *err)
{
	const char *above = getenv("TMPDIR");

	snprintf(folder, room, "%s/profllm-bench-XXXXXX",
		 above != NULL && above[0] != '\0' ? above : "/tmp");
	if (mkdtemp(folder) == NULL)
		return pl_err_errno(err, "cannot make a folder '%s'", folder);
	*ret_path = pl_asprintf("%s/result.json", folder);
	return 0;
}

static void drop_place(const char *folder, const char *path)
{
	unlink(path);
	/* anything else in it is worth keeping, and then the folder stays */
	rmdir(folder);
}

static int run(struct exp_config *experiment, const struct vllm_bench_line *line,
	       enum res_fail_on fail_on)
{
	const char *output = flag_text(line, "--output");
	auto_free char *path = pl_strdup(output);
	auto_free char *failures = NULL;
	char folder[PATH_MAX];
	auto_json json_t *result = NULL;
	struct pl_err err = PL_ERR_INIT;
	enum res_status status;
	int signal_number = 0;

	if (output == NULL) {
		if (make_place(folder, sizeof(folder), &path, &err) < 0)
			return cli_fail(&err);
		experiment->output.requests = false;
		experiment->output.series = false;
	}
	struct run_settings how = {
		.output = path,
		.failures = &failures,
		.names_of_vllm = true,
		.output_dropped = output == NULL,
		.quiet = has_flag(line, "--quiet"),
	};
	int done = run_alone(experiment, &how, &result, &signal_number, &err);
	if (done < 0)
		done = cli_bench_fail(&err);
	/* what could not be written is shown all the same */
	if (result != NULL &&
	    print_result(experiment, line, result, done == 0 ? output : NULL, failures) != 0)
		done = pl_err_exit_status(PL_ERR_IO);
	if (output == NULL)
		drop_place(folder, path);
	if (result == NULL || done != 0)
		return done;
	const char *name = json_string_value(json_object_get(result, "status"));
	const char *verdict = json_string_value(pl_json_get_path(result, "quality.verdict"));
	if (res_status_find(name, &status) < 0)
		return pl_err_exit_status(PL_ERR_IO);
	return res_exit_status(status, verdict, fail_on, signal_number);
}

/* What this version can do, and what only the experiment's own checks see. */
static void check(struct vllm_bench_line *line, const struct exp_config *experiment)
{
	const struct vllm_bench *bench = &experiment->bench;
	struct pl_err err = PL_ERR_INIT;

	if (bench_adapter_find(bench->backend) == NULL)
		vllm_bench_line_add(
			line, VLLM_BENCH_LATER,
			pl_asprintf("--backend: '%s' is not in this version", bench->backend));
	if (!bench_dataset_is_known(bench->dataset_name))
		vllm_bench_line_add(line, VLLM_BENCH_LATER,
				    pl_asprintf("--dataset-name: '%s' is not in this version",
						bench->dataset_name));
	if (vllm_bench_line_count(line, VLLM_BENCH_LATER) == 0 && run_check(experiment, &err) < 0 &&
	    vllm_bench_line_count(line, VLLM_BENCH_REFUSED) == 0)
		vllm_bench_line_add(line, VLLM_BENCH_REFUSED, cli_bench_in_flags(err.text));
}

/* A dry run only lists what the run itself would refuse: a file may not be on this host. */
static bool may_go_on(const struct vllm_bench_line *line)
{
	return vllm_bench_line_count(line, VLLM_BENCH_MISREAD) == 0 &&
	       vllm_bench_line_count(line, VLLM_BENCH_LATER) == 0 &&
	       (vllm_bench_line_count(line, VLLM_BENCH_REFUSED) == 0 ||
		has_flag(line, "--dry-run"));
}

static int serve_read(struct vllm_bench_line *line)
{
	const char *fail_on_text = flag_text(line, "--fail-on");
	auto_experiment struct exp_config *experiment = NULL;
	enum res_fail_on fail_on = RES_FAIL_ON_NOTHING;
	struct pl_err err = PL_ERR_INIT;

	if (line->fault_count == 0) {
		vllm_bench_line_check(line);
		experiment = make_experiment(line);
		check(line, experiment);
	}
	print_faults(line);
	if (fail_on_text != NULL && res_fail_on_parse(fail_on_text, &fail_on, &err) < 0)
		return cli_fail(&err);
	if (experiment == NULL || !may_go_on(line))
		return pl_err_exit_status(PL_ERR_INVALID);
	if (has_flag(line, "--dry-run"))
		return cli_bench_dry_run(experiment, line, has_flag(line, "--json"));
	return run(experiment, line, fail_on);
}

static int serve(int argc, char **argv)
{
	struct vllm_bench_line line;
	int status;

	vllm_bench_line_read((const char *const *)argv + 1, (size_t)argc - 1, cli_bench_flags,
			     &line);
	if (has_flag(&line, "--help"))
		status = cli_print_help(&cli_bench_command);
	else
		status = serve_read(&line);
	vllm_bench_line_done(&line);
	return status;
}

int cmd_bench(int argc, char **argv)
{
	struct pl_err err = PL_ERR_INIT;
	const char *what = argc > 1 ? argv[1] : "";

	if (strcmp(what, "serve") == 0)
		return serve(argc - 1, argv + 1);
	if (strcmp(what, "--help") == 0 || strcmp(what, "-h") == 0)
		return cli_print_help(&cli_bench_command);
	for (size_t i = 0; i < PL_ARRAY_SIZE(later); i++) {
		if (strcmp(what, later[i]) == 0) {
			pl_err_set(&err, PL_ERR_INVALID,
				   "'bench %s' is not in this version, only 'bench serve' is",
				   what);
			return cli_fail(&err);
		}
	}
	if (what[0] == '\0')
		pl_err_set(
			&err, PL_ERR_INVALID,
			"found 'bench' alone, expected 'bench serve' (see profllm bench --help)");
	else
		pl_err_set(&err, PL_ERR_INVALID, "found 'bench %s', expected 'bench serve'", what);
	return cli_fail(&err);
}
