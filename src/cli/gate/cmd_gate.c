/* `profllm gate`: is a candidate slower than its baseline? Takes results, or measures both in turn. */
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "base/clean.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/gate/options.h"
#include "result/compare/documents.h"

#define TABLE_BYTES_MAX (64u << 20)
#define NS_DEFAULT      (60 * 1000000000LL)

struct gate_options {
	struct cli_gate_options gate;
	const char *base;
	const char *candidate;
	const char *output_dir;
	const char *markdown;
	const char *max_failed;
	struct pl_opt_list metrics;
	bool resume;
	bool json;
};

#define AT(field) offsetof(struct gate_options, field)

static const struct pl_opt gate_rows[] = {
	PL_OPT(TEXT, 0, "base", base, "FILE",
	       "the baseline: an experiment file (.yaml), a result, or a directory of results"),
	PL_OPT(TEXT, 0, "candidate", candidate, "FILE", "the candidate, of the same kind"),
	PL_OPT(TEXT, 'o', "output-dir", output_dir, "DIR",
	       "with experiment files: write results, journals and gate.json to DIR"),
	PL_OPT(FLAG, 0, "resume", resume, NULL, "continue the gate in DIR"),
	PL_OPT(LIST, 0, "metrics", metrics, "LIST",
	       "decide by these metrics; may be repeated (default: "
	       "output_throughput,median_ttft_ms,median_tpot_ms)"),
	PL_OPT(TEXT, 0, "max-failed-runs", max_failed, "SHARE",
	       "allow this share of the candidate's runs to fail in addition to the baseline's "
	       "share, such as 10%",
	       .def = "0"),
	CLI_GATE_ROWS,
	PL_OPT(FLAG, 0, "json", json, NULL, "print one JSON object"),
	PL_OPT(TEXT, 0, "markdown", markdown, "FILE",
	       "also write the report as Markdown, for a comment on a pull request"),
	{ .name = NULL },
};

const struct pl_opt_command cli_gate_command = {
	.name = "profllm gate",
	.usage = "--base BASE --candidate CANDIDATE [--output-dir DIR] [options]",
	.summary = "Decide after as few runs as possible whether a candidate is slower.",
	.details =
		"With two experiment files, both are measured in turn, one run of each at a time, "
		"until each metric of each combination is decided, one is a regression, or the "
		"budget is used up. With results, the decision uses the existing runs; add "
		"runs and repeat it as often as needed: the error rate does not "
		"grow.\n\n"
		"Only runs with the same inputs are compared. A configuration that the candidate "
		"lacks is listed and cannot pass. A candidate with more failed runs than its "
		"baseline is a regression. docs/reference/gate.md explains the statistics.\n\n"
		"Examples:\n"
		"  profllm gate --base main.yaml --candidate branch.yaml -o gate --markdown "
		"gate.md\n"
		"  profllm gate --base before/ --candidate after/ --metrics p99_ttft_ms "
		"--min-effect 10%\n\n"
		"Exit status: 0 pass, 1 a configuration or metric cannot be judged, 2 invalid "
		"usage or input, 4 not decided within the budget or by these results, 5 GPU, port "
		"or directory in use, 7 regression, 128 + N interrupted by signal N.",
	.options = gate_rows,
};

static bool is_experiment(const char *path)
{
	return pl_text_ends(path, ".yaml") || pl_text_ends(path, ".yml");
}

static int read_results(const struct res_fields *fields, const char *path, unsigned side,
			struct res_gate *gate, struct pl_err *err)
{
	struct res_compare_documents documents = { .count = 0 };
	int done = res_compare_documents_read(fields, path, &documents, err);

	for (size_t i = 0; i < documents.count && done == 0; i++)
		res_gate_add(gate, side, 0, documents.items[i]);
	res_compare_documents_done(&documents);
	return done;
}

/* A default that no run records is skipped; one that was requested is not. */
static int read_metrics(const struct gate_options *options, const struct res_fields *fields,
			struct cli_metrics *metrics, struct pl_err *err)
{
	if (cli_metrics_read(fields, &options->metrics, metrics, err) < 0)
		return -1;
	return cli_metrics_complete(fields, metrics, err);
}

/* Each call on a pull request writes its report over the earlier one. */
static struct cli_file markdown_of(const struct gate_options *options)
{
	return (struct cli_file){ .path = options->markdown,
				  .option = "--markdown",
				  .overwrite = true,
				  .head = RES_GATE_MARKDOWN_HEAD };
}

static int print(const struct gate_options *options, const json_t *report)
{
	auto_buf text = PL_BUF(TABLE_BYTES_MAX);
	auto_buf markdown = PL_BUF(TABLE_BYTES_MAX);
	const struct cli_file file = markdown_of(options);

	res_gate_markdown(report, &markdown);
	int status = options->markdown != NULL ? cli_write_file(&file, &markdown) : 0;
	if (status != 0)
		return status;
	if (options->json)
		return cli_print_json(report);
	res_gate_text(report, isatty(STDOUT_FILENO), &text);
	return cli_print(pl_buf_text(&text));
}

