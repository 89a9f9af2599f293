/*
 * `profllm validate`: reports all problems of any number of files and command lines. An unreadable file is a problem
 * like others and does not end the command. With --upgrade-to, each input is read twice: for its current and for the
 * new release.
 */
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/text.h"
#include "checkpoint/known.h"
#include "cli/cli.h"
#include "cli/validate_report.h"
#include "cli/validate_schema.h"
#include "cli/validate_upgrade.h"
#include "schema/schema.h"
#include "vllm/manifest/manifest.h"
#include "vllm/version.h"

#define REPORT_BYTES_MAX (1u << 30)

struct validate_options {
	const char *hardware;
	const char *models;
	const char *version;
	const char *upgrade_to;
	const char *schema;
	struct pl_opt_list command_files;
	const char *overlay;
	const char *available;
	struct pl_opt_list sets;
	bool json;
	bool explain;
	bool strict;
	bool allow_removed;
};

#define AT(field) offsetof(struct validate_options, field)

static const struct pl_opt validate_rows[] = {
	PL_OPT(TEXT, 0, "hardware", hardware, "PROFILE",
	       "check against these GPUs, such as h100x8; 'list' prints the profiles"),
	PL_OPT(TEXT, 0, "models", models, "list", "print the models whose properties are built in",
	       .choices = (const char *const[]){ "list", NULL }),
	PL_OPT(TEXT, 0, "vllm-version", version, "RELEASE",
	       "check against this vLLM release, overriding launch.vllm_version"),
	PL_OPT(TEXT, 0, "upgrade-to", upgrade_to, "RELEASE",
	       "list the arguments that this vLLM release removes, their replacements, and "
	       "the defaults that it changes"),
	PL_OPT(LIST, 0, "command-file", command_files, "FILE",
	       "read a command line from FILE, or from standard input with '-'; may be "
	       "repeated"),
	PL_OPT(LIST, 's', "set", sets, "KEY=VALUE",
	       "override a key of the experiments, such as server.max_num_seqs=8; may be "
	       "repeated"),
	PL_OPT(TEXT, 0, "params-overlay", overlay, "FILE", CLI_HELP_PARAMS_OVERLAY),
	PL_OPT(TEXT, 0, "schema", schema, "NAME",
	       "check the files against this JSON schema of results, artifacts or experiments",
	       .choices = schema_names),
	PL_OPT(FLAG, 0, "json", json, NULL, "print one JSON object"),
	PL_OPT(FLAG, 0, "explain", explain, NULL, "show how the memory of a GPU is used"),
	PL_OPT(TEXT, 0, "available-memory", available, "BYTES",
	       "with --explain: assume that BYTES of each GPU remain for the KV cache"),
	PL_OPT(FLAG, 0, "strict", strict, NULL, "treat warnings as errors"),
	PL_OPT(FLAG, 0, "allow-removed", allow_removed, NULL, CLI_HELP_ALLOW_REMOVED),
	PL_OPT(FLAG, 0, "allow-gone", allow_removed, NULL, "former name of --allow-removed",
	       .hidden = true),
	{ .name = NULL },
};

const struct pl_opt_command cli_validate_command = {
	.name = "profllm validate",
	.usage =
		"[options] FILE…\n[options] -- vllm serve MODEL …\n[options] -- vllm bench serve …",
	.summary = "Report every problem of an experiment or a command line.",
	.details =
		"A FILE is an experiment or a command line, as a shell script, a Dockerfile or a "
		"systemd unit has it. In a compose file, a Kubernetes manifest and the values of a "
		"Helm chart, the command checks each container that runs vLLM. '-' reads standard "
		"input.\n\n"
		"With --schema, a FILE is JSON, and only its structure is checked. In .jsonl and "
		".jsonl.zst files, each line is checked.\n\n"
		"Examples:\n"
		"  profllm validate experiments/*.yaml\n"
		"  profllm validate --hardware h100x8 --explain exp.yaml\n"
		"  profllm validate -- vllm serve MODEL -tp 4 --max-model-len 32k\n"
		"  profllm validate -- vllm bench serve --model MODEL --request-rate 10\n"
		"  profllm validate --json --command-file start.sh\n"
		"  profllm validate deployment.yaml compose.yaml\n"
		"  profllm validate --upgrade-to 0.32.0 experiments/*.yaml\n"
		"  profllm validate --schema result results/*.json\n\n"
		"Exit status: 0 no errors, 2 errors or invalid usage.",
	.options = validate_rows,
	.operand = "FILE",
	.takes_command = true,
};

