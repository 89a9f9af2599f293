/* `profllm bisect`: finds the first slower release of an ordered list; each step is a gate. */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"
#include "base/yaml.h"
#include "cli/cli.h"
#include "cli/gate/options.h"
#include "cli/gate/releases.h"
#include "result/gate/bisect.h"

#define TEXT_BYTES_MAX (4u << 20)
#define WAIT_DEFAULT   (60 * 1000000000LL)
#define ERROR_DEFAULT  0.05

struct bisect_options {
	struct cli_gate_options gate;
	const char *good;
	const char *bad;
	const char *releases;
	const char *output_dir;
	const char *metric;
	const char *error;
	struct pl_opt_list release;
	bool resume;
	bool json;
};

#define AT(field) offsetof(struct bisect_options, field)

static const struct pl_opt bisect_rows[] = {
	PL_OPT(TEXT, 0, "good", good, "RELEASE", "the first release, with the expected speed"),
	PL_OPT(TEXT, 0, "bad", bad, "RELEASE", "the last release, which is slower"),
	PL_OPT(LIST, 0, "release", release, "NAME=COMMAND",
	       "a release and the command that starts its server, in their order; NAME alone: "
	       "{release} in the texts of FILE is NAME; may be repeated (default: the releases "
	       "of vLLM)"),
	PL_OPT(TEXT, 0, "releases", releases, "FILE",
	       "read releases from FILE: one 'NAME' or 'NAME COMMAND' per line, in their order"),
	PL_OPT(TEXT, 0, "metric", metric, "METRIC",
	       "find the release in which this metric becomes worse", .def = "output_throughput"),
	PL_OPT(TEXT, 0, "error", error, "SHARE", "limit the probability of a wrong answer",
	       .def = "5%"),
	PL_OPT(TEXT, 'o', "output-dir", output_dir, "DIR",
	       "write one directory per step and bisect.json to DIR"),
	PL_OPT(FLAG, 0, "resume", resume, NULL, "continue the bisection in DIR"),
	CLI_GATE_ROWS,
	PL_OPT(FLAG, 0, "json", json, NULL, "print one JSON object"),
	{ .name = NULL },
};

const struct pl_opt_command cli_bisect_command = {
	.name = "profllm bisect",
	.usage = "--good RELEASE --bad RELEASE --metric METRIC --output-dir DIR [options] FILE",
	.summary = "Find the first release that is slower.",
	.details =
		"Each step measures one release and the good one in turn, as 'profllm gate' does, "
		"until their difference is decided. Noisy steps get more runs, up to --budget. A "
		"release that does not run, or is not decided, is skipped.\n\n"
		"Examples:\n"
		"  profllm bisect --good 0.10.0 --bad 0.11.2 --metric median_tpot_ms -o found "
		"serve.yaml\n"
		"  profllm bisect --good a1 --bad c3 --release 'a1=/opt/a1/vllm serve' --release "
		"'b2=/opt/b2/vllm serve' --release 'c3=/opt/c3/vllm serve' -o found serve.yaml\n\n"
		"For the first one, serve.yaml has launch.command: [/opt/vllm-{release}/bin/vllm, "
		"serve]. docs/reference/gate.md explains the statistics.\n\n"
		"Exit status: 0 found, 1 the last release is not slower, 2 invalid usage or input, "
		"4 not decided within the budget, 5 GPU, port or directory in use, 128 + N "
		"interrupted by signal N.",
	.options = bisect_rows,
	.operand = "FILE",
};

struct bisecting {
	const struct bisect_options *options;
	const struct res_fields *fields;
	struct res_gate_options how;
	struct cli_gate_budget budget;
	struct cli_releases releases;
	struct res_bisect bisect;
	json_t *experiment;
	json_t *steps; /* array */
	int signal;
};

