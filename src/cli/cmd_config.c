/*
 * `profllm config`: converts command lines to experiment files and back, and results and sweeps to experiment files.
 * The output can be read again with the same meaning. Secrets are only written to files, readable by their owner alone,
 * and are *** everywhere else.
 */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/yaml.h"
#include "cli/cli.h"
#include "cli/config_expand.h"
#include "cli/validate_report.h"
#include "experiment/command.h"
#include "experiment/offline.h"
#include "result/experiment.h"
#include "run/repeat.h"
#include "vllm/manifest/manifest.h"
#include "vllm/version.h"
#include "vllm/yaml_out.h"

#define OUTPUT_BYTES_MAX   (16u << 20)
#define EXPANDED_BYTES_MAX (1u << 30)

struct config_options {
	const char *output;
	const char *command_file;
	const char *container;
	const char *version;
	const char *overlay;
	const struct vllm_catalog *catalog;
	const char *cell;
	struct pl_opt_list sets;
	struct pl_opt_list only;
	bool json;
	bool oneline;
	bool bench;
	bool overwrite;
};

#define AT(field) offsetof(struct config_options, field)

static const struct pl_opt config_rows[] = {
	PL_OPT(TEXT, 'o', "output", output, "FILE", "write to FILE (default: standard output)"),
	PL_OPT(FLAG, 0, "overwrite", overwrite, NULL, "replace an existing file"),
	PL_OPT(TEXT, 0, "command-file", command_file, "FILE",
	       "from-command: read the command line from FILE, or from standard input with '-'"),
	PL_OPT(TEXT, 0, "container", container, "NAME",
	       "from-command: use this container of a file that starts several"),
	PL_OPT(TEXT, 0, "vllm-version", version, "RELEASE", "from-command: set the target release"),
	PL_OPT(LIST, 's', "set", sets, "KEY=VALUE",
	       "to-command: override a key of the file; may be repeated"),
	PL_OPT(FLAG, 0, "oneline", oneline, NULL, "to-command: print the command on one line"),
	PL_OPT(FLAG, 0, "bench", bench, NULL,
	       "to-command: print the vllm bench serve command instead of the server's"),
	PL_OPT(LIST, 0, "only", only, "SET",
	       "expand: use only this set of the sweep; may be repeated"),
	PL_OPT(TEXT, 0, "cell", cell, "ID", "expand: write only the combination with this id"),
	PL_OPT(FLAG, 0, "json", json, NULL,
	       "print one JSON object: with the ids, values and experiments of expand, which "
	       "--output writes; otherwise with the experiment, its problems, and the text, which "
	       "--output writes"),
	PL_OPT(TEXT, 0, "params-overlay", overlay, "FILE", CLI_HELP_PARAMS_OVERLAY),
	{ .name = NULL },
};

static const char *const actions[] = { "from-command", "to-command", "from-result", "expand",
				       NULL };

const struct pl_opt_command cli_config_command = {
	.name = "profllm config",
	.usage = "from-command [options] -- vllm serve …\nfrom-command [options] -- vllm bench "
		 "serve …\n"
		 "to-command [options] FILE\nfrom-result [options] RESULT\nexpand [options] FILE",
	.summary = "Convert between command lines, results and experiments.",
	.details =
		"'from-command' converts a command that starts a server (vllm serve and its older "
		"forms), or one that sends load (vllm bench serve, benchmark_serving.py, profllm "
		"bench serve). To convert one of each into one experiment, pass both in a file, or "
		"joined by a quoted '&&'. It writes arguments for the target release: "
		"--vllm-version, else the tag of an image, else the installed vLLM, "
		"else " VLLM_REFERENCE_RELEASE
		". It replaces removed arguments and reports this on standard "
		"error.\n\n"
		"Secrets (api_key, hf_token and variables with such names) are printed as ***. "
		"With -o FILE, they are written to FILE, which only its owner can read.\n\n"
		"'from-result' writes the experiment of a result. To repeat the run with the same "
		"seed, request ids and dataset, use 'profllm run --config RESULT'.\n\n"
		"'expand' writes the experiments of a sweep (docs/reference/sweeps.md) as a stream "
		"of YAML documents. It skips combinations that break a rule and reports them on "
		"standard error.\n\n"
		"Examples:\n"
		"  profllm config from-command -o exp.yaml -- vllm serve MODEL -tp 4\n"
		"  profllm config from-command --command-file start.sh\n"
		"  profllm config from-command --command-file compose.yaml --container vllm\n"
		"  profllm config from-command -- vllm bench serve --model MODEL --port 8001\n"
		"  cat serve.sh bench.sh | profllm config from-command -o exp.yaml -\n"
		"  profllm config to-command --oneline exp.yaml\n"
		"  profllm config to-command --bench exp.yaml\n"
		"  profllm config from-result r.json -o exp.yaml\n"
		"  profllm config expand sweep.yaml\n\n"
		"Exit status: 0 done, 2 invalid usage, or errors in the input.",
	.options = config_rows,
	.words = actions,
	.operand = "FILE",
	.takes_command = true,
};

