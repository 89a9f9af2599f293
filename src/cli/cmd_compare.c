/* `profllm compare A B…`: compares files with result/compare/compare.h and prints a table. */
#include "cli/cli.h"

#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/text.h"
#include "cli/metric_options.h"
#include "result/brief/brief.h"
#include "result/compare/documents.h"
#include "result/compare/releases.h"
#include "result/compare/table.h"

#define TABLE_BYTES_MAX (64u << 20)
#define NAMES_BYTES_MAX 4096
#define EFFECT_DEFAULT  "5%"
#define ERROR_DEFAULT   "5%"
#define ERROR_MAX       RES_BRIEF_ERROR

struct compare_options {
	bool fail_on_regression;
	const char *min_effect;
	struct pl_opt_list metrics;
	struct pl_opt_list vary;
	bool all;
	bool json;
	bool markdown;
	bool brief;
	const char *error;
};

#define AT(field) offsetof(struct compare_options, field)

static const struct pl_opt compare_rows[] = {
	PL_OPT(FLAG, 0, "fail-on-regression", fail_on_regression, NULL,
	       "exit with status 7 if a metric is worse by more than --min-effect, and with 1 if "
	       "a candidate cannot be judged"),
	PL_OPT(TEXT, 0, "min-effect", min_effect, "SHARE",
	       "ignore differences below SHARE, such as 5% or 0.05", .def = EFFECT_DEFAULT),
	PL_OPT(LIST, 0, "metrics", metrics, "LIST",
	       "show only these metrics, such as p99_ttft_ms,output_throughput; may be "
	       "repeated"),
	PL_OPT(LIST, 0, "vary", vary, "FIELD",
	       "match configurations that differ in this input, such as server.max_num_seqs or "
	       "experiment.launch; may be repeated"),
	PL_OPT(FLAG, 0, "all", all, NULL, "also show inputs that are equal"),
	PL_OPT(FLAG, 0, "json", json, NULL, "print one JSON object"),
	PL_OPT(FLAG, 0, "markdown", markdown, NULL, "print Markdown"),
	PL_OPT(FLAG, 0, "brief", brief, NULL,
	       "print one short JSON object: the verdict, and for each metric what is proven, or "
	       "how "
	       "many more runs are needed"),
	PL_OPT(TEXT, 0, "error", error, "SHARE",
	       "with --brief: limit the probability of a wrong proof, over all metrics, candidates "
	       "and "
	       "repetitions of the command; at most 5%",
	       .def = ERROR_DEFAULT),
	{ .name = NULL },
};

const struct pl_opt_command cli_compare_command = {
	.name = "profllm compare",
	.usage = "A B… [--fail-on-regression] [--min-effect 5%] [options]",
	.summary = "Compare results: the differences and their uncertainty.",
	.details =
		"A is the baseline, and B… are up to seven candidates. Each is a result of profllm "
		"or of vllm bench serve, a directory with repeated runs (.json), or SWEEP#ID: the "
		"directory of a sweep and the id of a combination in its summary.json.\n\n"
		"Examples:\n"
		"  profllm compare before.json after.json\n"
		"  profllm compare before/ after/ --fail-on-regression --min-effect 3%\n"
		"  profllm compare a.json b.json c.json --metrics p99_ttft_ms --json\n"
		"  profllm compare night#471ef3e0cc07 night#3d19b46b1770 --brief\n\n"
		"For single runs, the confidence intervals cover the variation within each run. To "
		"measure run-to-run variation, compare directories of repeated runs. The "
		"requests of one run do not count as independent samples.\n\n"
		"If A and B have results of several configurations, such as two releases over a "
		"grid, a summary over the matched configurations follows.\n\n"
		"A metric is a regression if the whole 95 % confidence interval of its ratio "
		"is worse by more than --min-effect. A metric without an interval is never a "
		"regression. docs/reference/compare.md explains the statistics.\n\n"
		"--brief proves differences with evidence that stays valid if you add runs and "
		"repeat the "
		"command. Its default metrics are output_throughput, median_ttft_ms and "
		"median_tpot_ms.\n\n"
		"Exit status: 0 compared, 2 invalid usage, or a file cannot be read; with "
		"--fail-on-regression: 7 regression found, 1 a candidate cannot be judged: none of "
		"its runs completed, it lacks a metric of A, or a metric where higher is better is "
		"0.",
	.options = compare_rows,
	.operand = "FILE",
};

