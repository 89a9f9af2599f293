/*
 * `profllm params`: shows vLLM's server arguments by release, group and pattern; the changes between two releases; and
 * the differences to another vLLM's help. Each can be a table, a page or JSON, made from the same rows.
 */
#include "cli/cmd_params_priv.h"

#include <fnmatch.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/log.h"
#include "base/text.h"
#include "cli/cli.h"
#include "vllm/arg_json.h"
#include "vllm/help_diff.h"
#include "vllm/release_diff.h"
#include "vllm/rules.h"
#include "vllm/version.h"

#define TEXT_BYTES_MAX  (16u << 20)
#define HELP_BYTES_MAX  (16u << 20)
#define READ_BYTES      65536
#define COLUMNS_MIN     80
#define COLUMNS_MAX     160
#define COLUMNS_DEFAULT 100

struct params_options {
	const char *group;
	const char *version;
	const char *from_vllm;
	const char *overlay;
	const char *since;
	const char *until;
	bool json;
	bool markdown;
	bool overwrite;
};

#define AT(field) offsetof(struct params_options, field)

static const struct pl_opt params_rows[] = {
	PL_OPT(TEXT, 'g', "group", group, "GROUP",
	       "show only the arguments of this group, such as ParallelConfig or parallel"),
	PL_OPT(TEXT, 0, "vllm-version", version, "RELEASE",
	       "show the arguments of this vLLM release, with its defaults and choices"),
	PL_OPT(FLAG, 0, "json", json, NULL,
	       "print one JSON array of objects (with --from-vllm, one object)"),
	PL_OPT(FLAG, 0, "markdown", markdown, NULL, "print the reference page"),
	PL_OPT(TEXT, 0, "from-vllm", from_vllm, "CMD",
	       "run the shell command CMD, which prints the full help of a vLLM, and show the "
	       "new, removed and changed arguments"),
	PL_OPT(TEXT, 0, "since", since, "RELEASE",
	       "show the arguments that are new, removed (with the replacement) or changed "
	       "since this vLLM release"),
	PL_OPT(TEXT, 0, "until", until, "RELEASE", "with --since: compare up to this release",
	       .def = VLLM_REFERENCE_RELEASE),
	PL_OPT(TEXT, 0, "params-overlay", overlay, "FILE",
	       "with --from-vllm: write the differences to FILE; otherwise apply those of FILE"),
	PL_OPT(FLAG, 0, "overwrite", overwrite, NULL, "with --from-vllm: replace an existing file"),
	{ .name = NULL },
};

const struct pl_opt_command cli_params_command = {
	.name = "profllm params",
	.usage = "[PATTERN] [options]",
	.summary = "Show vLLM's server arguments: types, choices, defaults.",
	.details = "PATTERN matches any part of names, flags, aliases, help and notes, in any "
		   "case. With * or ? it matches the whole text.\n\n"
		   "Every command that reads server arguments accepts the overlay of another "
		   "vLLM, as --params-overlay FILE or in the environment variable "
		   "PROFLLM_PARAMS_OVERLAY.\n\n"
		   "Examples:\n"
		   "  profllm params parallel_size\n"
		   "  profllm params --group cache\n"
		   "  profllm params '*cache*' --json\n"
		   "  profllm params --vllm-version 0.10.1 prefix_caching\n"
		   "  profllm params --since 0.8.5 --until 0.10.1\n"
		   "  profllm params --from-vllm 'vllm serve --help=all'\n"
		   "  profllm params --from-vllm 'vllm serve --help=all' --params-overlay o.json\n"
		   "  profllm run -c exp.yaml -o r.json --params-overlay o.json\n\n"
		   "Exit status: 0 done, 1 CMD of --from-vllm failed, 2 invalid usage or input.",
	.options = params_rows,
	.operand = "PATTERN",
};

/* ---- choosing ---------------------------------------------------------------------------- */

static bool text_matches(const char *text, const char *pattern, bool glob)
{
	if (text == NULL)
		return false;
	return glob ? fnmatch(pattern, text, FNM_CASEFOLD) == 0 : strcasestr(text, pattern) != NULL;
}

/* Matches any of the flags, which are separated by blanks, or all of them as one text. */
static bool words_match(const char *words, const char *pattern, bool glob)
{
	auto_free char *copy = pl_strdup(words);

	for (char *rest = copy; rest != NULL;) {
		if (text_matches(strsep(&rest, " "), pattern, glob))
			return true;
	}
	return false;
}

static bool arg_matches(const struct option_row *arg, const char *pattern)
{
	bool glob = strpbrk(pattern, "*?") != NULL;

	return text_matches(arg->name, pattern, glob) || text_matches(arg->flag, pattern, glob) ||
	       words_match(arg->aliases, pattern, glob) ||
	       text_matches(arg->negative_flag, pattern, glob) ||
	       words_match(arg->negative_aliases, pattern, glob) ||
	       text_matches(arg->help, pattern, glob) || text_matches(arg->note, pattern, glob) ||
	       text_matches(arg->choices_note, pattern, glob) ||
	       text_matches(arg->replaced_by, pattern, glob);
}