/* The state of a call. */
struct validation {
	const struct validate_options *options;
	const struct vllm_catalog *catalog;
	struct exp_check_options check;
	const char **sets; /* of the options, including the release */
	size_t set_count;
	/* with --upgrade-to: the same for the current release */
	struct exp_check_options check_today;
	const char **sets_today;
	size_t set_count_today;
	bool coloured;
	struct cli_tally tally;
	json_t *files; /* reports, with --json */
	struct pl_buf text;
};

/* Prints the known hardware or models, as text or JSON. */
static int print_known(bool as_json, json_t *(*to_json)(void), void (*add_text)(struct pl_buf *buf))
{
	auto_buf text = PL_BUF(REPORT_BYTES_MAX);

	if (as_json) {
		auto_json json_t *list = to_json();
		return cli_print_json(list);
	}
	add_text(&text);
	return cli_print(pl_buf_text(&text));
}

static void report(struct validation *v, struct cli_input *input, const struct cli_upgrade *upgrade)
{
	/* Sets are for keys of an experiment; a command line has its own flags. */
	const struct pl_opt_list *sets = &v->options->sets;
	for (size_t i = 0; i < sets->count && input->command != NULL; i++) {
		auto_free char *key = pl_strndup(sets->items[i], strcspn(sets->items[i], "="));
		option_problem_report(
			&input->problems, .severity = OPTION_ERROR, .source = "--set", .key = key,
			.found = "a key of an experiment, but the input is a command line",
			.expected = "the argument in the command");
	}
	cli_input_check(input, &v->check);
	cli_tally_add(&v->tally, input);
	if (v->options->json) {
		json_t *file = cli_report_json(input, v->options->explain);
		if (v->options->upgrade_to != NULL)
			json_object_set_new(file, "upgrade", cli_upgrade_json(upgrade));
		json_array_append_new(v->files, file);
		return;
	}
	cli_report_head(input, &v->text);
	cli_upgrade_head(upgrade, input->name, &v->text);
	cli_report_text(input, v->coloured, &v->text);
	cli_upgrade_text(upgrade, &v->text);
	if (v->options->explain)
		cli_report_memory(input, &v->text);
}

/* The origin of an input. */
struct source {
	enum { FROM_FILE, FROM_COMMAND_FILE, FROM_WORDS, FROM_CONTAINER } kind;
	const char *path;
	const char *text; /* of standard input, which can only be read once; NULL: not read */
	size_t len;
	const struct vllm_container *container;
	char **argv;
	int argc;
};

static void read_source(const struct source *source, struct cli_input *input,
			const char *const *sets, size_t set_count,
			const struct exp_check_options *how)
{
	if (source->text != NULL && input->text == NULL) {
		input->text = pl_memdup(source->text, source->len + 1);
		input->len = source->len;
	}
	if (source->kind == FROM_CONTAINER)
		cli_input_container(input, source->path, source->container, how);
	else if (source->kind == FROM_WORDS)
		cli_input_command(input, source->argv, source->argc, how);
	else if (source->kind == FROM_COMMAND_FILE)
		cli_input_command_file(input, source->path, how);
	else if (strcmp(source->path, CLI_STDIN) == 0)
		cli_input_stdin(input, sets, set_count, how);
	else
		cli_input_file(input, source->path, sets, set_count);
}

static void take(struct validation *v, const struct source *source)
{
	auto_input today = { .catalog = v->catalog };
	auto_input input = { .catalog = v->catalog };
	auto_upgrade upgrade = { 0 };

	if (v->options->upgrade_to != NULL) {
		read_source(source, &today, v->sets_today, v->set_count_today, &v->check_today);
		cli_upgrade_look(&today, v->options->version, v->options->upgrade_to, &upgrade);
	}
	read_source(source, &input, v->sets, v->set_count, &v->check);
	/* both releases may have the flag with different meanings */
	cli_upgrade_flags(&upgrade, &today, &input);
	report(v, &input, &upgrade);
}