/* ---- sides --------------------------------------------------------------------------------- */

struct sides {
	struct res_compare_documents items[RES_COMPARE_SIDES_MAX];
	size_t count;
};

static void sides_done(struct sides *sides)
{
	for (size_t i = 0; i < sides->count; i++)
		res_compare_documents_done(&sides->items[i]);
}
#define auto_sides __attribute__((cleanup(sides_done), unused)) struct sides

static int read_sides(const struct res_fields *fields, const struct pl_words *words,
		      struct sides *sides, struct pl_err *err)
{
	for (int i = 0; i < words->count; i++) {
		sides->count++;
		if (res_compare_documents_read(fields, words->items[i], &sides->items[i], err) < 0)
			return -1;
	}
	return 0;
}

/* ---- the output ---------------------------------------------------------------------------- */

static int print(const struct compare_options *options, const json_t *comparison)
{
	auto_buf text = PL_BUF(TABLE_BYTES_MAX);

	if (options->json)
		return cli_print_json(comparison);
	if (options->markdown)
		res_compare_markdown(comparison, &text);
	else
		res_compare_text(comparison, isatty(STDOUT_FILENO), &text);
	return cli_print(pl_buf_text(&text));
}

typedef bool figure_fn(const json_t *metric, const json_t *ratio, size_t side);

/* Lists the metrics for which some side's ratio is of that kind. */
static size_t list_figures(const json_t *comparison, figure_fn *is_it, struct pl_buf *names)
{
	size_t count = 0;

	PL_JSON_EACH(metric, json_object_get(comparison, "metrics")) {
		PL_JSON_EACH(ratio, json_object_get(metric, "ratios")) {
			if (!is_it(metric, ratio, ratio_at + 1))
				continue;
			pl_buf_addf(names, "%s%s", count > 0 ? ", " : "",
				    pl_json_get_text(metric, "field"));
			count++;
			break;
		}
	}
	return count;
}

static bool is_regression(const json_t *metric, const json_t *ratio, size_t side)
{
	(void)metric;
	(void)side;
	return json_is_true(json_object_get(ratio, "regression"));
}

/* An equal value is not worse, whatever its uncertainty. */
static bool is_unsure(const json_t *metric, const json_t *ratio, size_t side)
{
	(void)metric;
	(void)side;
	return pl_text_equal(pl_json_get_text(ratio, "method"), "none") &&
	       !pl_text_equal(pl_json_get_text(ratio, "finding"), "equal");
}

/* A has a value and the side has none, or 0 if more is better. */
static bool is_lost(const json_t *metric, const json_t *ratio, size_t side)
{
	const json_t *sides = json_object_get(metric, "sides");
	const json_t *before = json_object_get(json_array_get(sides, 0), "value");
	const json_t *after = json_object_get(json_array_get(sides, side), "value");

	(void)ratio;
	if (!json_is_number(before) || !json_is_number(after))
		return json_is_number(before);
	return pl_text_equal(pl_json_get_text(metric, "direction"), "higher") &&
	       json_number_value(before) > 0 && !(json_number_value(after) > 0);
}

/* Returns a side without a completed run. */
static const json_t *failed_side(const json_t *comparison)
{
	PL_JSON_EACH(side, json_object_get(comparison, "sides")) {
		if (side_at > 0 &&
		    pl_json_get_i64(side, "not_completed") == pl_json_get_i64(side, "runs"))
			return side;
	}
	return NULL;
}

static int judge(const struct compare_options *options, const json_t *comparison)
{
	auto_buf worse = PL_BUF(NAMES_BYTES_MAX), unsure = PL_BUF(NAMES_BYTES_MAX);
	auto_buf lost = PL_BUF(NAMES_BYTES_MAX);
	const json_t *failed = failed_side(comparison);
	struct pl_err err = PL_ERR_INIT;

	if (list_figures(comparison, is_unsure, &unsure) > 0)
		pl_log(PL_LOG_WARNING, "no confidence interval, so regressions are unknown for: %s",
		       pl_buf_text(&unsure));
	if (list_figures(comparison, is_regression, &worse) > 0)
		pl_err_set(&err, PL_ERR_REGRESSION, "worse by more than %s: %s",
			   options->min_effect, pl_buf_text(&worse));
	else if (failed != NULL)
		pl_err_set(&err, PL_ERR_FAILED, "'%s': found no run that completed, expected one",
			   pl_json_get_text(failed, "name"));
	else if (list_figures(comparison, is_lost, &lost) > 0)
		pl_err_set(&err, PL_ERR_FAILED,
			   "recorded by the baseline, but not by all candidates: %s",
			   pl_buf_text(&lost));
	return err.code == PL_ERR_NONE ? 0 : cli_fail(&err);
}