static struct cli_file file_of(const struct config_options *options, bool is_private)
{
	return (struct cli_file){ .path = options->output,
				  .option = "--output",
				  .overwrite = options->overwrite,
				  .is_private = is_private };
}

/* The answer of the actions that write one text. */
struct written {
	const char *action;
	const struct pl_buf *text;
	const char *experiment;                 /* YAML without secrets; NULL: none */
	const struct option_problems *problems; /* NULL: none */
	bool is_private;
};

/* Returns null if the text is not an experiment. */
static json_t *experiment_json(const char *yaml)
{
	auto_yaml struct pl_yaml_doc *doc = NULL;

	if (yaml == NULL ||
	    pl_yaml_parse(yaml, strlen(yaml), "experiment", &doc, PL_ERR_IGNORED) < 0)
		return json_null();
	return pl_yaml_to_json(pl_yaml_root(doc));
}

static int write_out(const struct config_options *options, const struct written *written)
{
	const struct cli_file file = file_of(options, written->is_private);
	json_t *problems = json_array();

	if (!options->json) {
		json_decref(problems);
		return cli_write_or_print(&file, written->text);
	}
	for (size_t i = 0; written->problems != NULL && i < written->problems->count; i++)
		json_array_append_new(problems,
				      option_problem_to_json(&written->problems->items[i]));
	return cli_write_json(&file, written->text,
			      json_pack("{s:s, s:o, s:o}", "action", written->action, "experiment",
					experiment_json(written->experiment), "problems",
					problems));
}

/* Prints the reader's problems on standard error; returns whether it may continue. */
static bool is_usable(const struct cli_input *input)
{
	auto_buf text = PL_BUF(OUTPUT_BYTES_MAX);

	cli_report_text(input, false, &text);
	fputs(pl_buf_text(&text), stderr);
	return input->problems.errors == 0;
}

/* Returns the given option that only `to-command` has; NULL: none. */
static const char *only_to_command(const struct config_options *options)
{
	return options->oneline          ? "oneline"
	       : options->bench          ? "bench"
	       : options->sets.count > 0 ? "set"
					 : NULL;
}

/* Returns the requested container, or the only one; NULL: refused. */
static const struct vllm_container *choose_container(const struct config_options *options,
						     const struct vllm_manifest *manifest)
{
	const char *file = options->command_file;
	auto_buf names = PL_BUF(OUTPUT_BYTES_MAX);

	for (size_t i = 0; i < manifest->count; i++) {
		const struct vllm_container *one = &manifest->items[i];
		if (options->container == NULL ? manifest->count == 1
					       : strcmp(one->name, options->container) == 0)
			return one;
		pl_buf_addf(&names, "%s%s", i > 0 ? ", " : "", one->name);
	}
	if (manifest->count == 0)
		(void)cli_refuse("'%s' has no container that runs vLLM", file);
	else if (options->container == NULL)
		(void)cli_refuse("'%s' has several containers; use --container with one of %s",
				 file, pl_buf_text(&names));
	else
		(void)cli_refuse("--container: found '%s', expected one of %s", options->container,
				 pl_buf_text(&names));
	return NULL;
}

/* Reads a script, or a file that starts containers. Returns false if refused, with the status. */
static bool read_command_file(const struct config_options *options, struct cli_input *input,
			      const struct exp_check_options *how, int *ret_status)
{
	const char *path = options->command_file;
	auto_manifest manifest = { 0 };
	auto_problems problems = { 0 };
	struct pl_err err = PL_ERR_INIT;

	*ret_status = pl_err_exit_status(PL_ERR_INVALID);
	if (cli_text_read(path, &input->text, &input->len, &err) < 0) {
		*ret_status = cli_fail(&err);
		return false;
	}
	if (!vllm_manifest_is(path, input->text, input->len)) {
		if (options->container != NULL) {
			(void)cli_refuse("--container: '%s' does not start containers", path);
			return false;
		}
		cli_input_command_file(input, path, how);
		return true;
	}
	if (vllm_manifest_read(input->text, input->len, cli_input_name(path), options->catalog,
			       &manifest, &problems, &err) < 0) {
		*ret_status = cli_fail(&err);
		return false;
	}
	const struct vllm_container *chosen = choose_container(options, &manifest);
	if (chosen != NULL)
		cli_input_container(input, path, chosen, how);
	return chosen != NULL;
}