/* Refuses a file that starts containers without vLLM, or that is malformed. */
static void refuse_manifest(struct validation *v, const char *path,
			    const struct vllm_manifest *manifest, const struct pl_err *err)
{
	auto_input input = { .catalog = v->catalog };
	struct cli_upgrade upgrade = { 0 };
	auto_free char *found = manifest != NULL
					? pl_asprintf("%s without a container that runs vLLM",
						      manifest->kind != NULL ? manifest->kind
									     : "a file")
					: pl_strdup(err->text + err->reason);

	input.name = pl_strdup(cli_input_name(path));
	option_problem_report(
		&input.problems, .source = input.name, .line = manifest != NULL ? 0 : err->line,
		.column = manifest != NULL ? 0 : err->column, .key = "", .found = found,
		.expected = manifest != NULL ? "a container whose command or image is "
					       "vLLM's"
					     : NULL,
		.expected_is_reason = manifest == NULL,
		.reason = manifest == NULL ? "unreadable" : NULL);
	report(v, &input, &upgrade);
}

/* Reads the containers of a file that starts some. Returns false for another file. */
static bool take_manifest(struct validation *v, const char *path, const char *text, size_t len)
{
	auto_manifest manifest = { 0 };
	auto_problems problems = { 0 };
	struct pl_err err = PL_ERR_INIT;

	if (!vllm_manifest_is(path, text, len))
		return false;
	if (vllm_manifest_read(text, len, cli_input_name(path), v->catalog, &manifest, &problems,
			       &err) < 0) {
		refuse_manifest(v, path, NULL, &err);
		return true;
	}
	if (problems.count > 0) {
		auto_input input = { .catalog = v->catalog };
		struct cli_upgrade upgrade = { 0 };
		input.name = pl_strdup(cli_input_name(path));
		input.problems = problems;
		problems = (struct option_problems){ 0 };
		report(v, &input, &upgrade);
	}
	for (size_t i = 0; i < manifest.count; i++)
		take(v, &(struct source){ .kind = FROM_CONTAINER,
					  .path = path,
					  .container = &manifest.items[i] });
	if (manifest.count == 0)
		refuse_manifest(v, path, &manifest, &err);
	return true;
}

/* Reads containers, a script or an experiment. `is_command`: the file is not an experiment. */
static void take_file(struct validation *v, const char *path, bool is_command)
{
	bool is_stdin = strcmp(path, CLI_STDIN) == 0;
	auto_free char *text = NULL;
	size_t len = 0;
	struct source source = { .kind = is_command ? FROM_COMMAND_FILE : FROM_FILE, .path = path };

	/* an unreadable file is reported by the reader for its kind */
	if (cli_text_read(path, &text, &len, PL_ERR_IGNORED) == 0) {
		if (take_manifest(v, path, text, len))
			return;
		if (!is_stdin && cli_is_script(path, text))
			source.kind = FROM_COMMAND_FILE;
		source.text = is_stdin ? text : NULL;
		source.len = len;
	}
	take(v, &source);
}

static int print_report(struct validation *v)
{
	if (v->options->json) {
		auto_json json_t *all = json_pack("{s:O}", "files", v->files);
		return cli_print_json(all);
	}
	cli_tally_text(&v->tally, &v->text);
	if (v->text.full)
		return cli_refuse("the report is larger than %u bytes", REPORT_BYTES_MAX);
	return cli_print(pl_buf_text(&v->text));
}

/* A report that could not be printed takes precedence. */
static int end(struct validation *v)
{
	int printed = print_report(v);

	if (printed != 0)
		return printed;
	return v->tally.errors > 0 ? pl_err_exit_status(PL_ERR_INVALID) : 0;
}

static int read_options(const struct validate_options *options, struct ckpt_hardware *hardware,
			struct exp_check_options *ret, struct pl_err *err)
{
	struct vllm_version version;

	*ret = (struct exp_check_options){
		.target.version = options->upgrade_to != NULL ? options->upgrade_to
							      : options->version,
		.strict = options->strict,
		.allow_removed = options->allow_removed,
	};
	if (options->version != NULL && options->version[0] == '\0')
		return pl_err_invalid(
			err, "--vllm-version: found an empty value, expected a release such as %s",
			VLLM_REFERENCE_RELEASE);
	if (options->version != NULL && vllm_version_parse(options->version, &version, err) < 0)
		return pl_err_wrap(err, "--vllm-version");
	if (options->upgrade_to != NULL &&
	    cli_release_read("--upgrade-to", options->upgrade_to, true, &version, err) < 0)
		return -1;
	if (options->available != NULL &&
	    (!pl_text_to_human_int(options->available, &ret->available_bytes) ||
	     ret->available_bytes <= 0))
		return pl_err_invalid(err,
				      "--available-memory: found '%s', expected bytes, such as 40G",
				      options->available);
	if (options->hardware != NULL) {
		if (ckpt_hardware_find(options->hardware, hardware, err) < 0)
			return pl_err_wrap(err, "--hardware");
		ret->hardware = hardware;
	}
	return 0;
}