/* Names of releases may contain any byte; those of directories are numbers with a readable rest. */
static char *step_folder(const struct bisecting *bisecting, size_t at)
{
	char *folder = pl_asprintf("%s/%03zu-%s", bisecting->options->output_dir, at,
				   bisecting->releases.items[at].name);
	size_t from = strlen(bisecting->options->output_dir) + 1;

	for (char *c = folder + from; *c != '\0'; c++) {
		if (strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_+",
			   *c) == NULL)
			*c = '_';
	}
	return folder;
}

static int write_experiment(const struct bisecting *bisecting, size_t at, const char *path,
			    struct pl_err *err)
{
	auto_json json_t *experiment = cli_release_experiment(bisecting->experiment,
							      &bisecting->releases.items[at]);

	return pl_json_write_file(experiment, path, err);
}

static enum res_gate_state state_of(const json_t *report)
{
	for (int state = RES_GATE_PASS; state <= RES_GATE_REGRESSION; state++) {
		if (pl_text_equal(pl_json_get_text(report, "state"),
				  res_gate_state_name((enum res_gate_state)state)))
			return (enum res_gate_state)state;
	}
	return RES_GATE_NOT_JUDGED;
}

/* Measures a release. Returns 0, or the exit status after reporting the error. */
static int measure(struct bisecting *bisecting, size_t at, json_t **ret)
{
	auto_free char *folder = step_folder(bisecting, at);
	auto_free char *good = pl_asprintf("%s/good.yaml", folder);
	auto_free char *other = pl_asprintf("%s/release.yaml", folder);
	struct pl_err err = PL_ERR_INIT;
	struct cli_gate_run run = { .options = &bisecting->options->gate,
				    .fields = bisecting->fields,
				    .how = &bisecting->how,
				    .budget = bisecting->budget,
				    .files = { good, other },
				    .folder = folder,
				    .resume = bisecting->options->resume };

	/* an earlier gate is decided again from its runs: metric, effect and error may be others now */
	if (pl_file_make_dir(folder, 0777, &err) < 0 ||
	    write_experiment(bisecting, 0, good, &err) < 0 ||
	    write_experiment(bisecting, at, other, &err) < 0)
		return cli_fail(&err);
	return cli_gate_run(&run, ret, &bisecting->signal);
}

/* The first test of the report: the step's metric. */
static const json_t *test_of(const json_t *report)
{
	const json_t *cell = json_array_get(json_object_get(report, "cells"), 0);

	return json_array_get(json_object_get(cell, "metrics"), 0);
}

static void add_step(struct bisecting *bisecting, size_t at, const json_t *report)
{
	json_array_append_new(
		bisecting->steps,
		json_pack(
			"{s:s, s:I, s:s, s:I, s:O?, s:O}", "release",
			bisecting->releases.items[at].name, "index", (json_int_t)at, "state",
			pl_json_get_text(report, "state"), "runs",
			(json_int_t)(pl_json_get_i64(json_object_get(report, "base"), "runs") +
				     pl_json_get_i64(json_object_get(report, "candidate"), "runs")),
			"test", (json_t *)test_of(report), "cells",
			json_object_get(report, "cells")));
}

static int run_steps(struct bisecting *bisecting)
{
	for (size_t at; res_bisect_next(&bisecting->bisect, &at);) {
		auto_json json_t *report = NULL;
		const char *name = bisecting->releases.items[at].name;
		int status = measure(bisecting, at, &report);
		if (status != 0)
			return status;
		if (bisecting->signal != 0)
			return 128 + bisecting->signal;
		if (!bisecting->options->gate.quiet)
			fprintf(stderr, "%s: %s\n", name, pl_json_get_text(report, "state"));
		add_step(bisecting, at, report);
		res_bisect_take(&bisecting->bisect, at, state_of(report));
	}
	return 0;
}

/* ---- the report ---------------------------------------------------------------------------- */