/* "parallel" and "ParallelConfig" are the same group. */
static bool is_group(const char *group, const char *name)
{
	size_t len = strlen(name);

	if (strncasecmp(group, name, len) != 0)
		return false;
	return group[len] == '\0' || strcasecmp(group + len, "Config") == 0 ||
	       strcasecmp(group + len, "Args") == 0;
}

static int check_group(const struct vllm_catalog *catalog, const char *name, struct pl_err *err)
{
	struct pl_nearest nearest = { .name = name };

	for (size_t i = 0; i < vllm_arg_count(catalog); i++) {
		const char *group = vllm_arg_at(catalog, i)->group;
		if (is_group(group, name))
			return 0;
		pl_nearest_try(&nearest, group);
	}
	if (nearest.found != NULL)
		return pl_err_set(err, PL_ERR_NOT_FOUND, "unknown group '%s' (did you mean '%s'?)",
				  name, nearest.found);
	return pl_err_set(err, PL_ERR_NOT_FOUND,
			  "unknown group '%s'; profllm params lists the groups", name);
}

/* Reports an argument that only other releases have. */
static int report_absent(const struct option_row *arg, const struct params_options *options,
			 const char *pattern, struct pl_err *err)
{
	struct vllm_target target = { .version = options->version };
	struct vllm_version release;
	auto_buf removed = PL_BUF(TEXT_BYTES_MAX);
	bool known;

	vllm_target_release(&target, &release);
	if (vllm_release_compare(&release, arg->since, &known) < 0)
		return pl_err_set(err, PL_ERR_NOT_FOUND,
				  "no argument of vLLM %s matches '%s'; it was added in %s",
				  options->version, pattern, arg->since);
	if (arg->removed_in != NULL)
		pl_buf_addf(&removed, "; it was removed in %s", arg->removed_in);
	if (arg->replaced_by != NULL)
		pl_buf_addf(&removed, "%s replaced by %s", removed.len > 0 ? " and" : "; it was",
			    arg->replaced_by);
	return pl_err_set(err, PL_ERR_NOT_FOUND, "no argument of vLLM %s matches '%s'%s",
			  options->version, pattern, pl_buf_text(&removed));
}

static int no_match(const struct vllm_catalog *catalog, const struct params_options *options,
		    const char *pattern, struct pl_err *err)
{
	if (pattern == NULL)
		return pl_err_set(err, PL_ERR_NOT_FOUND, "vLLM %s has no argument of group '%s'",
				  options->version, options->group);
	const struct option_row *arg = vllm_arg_find(catalog, pattern + strspn(pattern, "-"));
	if (arg != NULL && arg->absent && options->version != NULL)
		return report_absent(arg, options, pattern, err);
	const char *nearest = vllm_arg_nearest(catalog, pattern);
	if (nearest != NULL)
		return pl_err_set(err, PL_ERR_NOT_FOUND,
				  "no argument matches '%s' (did you mean '%s'?)", pattern,
				  nearest);
	return pl_err_set(err, PL_ERR_NOT_FOUND, "no argument matches '%s'", pattern);
}

/* ---- showing ----------------------------------------------------------------------------- */

static size_t terminal_columns(void)
{
	struct winsize size = { 0 };
	int64_t columns = 0;
	const char *text = getenv("COLUMNS");

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
		columns = size.ws_col;
	else if (text == NULL || !pl_text_to_i64(text, &columns))
		columns = COLUMNS_DEFAULT;
	if (columns < COLUMNS_MIN)
		return COLUMNS_MIN;
	return columns < COLUMNS_MAX ? (size_t)columns : COLUMNS_MAX;
}

static int show(const struct vllm_catalog *catalog, const struct params_options *options,
		const char *pattern)
{
	auto_free const struct option_row **args = pl_alloc_array(vllm_arg_count(catalog),
								  sizeof(*args));
	struct pl_err err = PL_ERR_INIT;
	size_t count = 0;
	auto_buf text = PL_BUF(TEXT_BYTES_MAX);

	if (options->group != NULL && check_group(catalog, options->group, &err) < 0)
		return cli_fail(&err);
	for (size_t i = 0; i < vllm_arg_count(catalog); i++) {
		const struct option_row *arg = vllm_arg_at(catalog, i);
		bool is_there = options->version == NULL || !arg->absent;
		if (is_there && (options->group == NULL || is_group(arg->group, options->group)) &&
		    (pattern == NULL || arg_matches(arg, pattern)))
			args[count++] = arg;
	}
	if (count == 0 && no_match(catalog, options, pattern, &err) < 0)
		return cli_fail(&err);
	if (options->json) {
		auto_json json_t *list = json_array();
		for (size_t i = 0; i < count; i++)
			json_array_append_new(list, vllm_arg_to_json(args[i]));
		return cli_print_json(list);
	}
	if (options->markdown)
		cli_params_markdown(args, count, options->version, &text);
	else
		cli_params_table(args, count,
				 &(struct cli_params_form){
					 .columns = terminal_columns(),
					 .color = pl_log_has_color(STDOUT_FILENO),
					 .details = pattern != NULL || options->group != NULL,
				 },
				 &text);
	return cli_print(pl_buf_text(&text));
}