/* Adds the summary over matched configurations, if there are several. */
static void add_releases(const struct res_fields *fields, const struct sides *sides,
			 const struct res_compare_options *how, const struct pl_opt_list *vary,
			 json_t *comparison)
{
	struct res_compare_releases_options options = { .metrics = how->metrics,
							.metric_count = how->metric_count,
							.vary = vary->items,
							.vary_count = vary->count };
	json_t *releases = res_compare_releases(fields, sides->items, &options);

	if (releases != NULL)
		json_object_set_new(comparison, "releases", releases);
}

static int compare_briefly(const struct compare_options *options, const struct res_fields *fields,
			   struct sides *sides, const struct cli_metrics *metrics, double effect)
{
	struct res_brief_options how = { .metrics = metrics->items,
					 .metric_count = metrics->count,
					 .effect = effect };
	struct pl_err err = PL_ERR_INIT;

	if (cli_share_read("--error", options->error != NULL ? options->error : ERROR_DEFAULT,
			   &how.error, &err) < 0)
		return cli_fail(&err);
	/* a larger share would let noise pass as proven */
	if (how.error > ERROR_MAX)
		return cli_refuse("--error: found '%s', expected at most %s", options->error,
				  ERROR_DEFAULT);
	auto_json json_t *answer = res_brief_compare(fields, sides->items, sides->count, &how);
	return cli_print_json(answer);
}

static int compare(const struct compare_options *options, const struct pl_words *words)
{
	auto_fields struct res_fields *fields = res_fields_new(NULL);
	struct pl_err err = PL_ERR_INIT;
	auto_sides sides = { .count = 0 };
	struct res_compare_options how = { .list_equal = options->all };
	auto_metrics metrics = { 0 };

	if (cli_share_read("--min-effect", options->min_effect, &how.effect, &err) < 0 ||
	    cli_metrics_read(fields, &options->metrics, &metrics, &err) < 0 ||
	    (options->brief && cli_metrics_complete(fields, &metrics, &err) < 0) ||
	    read_sides(fields, words, &sides, &err) < 0)
		return cli_fail(&err);
	if (options->brief)
		return compare_briefly(options, fields, &sides, &metrics, how.effect);
	how.metrics = metrics.items;
	how.metric_count = metrics.count;
	auto_json json_t *comparison = res_compare_of_documents(fields, sides.items, sides.count,
								&how);
	if (sides.count == 2)
		add_releases(fields, &sides, &how, &options->vary, comparison);
	int status = print(options, comparison);

	return status == 0 && options->fail_on_regression ? judge(options, comparison) : status;
}

int cmd_compare(int argc, char **argv)
{
	struct compare_options options = { .min_effect = EFFECT_DEFAULT };
	struct pl_words words;
	int status;

	if (!pl_command_read(&cli_compare_command, argc, argv, &options, &words, &status)) {
		pl_opt_list_done(&options.metrics);
		pl_opt_list_done(&options.vary);
		return status;
	}
	if (words.count < 2 || words.count > RES_COMPARE_SIDES_MAX)
		status = cli_refuse("found %d result%s, expected 2 to %d files or directories",
				    words.count, words.count == 1 ? "" : "s",
				    RES_COMPARE_SIDES_MAX);
	else if (options.json && options.markdown)
		status = cli_refuse("--json and --markdown exclude each other");
	else if (options.brief && (options.markdown || options.fail_on_regression || options.all ||
				   options.vary.count > 0))
		status = cli_refuse(
			"--brief: found %s, expected only --metrics, --min-effect, --error and "
			"--json with it",
			options.markdown             ? "--markdown"
			: options.fail_on_regression ? "--fail-on-regression"
			: options.all                ? "--all"
						     : "--vary");
	else if (options.error != NULL && !options.brief)
		status = cli_refuse("--error works only with --brief; add --brief");
	else
		status = compare(&options, &words);
	pl_opt_list_done(&options.metrics);
	pl_opt_list_done(&options.vary);
	return status;
}