static json_t *report_of(const struct bisecting *bisecting)
{
	const struct res_bisect *bisect = &bisecting->bisect;
	const struct cli_release *items = bisecting->releases.items;
	bool is_found = bisect->state == RES_BISECT_FOUND;
	json_t *skipped = json_array();
	double error = bisecting->how.alpha * (double)bisect->decided;

	for (size_t i = 0; i < bisect->count; i++) {
		if (bisect->is_skipped[i])
			json_array_append_new(skipped, json_string(items[i].name));
	}
	return json_pack("{s:s, s:s, s:o, s:s, s:s, s:I, s:f, s:o, s:O}", "state",
			 res_bisect_state_name(bisect->state), "metric",
			 bisecting->how.metrics[0].id, "first_bad",
			 is_found ? json_string(items[bisect->bad].name) : json_null(), "last_good",
			 items[bisect->good].name, "bad", items[bisect->bad].name, "releases_count",
			 (json_int_t)bisect->count, "error_probability_max", error, "skipped",
			 skipped, "steps", bisecting->steps);
}

static void add_evidence(const json_t *step, struct pl_buf *text)
{
	const json_t *test = json_object_get(step, "test");
	const char *words = pl_json_get_text(test, "sentence");

	pl_buf_addf(text, "  %-20s %-12s %3lld runs  %s\n", pl_json_get_text(step, "release"),
		    pl_json_get_text(step, "state"), (long long)pl_json_get_i64(step, "runs"),
		    words != NULL ? words : "no run of both releases is comparable");
}

static int print(const struct bisecting *bisecting, const json_t *report)
{
	const char *good = pl_json_get_text(report, "last_good");
	const char *bad = pl_json_get_text(report, "bad");
	auto_buf text = PL_BUF(TEXT_BYTES_MAX);

	if (bisecting->options->json)
		return cli_print_json(report);
	if (bisecting->bisect.state == RES_BISECT_FOUND)
		pl_buf_addf(&text,
			    "first bad release: %s (last good: %s); wrong with a probability of at "
			    "most %.1f %%\n",
			    bad, good, 100 * pl_json_get_f64(report, "error_probability_max"));
	else if (bisecting->bisect.state == RES_BISECT_NOTHING)
		pl_buf_addf(&text, "'%s' is not slower than '%s' by the minimum effect\n", bad,
			    good);
	else
		pl_buf_addf(&text,
			    "not decided: the first bad release is after '%s', at most '%s'; "
			    "continue with --resume and a larger --budget\n",
			    good, bad);
	PL_JSON_EACH(step, json_object_get(report, "steps"))
		add_evidence(step, &text);
	return cli_print(pl_buf_text(&text));
}

static int finish(const struct bisecting *bisecting)
{
	auto_free char *path = pl_asprintf("%s/bisect.json", bisecting->options->output_dir);
	auto_json json_t *report = report_of(bisecting);
	struct pl_err err = PL_ERR_INIT;

	if (pl_json_write_file(report, path, &err) < 0)
		return cli_fail(&err);
	int status = print(bisecting, report);
	if (status != 0 || bisecting->bisect.state == RES_BISECT_FOUND)
		return status;
	return pl_err_exit_status(bisecting->bisect.state == RES_BISECT_NOTHING ? PL_ERR_FAILED
										: PL_ERR_TIMEOUT);
}

/* Returns whether the releases differ in what they start. */
static bool releases_differ(const struct cli_releases *releases, const json_t *experiment)
{
	for (size_t i = 0; i < releases->count; i++) {
		if (releases->items[i].command == NULL && !cli_release_is_used(experiment))
			return false;
	}
	return true;
}

static int read_experiment(const char *path, const struct cli_releases *releases, json_t **ret,
			   struct pl_err *err)
{
	auto_yaml struct pl_yaml_doc *doc = NULL;

	if (pl_yaml_read_file(path, &doc, err) < 0)
		return -1;
	auto_json json_t *experiment = pl_yaml_to_json(pl_yaml_root(doc));
	if (!json_is_object(experiment))
		return pl_err_invalid(err, "'%s': expected an experiment file", path);
	if (!releases_differ(releases, experiment))
		return pl_err_invalid(err,
				      "'%s' is the same for each release; write {release} into "
				      "launch.command, or use --release NAME=COMMAND",
				      path);
	*ret = json_incref(experiment);
	return 0;
}