/*
 * Returns the sets of the options and, if one is given, the release as another set; *ret_count: their number. The
 * caller frees it; *ret_release owns the release.
 */
static const char **sets_for(const struct validate_options *options, const char *version,
			     char **ret_release, size_t *ret_count)
{
	const struct pl_opt_list *sets = &options->sets;
	const char **all = pl_alloc_array(sets->count + 1, sizeof(*all));

	*ret_release = version != NULL ? pl_asprintf("launch.vllm_version=%s", version) : NULL;
	for (size_t i = 0; i < sets->count; i++)
		all[i] = sets->items[i];
	all[sets->count] = *ret_release;
	*ret_count = sets->count + (version != NULL);
	return all;
}

static void read_all(struct validation *v, const struct pl_words *words)
{
	const struct validate_options *options = v->options;
	auto_free char *release = NULL;
	auto_free char *release_today = NULL;
	auto_free const char **sets = sets_for(options, v->check.target.version, &release,
					       &v->set_count);
	auto_free const char **sets_today = sets_for(options, options->version, &release_today,
						     &v->set_count_today);

	v->sets = sets;
	v->sets_today = sets_today;
	v->check_today = v->check;
	v->check_today.target.version = options->version;
	for (int i = 0; i < words->count; i++)
		take_file(v, words->items[i], false);
	for (size_t i = 0; i < options->command_files.count; i++)
		take_file(v, options->command_files.items[i], true);
	if (words->command_count > 0)
		take(v, &(struct source){ .kind = FROM_WORDS,
					  .argv = words->command,
					  .argc = words->command_count });
}

/* Options for experiments and command lines do not apply to --schema. */
static int validate_form(const struct validate_options *options, const struct pl_words *words)
{
	const char *other = options->hardware != NULL          ? "--hardware"
			    : options->models != NULL          ? "--models"
			    : options->version != NULL         ? "--vllm-version"
			    : options->upgrade_to != NULL      ? "--upgrade-to"
			    : options->command_files.count > 0 ? "--command-file"
			    : options->sets.count > 0          ? "--set"
			    : options->overlay != NULL         ? "--params-overlay"
			    : options->available != NULL       ? "--available-memory"
			    : options->explain                 ? "--explain"
			    : options->strict                  ? "--strict"
			    : options->allow_removed           ? "--allow-removed"
			    : words->command_count > 0         ? "a command"
							       : NULL;

	if (other != NULL)
		return cli_refuse("--schema: found %s, expected only files and --json with it",
				  other);
	if (words->count == 0)
		return cli_refuse("--schema: nothing to check: expected files");
	return cli_schema_validate(options->schema, words->items, words->count, options->json);
}

static int validate(const struct validate_options *options, const struct pl_words *words)
{
	struct validation v = { .options = options, .coloured = pl_log_has_color(STDOUT_FILENO) };
	struct ckpt_hardware hardware;
	auto_catalog const struct vllm_catalog *catalog = NULL;
	auto_json json_t *reports = json_array();
	struct pl_err err = PL_ERR_INIT;

	if (options->schema != NULL)
		return validate_form(options, words);
	if (options->hardware != NULL && strcmp(options->hardware, "list") == 0)
		return print_known(options->json, ckpt_hardware_to_json, ckpt_hardware_text);
	if (options->models != NULL)
		return print_known(options->json, ckpt_known_to_json, ckpt_known_text);
	if (read_options(options, &hardware, &v.check, &err) < 0 ||
	    cli_catalog_open(options->overlay, &catalog, &err) < 0)
		return cli_fail(&err);
	v.catalog = catalog;
	if (words->count == 0 && words->command_count == 0 && options->command_files.count == 0)
		return cli_refuse("nothing to validate: expected files, or a command after '--'");
	v.files = reports;
	pl_buf_init(&v.text, REPORT_BYTES_MAX);
	read_all(&v, words);
	int status = end(&v);
	pl_buf_done(&v.text);
	return status;
}

int cmd_validate(int argc, char **argv)
{
	struct validate_options options = { 0 };
	struct pl_words words;
	int status;

	if (pl_command_read(&cli_validate_command, argc, argv, &options, &words, &status))
		status = validate(&options, &words);
	pl_opt_list_done(&options.sets);
	pl_opt_list_done(&options.command_files);
	return status;
}