static int status_of(const json_t *report)
{
	static const struct {
		const char *state;
		enum pl_err_code code;
	} states[] = { { "pass", PL_ERR_NONE },
		       { "regression", PL_ERR_REGRESSION },
		       { "undecided", PL_ERR_TIMEOUT } };

	for (size_t i = 0; i < PL_ARRAY_SIZE(states); i++) {
		if (pl_text_equal(pl_json_get_text(report, "state"), states[i].state))
			return pl_err_exit_status(states[i].code);
	}
	return pl_err_exit_status(PL_ERR_FAILED);
}

/* 0 is a share here. */
static int read_max_failed(const char *text, double *ret, struct pl_err *err)
{
	if (text == NULL || strcmp(text, "0") == 0 || strcmp(text, "0%") == 0) {
		*ret = 0;
		return 0;
	}
	return cli_share_read("--max-failed-runs", text, ret, err);
}

static int make_report(const struct gate_options *options, const struct res_fields *fields,
		       const struct res_gate_options *how, json_t **ret, int *ret_signal)
{
	struct pl_err err = PL_ERR_INIT;
	struct cli_gate_run run = { .options = &options->gate,
				    .fields = fields,
				    .how = how,
				    .files = { options->base, options->candidate },
				    .folder = options->output_dir,
				    .resume = options->resume };

	if (is_experiment(options->base)) {
		if (cli_gate_budget_read(&options->gate.budget, &run.budget, &err) < 0)
			return cli_fail(&err);
		return cli_gate_run(&run, ret, ret_signal);
	}
	auto_gate struct res_gate *gate = res_gate_new(fields, how);
	if (read_results(fields, options->base, RES_GATE_BASE, gate, &err) < 0 ||
	    read_results(fields, options->candidate, RES_GATE_CANDIDATE, gate, &err) < 0)
		return cli_fail(&err);
	*ret = res_gate_json(gate);
	return 0;
}

static int gate(const struct gate_options *options)
{
	auto_fields struct res_fields *fields = res_fields_new(NULL);
	auto_metrics metrics = { 0 };
	auto_json json_t *report = NULL;
	/* a path may have any bytes */
	auto_free char *base = pl_clean_line(options->base);
	auto_free char *candidate = pl_clean_line(options->candidate);
	struct pl_err err = PL_ERR_INIT;
	struct res_gate_options how = { .alpha = RES_GATE_ALPHA,
					.beta = RES_GATE_BETA,
					.names = { base, candidate },
					.vary = options->gate.vary.items,
					.vary_count = options->gate.vary.count };
	int signal = 0;

	if (read_metrics(options, fields, &metrics, &err) < 0 ||
	    read_max_failed(options->max_failed, &how.max_failed, &err) < 0 ||
	    (options->gate.min_effect != NULL &&
	     cli_share_read("--min-effect", options->gate.min_effect, &how.effect, &err) < 0))
		return cli_fail(&err);
	how.metrics = metrics.items;
	how.metric_count = metrics.count;
	how.skip_empty = options->metrics.count == 0;
	int status = make_report(options, fields, &how, &report, &signal);
	if (status == 0)
		status = print(options, report);
	if (status == 0)
		status = signal != 0 ? 128 + signal : status_of(report);
	return status;
}

static int check_usage(const struct gate_options *options)
{
	if (options->base == NULL || options->candidate == NULL)
		return cli_refuse("%s is missing",
				  options->base == NULL ? "--base" : "--candidate");
	if (is_experiment(options->base) != is_experiment(options->candidate))
		return cli_refuse(
			"--base and --candidate: expected two experiment files (.yaml) or "
			"results of both");
	if (is_experiment(options->base) && options->output_dir == NULL)
		return cli_refuse("--output-dir DIR is missing");
	if (!is_experiment(options->base) && (options->output_dir != NULL || options->resume))
		return cli_refuse("--output-dir and --resume need experiment files (.yaml)");
	return 0;
}

int cmd_gate(int argc, char **argv)
{
	struct gate_options options = { .gate.wait_ns = NS_DEFAULT };
	struct pl_words words;
	int status;

	if (pl_command_read(&cli_gate_command, argc, argv, &options, &words, &status)) {
		const struct cli_file markdown = markdown_of(&options);
		status = check_usage(&options);
		if (status == 0 && markdown.path != NULL)
			status = cli_check_file(&markdown);
		if (status == 0)
			status = gate(&options);
	}
	cli_gate_options_done(&options.gate);
	pl_opt_list_done(&options.metrics);
	return status;
}