/* Each comparison gets its share of the error, for both kinds of error. */
static int read_options(struct bisecting *bisecting, struct cli_metrics *metrics, const char *path,
			struct pl_err *err)
{
	const struct bisect_options *options = bisecting->options;
	struct res_gate_options *how = &bisecting->how;
	double error = ERROR_DEFAULT;

	if (cli_metrics_add(bisecting->fields, "--metric",
			    options->metric != NULL ? options->metric : "output_throughput",
			    metrics, err) < 0 ||
	    cli_gate_budget_read(&options->gate.budget, &bisecting->budget, err) < 0 ||
	    (options->error != NULL &&
	     cli_share_read("--error", options->error, &error, err) < 0) ||
	    (options->gate.min_effect != NULL &&
	     cli_share_read("--min-effect", options->gate.min_effect, &how->effect, err) < 0) ||
	    cli_releases_read(&options->release, options->releases, options->good, options->bad,
			      &bisecting->releases, err) < 0 ||
	    read_experiment(path, &bisecting->releases, &bisecting->experiment, err) < 0)
		return -1;
	if (metrics->items[0].direction == RES_FIELD_NEITHER)
		return pl_err_invalid(err,
				      "--metric '%s': expected a metric with a better direction",
				      metrics->items[0].id);
	how->metrics = metrics->items;
	how->metric_count = metrics->count;
	how->alpha = how->beta = res_bisect_share(bisecting->releases.count, error);
	how->max_failed = 1; /* a release that does not run is skipped, not slower */
	return 0;
}

static int bisect(const struct bisect_options *options, const char *path)
{
	/* the file is the same for all releases, but for what starts them */
	static const char *const launch[] = { "experiment.launch" };
	auto_fields struct res_fields *fields = res_fields_new(NULL);
	auto_metrics metrics = { 0 };
	struct pl_opt_list vary = { .count = 0 };
	struct pl_err err = PL_ERR_INIT;
	struct bisecting bisecting = { .options = options,
				       .fields = fields,
				       .steps = json_array() };
	int status;

	for (size_t i = 0; i < options->gate.vary.count; i++)
		*PL_PUSH(vary.items, vary.count, vary.room) = options->gate.vary.items[i];
	*PL_PUSH(vary.items, vary.count, vary.room) = launch[0];
	bisecting.how.vary = vary.items;
	bisecting.how.vary_count = vary.count;
	bisecting.how.names[RES_GATE_BASE] = options->good;
	bisecting.how.names[RES_GATE_CANDIDATE] = "release";
	if (read_options(&bisecting, &metrics, path, &err) < 0 ||
	    pl_file_make_dir(options->output_dir, 0777, &err) < 0) {
		status = cli_fail(&err);
	} else {
		res_bisect_init(bisecting.releases.count, &bisecting.bisect);
		status = run_steps(&bisecting);
		if (status == 0)
			status = finish(&bisecting);
		res_bisect_done(&bisecting.bisect);
	}
	cli_releases_done(&bisecting.releases);
	json_decref(bisecting.experiment);
	json_decref(bisecting.steps);
	pl_opt_list_done(&vary);
	return status;
}

static int check_usage(const struct bisect_options *options, const struct pl_words *words)
{
	if (words->count != 1)
		return cli_refuse("expected one FILE");
	if (options->good == NULL || options->bad == NULL)
		return cli_refuse("%s is missing", options->good == NULL ? "--good" : "--bad");
	if (options->output_dir == NULL)
		return cli_refuse("--output-dir DIR is missing");
	return 0;
}

int cmd_bisect(int argc, char **argv)
{
	struct bisect_options options = { .gate.wait_ns = WAIT_DEFAULT };
	struct pl_words words;
	int status;

	if (pl_command_read(&cli_bisect_command, argc, argv, &options, &words, &status)) {
		status = check_usage(&options, &words);
		if (status == 0)
			status = bisect(&options, words.items[0]);
	}
	cli_gate_options_done(&options.gate);
	pl_opt_list_done(&options.release);
	return status;
}