/* ---- another vLLM's help ------------------------------------------------------------------ */

/* Reads the output of the user's own command, which the shell executes unchanged. */
static int read_command(const char *command, struct pl_buf *text, struct pl_err *err)
{
	char chunk[READ_BYTES];
	size_t len;

	FILE *pipe = popen(command, "r");
	if (pipe == NULL)
		return pl_err_errno(err, "could not run '%s'", command);
	while ((len = fread(chunk, 1, sizeof(chunk), pipe)) > 0 && pl_buf_add(text, chunk, len))
		;
	int status = pclose(pipe);
	if (text->full)
		return pl_err_invalid(err, "'%s' prints more than %u MiB", command,
				      HELP_BYTES_MAX >> 20);
	if (status < 0)
		return pl_err_errno(err, "could not wait for '%s'", command);
	if (WIFSIGNALED(status))
		return pl_err_set(err, PL_ERR_FAILED, "'%s' ended by signal %d", command,
				  WTERMSIG(status));
	if (WEXITSTATUS(status) != 0)
		return pl_err_set(err, PL_ERR_FAILED, "'%s' ended with exit status %d", command,
				  WEXITSTATUS(status));
	return 0;
}

static int diff_command(const char *command, json_t **ret, struct pl_err *err)
{
	auto_help struct vllm_help *help = NULL;
	auto_buf text = PL_BUF(HELP_BYTES_MAX);

	if (read_command(command, &text, err) < 0)
		return -1;
	if (vllm_help_parse(pl_buf_text(&text), text.len, &help, err) < 0)
		return pl_err_wrap(err, "'%s'", command);
	*ret = vllm_help_diff(vllm_catalog_reference(), help);
	return 0;
}

/* An overlay must not guess the meaning of a switch. */
static int check_decided(const char *command, const json_t *diff, struct pl_err *err)
{
	const json_t *undecided = json_object_get(diff, "undecided");
	const json_t *first = json_array_get(undecided, 0);
	const char *flag = pl_json_get_text(first, "flag");
	const char *of = pl_json_get_text(first, "of");
	int line = (int)pl_json_get_i64(first, "line");
	size_t more = json_array_size(undecided) - (first != NULL);
	auto_free char *rest = more > 0 ? pl_asprintf(" (and %zu more)", more) : pl_strdup("");

	if (first == NULL)
		return 0;
	if (pl_text_equal(flag, of))
		return pl_err_invalid(
			err,
			"'%s': line %d: found '%s', a switch that is on and cannot be "
			"turned off, expected a switch whose flag sets it%s; no "
			"overlay was written",
			command, line, flag, rest);
	return pl_err_invalid(
		err,
		"'%s': line %d: found '%s', which may switch '%s' on or off, expected "
		"a spelling that names its sense%s; no overlay was written",
		command, line, flag, of, rest);
}

static int compare(const struct params_options *options)
{
	const struct cli_file file = {
		.path = options->overlay,
		.option = "--params-overlay",
		.overwrite = options->overwrite,
	};
	auto_json json_t *diff = NULL;
	struct pl_err err = PL_ERR_INIT;
	auto_buf text = PL_BUF(TEXT_BYTES_MAX);

	/* vLLM takes a minute to print its help */
	if (file.path != NULL && cli_check_file(&file) != 0)
		return pl_err_exit_status(PL_ERR_INVALID);
	if (diff_command(options->from_vllm, &diff, &err) < 0)
		return cli_fail(&err);
	if (file.path != NULL && check_decided(options->from_vllm, diff, &err) < 0)
		return cli_fail(&err);
	if (json_array_size(json_object_get(diff, "removed")) >
	    vllm_arg_count(vllm_catalog_reference()) / 2)
		pl_log(PL_LOG_WARNING, "most arguments are missing; check that the text is the "
				       "complete output of vllm serve --help=all");
	if (file.path != NULL) {
		auto_json json_t *overlay = vllm_help_overlay(vllm_catalog_reference(), diff,
							      options->from_vllm);
		pl_json_write(overlay, PL_JSON_INDENT, &text);
		pl_buf_add_char(&text, '\n');
		int status = cli_write_file(&file, &text);
		if (status != 0)
			return status;
		pl_buf_clear(&text);
	}
	if (options->json)
		return cli_print_json(diff);
	cli_params_diff(diff, &text);
	return cli_print(pl_buf_text(&text));
}