static int from_command(const struct config_options *options, char **argv, int argc)
{
	/* removed arguments are accepted, to be written in today's form */
	struct exp_check_options how = { .target.version = options->version,
					 .allow_removed = true };
	auto_input input = { .catalog = options->catalog };
	struct pl_err err = PL_ERR_INIT;
	auto_buf whole = PL_BUF(OUTPUT_BYTES_MAX);
	auto_buf shown = PL_BUF(OUTPUT_BYTES_MAX);
	int status = 0;

	if (only_to_command(options) != NULL)
		return cli_refuse("'--%s' works only with to-command", only_to_command(options));
	if ((options->command_file != NULL) == (argc > 0))
		return cli_refuse("expected a command after '--', or --command-file");
	if (argc > 0) {
		if (options->container != NULL)
			return cli_refuse("'--container' works only with --command-file");
		cli_input_command(&input, argv, argc, &how);
	} else if (!read_command_file(options, &input, &how, &status)) {
		return status;
	}
	if (input.command != NULL)
		vllm_command_renew(input.command, &input.problems);
	if (!is_usable(&input))
		return pl_err_exit_status(PL_ERR_INVALID);
	if (vllm_yaml_from_command(input.command, true, &whole, &err) < 0 ||
	    vllm_yaml_from_command(input.command, false, &shown, &err) < 0)
		return cli_fail(&err);
	/* this way, no second list of secrets is necessary */
	bool has_secrets = strcmp(pl_buf_text(&whole), pl_buf_text(&shown)) != 0;
	/* output often ends up in terminals and logs */
	if (options->output == NULL && has_secrets)
		pl_log(PL_LOG_WARNING, "secrets are shown as ***; use '-o FILE' to write them to a "
				       "file that only you can read");
	return write_out(options,
			 &(struct written){ .action = "from-command",
					    .text = options->output != NULL ? &whole : &shown,
					    .experiment = pl_buf_text(&shown),
					    .problems = &input.problems,
					    .is_private = has_secrets });
}

/* An offline benchmark has one form, whatever is requested. */
static int write_command(const struct exp_config *experiment, const struct config_options *options,
			 struct pl_buf *text, struct pl_err *err)
{
	auto_json json_t *omitted = json_array();
	int rc;

	if (exp_is_in_process(experiment))
		return exp_command_offline(experiment, options->oneline, text, err);
	if (!options->bench)
		return exp_command_server(experiment, options->oneline, text, err);
	rc = exp_command_load(experiment, options->oneline, text, omitted, err);
	PL_JSON_EACH(sentence, omitted)
		pl_log(PL_LOG_WARNING, "%s", json_string_value(sentence));
	return rc;
}

static int to_command(const struct config_options *options, char **files, int file_count)
{
	struct exp_check_options how = { 0 };
	auto_input input = { .catalog = options->catalog };
	struct pl_err err = PL_ERR_INIT;
	auto_buf text = PL_BUF(OUTPUT_BYTES_MAX);

	if (options->command_file != NULL || options->version != NULL)
		return cli_refuse("'--%s' works only with from-command",
				  options->version != NULL ? "vllm-version" : "command-file");
	if (file_count != 1)
		return cli_refuse("expected one FILE");
	if (strcmp(files[0], CLI_STDIN) == 0)
		cli_input_stdin(&input, options->sets.items, options->sets.count, &how);
	else
		cli_input_file(&input, files[0], options->sets.items, options->sets.count);
	if (!is_usable(&input))
		return pl_err_exit_status(PL_ERR_INVALID);
	auto_free char *url = exp_server_url(input.experiment);
	if (url != NULL && !options->bench)
		return cli_refuse("'%s' uses a running server (launch.url, or benchmark.base_url, "
				  "host and port); use '--bench' to write the command of its load",
				  input.name);
	if (write_command(input.experiment, options, &text, &err) < 0)
		return cli_fail(&err);
	return write_out(options, &(struct written){ .action = "to-command",
						     .text = &text,
						     .problems = &input.problems });
}