/* ---- two releases ------------------------------------------------------------------------- */

/* Removes entries of arguments that were not requested; a key belongs to its argument. */
static void keep_requested(const struct params_options *options, const struct vllm_catalog *catalog,
			   const char *pattern, json_t *list)
{
	for (size_t i = json_array_size(list); i > 0; i--) {
		const char *name = pl_json_get_text(json_array_get(list, i - 1), "name");
		auto_free char *argument = pl_strndup(name, strcspn(name, "."));
		const struct option_row *arg = vllm_arg_find(catalog, argument);
		if (arg == NULL ||
		    (options->group != NULL && !is_group(arg->group, options->group)) ||
		    (pattern != NULL && !arg_matches(arg, pattern)))
			json_array_remove(list, i - 1);
	}
}

static void keep_requested_of(const struct params_options *options,
			      const struct vllm_catalog *catalog, const char *pattern,
			      json_t *lists)
{
	static const char *const names[] = { "new", "removed", "changed" };

	for (size_t i = 0; i < PL_ARRAY_SIZE(names); i++)
		keep_requested(options, catalog, pattern, json_object_get(lists, names[i]));
}

static int show_changes(const struct vllm_catalog *catalog, const struct params_options *options,
			const char *pattern)
{
	struct vllm_release since = { 0 }, until = { 0 };
	const char *last = options->until != NULL ? options->until : VLLM_REFERENCE_RELEASE;
	struct pl_err err = PL_ERR_INIT;
	auto_buf text = PL_BUF(TEXT_BYTES_MAX);

	if (options->group != NULL && check_group(catalog, options->group, &err) < 0)
		return cli_fail(&err);
	if (cli_release_read("--since", options->since, false, &since.version, &err) < 0 ||
	    cli_release_read("--until", last, false, &until.version, &err) < 0)
		return cli_fail(&err);
	if (vllm_version_compare(&since.version, &until.version) > 0)
		return cli_refuse("--since %s is a later release than --until %s", options->since,
				  last);
	since.catalog = vllm_catalog_release(catalog, options->since);
	until.catalog = vllm_catalog_release(catalog, last);
	auto_json json_t *diff = json_pack("{s:s, s:s}", "since", options->since, "until", last);
	auto_json json_t *lists = vllm_release_diff(&since, &until);
	json_object_update(diff, lists);
	keep_requested_of(options, catalog, pattern, diff);
	keep_requested_of(options, catalog, pattern, json_object_get(diff, "keys"));
	if (options->json)
		return cli_print_json(diff);
	if (options->markdown)
		cli_params_release_markdown(diff, &text);
	else
		cli_params_release(diff, &text);
	return cli_print(pl_buf_text(&text));
}

static int check_usage(const struct params_options *options, const struct pl_words *words,
		       struct pl_err *err)
{
	struct vllm_version version;

	if (words->count > 1)
		return pl_err_invalid(err, "found '%s', expected one PATTERN", words->items[1]);
	if (options->version != NULL && vllm_version_parse(options->version, &version, err) < 0)
		return pl_err_wrap(err, "--vllm-version");
	if (options->json && options->markdown)
		return pl_err_invalid(err, "--json and --markdown exclude each other");
	if (options->from_vllm != NULL &&
	    (options->markdown || options->group != NULL || options->version != NULL ||
	     options->since != NULL || words->count > 0))
		return pl_err_invalid(
			err,
			"--from-vllm: expected no other options than --json and --params-overlay");
	if (options->until != NULL && options->since == NULL)
		return pl_err_invalid(err, "--until works only with --since; add --since VERSION");
	if (options->version != NULL && options->since != NULL)
		return pl_err_invalid(err, "--since: found --vllm-version, too; use --until to "
					   "name the other release");
	return 0;
}

int cmd_params(int argc, char **argv)
{
	struct params_options options = { 0 };
	auto_catalog const struct vllm_catalog *catalog = NULL;
	struct pl_err err = PL_ERR_INIT;
	struct pl_words words;
	int status;

	if (!pl_command_read(&cli_params_command, argc, argv, &options, &words, &status))
		return status;
	if (check_usage(&options, &words, &err) < 0)
		return cli_fail(&err);
	if (options.from_vllm != NULL)
		return compare(&options);
	if (cli_catalog_open(options.overlay, &catalog, &err) < 0)
		return cli_fail(&err);
	const char *pattern = words.count > 0 ? words.items[0] : NULL;
	if (options.since != NULL)
		return show_changes(catalog, &options, pattern);
	return show(vllm_catalog_release(catalog, options.version), &options, pattern);
}