static int from_result(const struct config_options *options, char **files, int file_count)
{
	auto_json json_t *result = NULL;
	struct pl_err err = PL_ERR_INIT;
	auto_buf text = PL_BUF(OUTPUT_BYTES_MAX);

	if (options->command_file != NULL || options->version != NULL)
		return cli_refuse("'--%s' works only with from-command",
				  options->version != NULL ? "vllm-version" : "command-file");
	if (only_to_command(options) != NULL)
		return cli_refuse("'--%s' works only with to-command", only_to_command(options));
	if (file_count != 1)
		return cli_refuse("expected one RESULT");
	if (run_repeat_find(files[0], &result, &err) < 0)
		return cli_fail(&err);
	if (result == NULL)
		return cli_refuse("'%s' is not a result of profllm", files[0]);
	res_experiment_write(result, files[0], &text);
	return write_out(options, &(struct written){ .action = "from-result",
						     .text = &text,
						     .experiment = pl_buf_text(&text) });
}

static int expand(const struct config_options *options, const struct pl_words *words)
{
	const struct cli_sweep_options how = { .overlay = options->overlay, .only = options->only };
	auto_buf text = PL_BUF(EXPANDED_BYTES_MAX);

	if (options->command_file != NULL || options->version != NULL)
		return cli_refuse("'--%s' works only with from-command",
				  options->version != NULL ? "vllm-version" : "command-file");
	if (only_to_command(options) != NULL)
		return cli_refuse("'--%s' works only with to-command", only_to_command(options));
	if (options->cell != NULL && options->json)
		return cli_refuse("--cell and --json exclude each other");
	if (words->count != 2 || words->command_count > 0)
		return cli_refuse("expected one FILE");
	const struct cli_file file = file_of(options, false);
	int status = cli_config_expand(words->items[1], &how, options->cell, options->json, &text);
	if (status != 0)
		return status;
	return text.full ? cli_refuse("larger than %u MiB; use '--only' or '--cell'",
				      EXPANDED_BYTES_MAX >> 20)
			 : cli_write_or_print(&file, &text);
}

static int config(struct config_options *options, const struct pl_words *words)
{
	char **rest = words->items;
	int rest_count = words->count;
	struct pl_err err = PL_ERR_INIT;
	struct vllm_version version;

	if (rest_count == 0)
		return cli_refuse("expected from-command, to-command, from-result or expand");
	if (strcmp(rest[0], "expand") == 0)
		return expand(options, words);
	if (options->cell != NULL || options->only.count > 0)
		return cli_refuse("'--%s' works only with expand",
				  options->cell != NULL ? "cell" : "only");
	if (options->version != NULL && vllm_version_parse(options->version, &version, &err) < 0) {
		pl_err_wrap(&err, "--vllm-version");
		return cli_fail(&err);
	}
	if (cli_catalog_open(options->overlay, &options->catalog, &err) < 0)
		return cli_fail(&err);
	if (strcmp(rest[0], "to-command") == 0) {
		if (words->command_count > 0)
			return cli_refuse("to-command: found a command, expected only a FILE");
		return to_command(options, rest + 1, rest_count - 1);
	}
	if (strcmp(rest[0], "from-result") == 0) {
		if (words->command_count > 0)
			return cli_refuse("from-result: found a command, expected only a RESULT");
		return from_result(options, rest + 1, rest_count - 1);
	}
	if (strcmp(rest[0], "from-command") != 0)
		return cli_refuse(
			"unknown action '%s', expected from-command, to-command, from-result or "
			"expand",
			rest[0]);
	if (rest_count == 2 && strcmp(rest[1], CLI_STDIN) == 0 && options->command_file == NULL) {
		options->command_file = CLI_STDIN;
		rest_count--;
	}
	if (rest_count > 1)
		return cli_refuse("found '%s', expected the command after '--'", rest[1]);
	return from_command(options, words->command, words->command_count);
}

int cmd_config(int argc, char **argv)
{
	struct config_options options = { 0 };
	struct pl_words words;
	int status;

	if (pl_command_read(&cli_config_command, argc, argv, &options, &words, &status))
		status = config(&options, &words);
	pl_opt_list_done(&options.sets);
	pl_opt_list_done(&options.only);
	vllm_catalog_free(options.catalog);
	return status;
}
