/*
 * The words of the server's arguments: inserts those of --config FILE, vLLM's YAML, converts -O,
 * and takes each flag's value or reports an error. Unlike vLLM's parser it continues after an
 * error. The order is that of vLLM's FlexibleArgumentParser: the model to the front, then the
 * file's words, then -O. option/argv.c then handles underscores, dotted keys and argparse's rules.
 */
#include "vllm/command/command_priv.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "base/yaml.h"
#include "vllm/config_file.h"
#include "vllm/replaced.h"

enum { NEAREST_MAX = 100, CANDIDATES_SHOWN_MAX = 6 };

#define OPTIMIZATION_LEVELS "0.12.0" /* the first release whose -O is not compilation_config */

/*
 * Makes the first "--model X" or "--model=X" the leading positional model. vLLM does it before it
 * looks for --config: the words of the file follow the model, wherever it was. A --model without a
 * value remains, so that argparse's error is reported.
 */
static void move_model(struct option_argv *argv)
{
	for (size_t i = 0; i < argv->count; i++) {
		struct option_argv_word *word = &argv->words[i];
		bool joined = pl_text_starts(word->text, "--model=") && word->text[8] != '\0';
		if (!joined && strcmp(word->text, "--model") != 0)
			continue;
		if (joined)
			option_argv_set_text(word, pl_strdup(word->text + strlen("--model=")));
		else if (i + 1 < argv->count)
			option_argv_drop(argv, i, 1);
		else
			return;
		option_argv_move(argv, i, 1, 0);
		return;
	}
}

/* --config FILE while it is read; the words are of the argument list's end. */
struct config {
	struct vllm_parse *parse;
	const char *path;
	struct option_argv_word at; /* where it is named */
};

static void add(struct config *config, const char *text, const struct pl_yaml *at)
{
	(void)option_argv_add_word(&config->parse->argv, text, config->path, at->line, at->column);
}

/* YAML's null and truths as Python's str() prints them: vLLM makes words of the file, and its
 * parser reads those. */
static void add_scalar(struct config *config, const struct pl_yaml *node)
{
	bool truth;

	if (pl_yaml_is_null(node))
		add(config, "None", node);
	else if (pl_yaml_to_bool(node, &truth))
		add(config, truth ? "True" : "False", node);
	else
		add(config, node->text, node);
}

static void add_value(struct config *config, const struct pl_yaml *node)
{
	auto_json json_t *json = NULL;
	auto_free char *text = NULL;

	if (node->kind == PL_YAML_SCALAR) {
		add_scalar(config, node);
		return;
	}
	json = pl_yaml_to_json(node);
	text = pl_json_to_text(json, PL_JSON_PYTHON);
	add(config, text, node);
}

/* A truth is a flag alone, a list one flag with many words, an object its JSON text. */
static void add_pair(struct config *config, const struct pl_yaml *key, const struct pl_yaml *value)
{
	auto_free char *flag = pl_asprintf("--%s", key->text);
	auto_free char *negative = pl_asprintf("--no-%s", key->text);
	struct option_reader reader = { .source = config->path,
					.problems = config->parse->problems };
	bool truth;

	if (vllm_config_is_left_out(config->parse->catalog, &reader, key, value, flag))
		return;
	if (pl_yaml_to_bool(value, &truth)) {
		add(config,
		    truth || !vllm_config_false_counts(config->parse->catalog, key->text)
			    ? flag
			    : negative,
		    key);
		return;
	}
	add(config, flag, key);
	if (value->kind != PL_YAML_LIST) {
		add_value(config, value);
		return;
	}
	for (size_t i = 0; i < value->count; i++)
		add_value(config, value->items[i]);
}

static bool is_yaml_name(const char *path)
{
	return pl_text_ends(path, ".yaml") || pl_text_ends(path, ".yml");
}

/* vLLM takes the model from the command or from the file, and starts with neither of them no
 * more. */
static void check_model(struct config *config, const struct pl_yaml *root)
{
	const struct option_argv *argv = &config->parse->argv;
	bool is_first = argv->count > 0 && argv->words[0].text[0] != '-';

	if (!is_first && pl_yaml_get(root, "model") == NULL)
		vllm_parse_add(config->parse, OPTION_ERROR, &config->at, "a file without a model",
			       "the key 'model' in the file, or the model as the first argument of "
			       "the command",
			       NULL);
}

/* Appends the words of the file; none, with a problem, where it cannot be read. */
static void add_config(struct config *config)
{
	struct vllm_parse *parse = config->parse;
	const char *path = config->path;
	auto_yaml struct pl_yaml_doc *doc = NULL;
	auto_free char *full = path[0] == '/' || parse->folder == NULL
				       ? pl_strdup(path)
				       : pl_asprintf("%s/%s", parse->folder, path);
	struct pl_err err = PL_ERR_INIT;

	if (!is_yaml_name(path)) {
		vllm_parse_add(parse, OPTION_ERROR, &config->at, NULL,
			       "a file with the ending .yaml or .yml", NULL);
		return;
	}
	if (pl_yaml_read_file(full, &doc, &err) < 0) {
		vllm_parse_add(parse, OPTION_ERROR, &config->at, err.text, "a readable YAML file",
			       NULL);
		return;
	}
	const struct pl_yaml *root = pl_yaml_root(doc);
	if (root->kind != PL_YAML_MAP) {
		vllm_parse_add(parse, OPTION_ERROR, &config->at, "a file that is not a mapping",
			       "arguments and their values", NULL);
		return;
	}
	check_model(config, root);
	for (size_t i = 0; i < root->count; i++)
		add_pair(config, root->keys[i], root->items[i]);
}

/*
 * Inserts the words of --config FILE where vLLM inserts them: after a leading model and before
 * everything else, so that the command line overrides the file. "--config=FILE" is left to
 * argparse, which reads no file (vllm_command_take()).
 */
static void read_config(struct vllm_parse *parse)
{
	struct option_argv *argv = &parse->argv;
	struct vllm_command *command = parse->command;
	size_t at = 0;

	while (at < argv->count && strcmp(argv->words[at].text, "--config") != 0)
		at++;
	if (at + 1 >= argv->count)
		return;
	free(command->config);
	command->config = pl_strdup(argv->words[at + 1].text);
	struct config config = { .parse = parse, .path = command->config };
	/* a copy with its own text: the words move, and the named one is dropped */
	config.at = argv->words[at + 1];
	config.at.text = config.at.written = command->config;
	option_argv_drop(argv, at, 2);
	size_t count = argv->count;
	add_config(&config);
	option_argv_move(argv, count, argv->count - count,
			 count > 0 && argv->words[0].text[0] != '-');
}

/* A target that is not known has everything. */
static bool is_since(const struct vllm_parse *parse, const char *release)
{
	struct vllm_version since = { 0 };

	return !parse->target_known || release == NULL ||
	       vllm_version_parse(release, &since, PL_ERR_IGNORED) < 0 ||
	       vllm_version_compare(&parse->target, &since) >= 0;
}

/* Returns the key that -O3 sets in compilation_config. */
static const char *compilation_mode(const struct vllm_parse *parse)
{
	return is_since(parse, "0.11.1") ? "mode" : "level";
}

static bool is_object(const char *text)
{
	return text != NULL && text[strspn(text, " \t\r\n")] == '{';
}

/* An optimization level is never an object: if the release is unknown, an older one is assumed. */
static bool takes_object(const struct vllm_parse *parse)
{
	return !parse->target_known || parse->allow_removed ||
	       !is_since(parse, OPTIMIZATION_LEVELS);
}

/*
 * Returns the replacement of the word; NULL: unchanged.
 *
 *   -O3, -O=3, -O 3   --optimization-level=3; older releases: --compilation-config.mode=3 (or .level)
 *   -O.key=value      older releases: --compilation-config.key=value, a dotted key
 *   -O OBJECT         older releases: --compilation-config OBJECT
 */
static char *optimization_text(const struct vllm_parse *parse, const char *word, const char *next)
{
	bool digit = next != NULL && strlen(next) == 1 && next[0] >= '0' && next[0] <= '3';
	const char *rest = word + 2;

	if (strcmp(word, "-O") == 0 && is_object(next) && takes_object(parse))
		return pl_strdup("--compilation-config");
	if (strcmp(word, "-O") == 0 && !digit)
		return NULL;
	/* before optimization levels -O3 and -O.key=value are about compilation_config */
	if (!is_since(parse, OPTIMIZATION_LEVELS)) {
		if (*rest == '.')
			return pl_asprintf("--compilation-config%s", rest);
		if (*rest == '\0')
			return pl_asprintf("--compilation-config.%s", compilation_mode(parse));
		return pl_asprintf("--compilation-config.%s=%s", compilation_mode(parse),
				   rest + (*rest == '='));
	}
	if (*rest == '\0')
		return pl_strdup("--optimization-level");
	return pl_asprintf("--optimization-level=%s", rest + (*rest == '='));
}

/* vLLM's parser does it before argparse: the dotted keys must exist before they are joined. */
static void turn_optimization(struct vllm_parse *parse)
{
	struct option_argv *argv = &parse->argv;

	for (size_t i = 0; i < argv->count; i++) {
		const char *next = i + 1 < argv->count ? argv->words[i + 1].text : NULL;
		char *text = pl_text_starts(argv->words[i].text, "-O")
				     ? optimization_text(parse, argv->words[i].text, next)
				     : NULL;
		if (text == NULL)
			continue;
		if (is_object(next) && is_since(parse, OPTIMIZATION_LEVELS))
			vllm_parse_add(parse, OPTION_WARNING, &argv->words[i],
				       "an object, which -O took before vLLM " OPTIMIZATION_LEVELS,
				       "'--compilation-config'", NULL);
		option_argv_set_text(&argv->words[i], text);
	}
}

static const struct option_row help_row = {
	.name = "help", .flag = "--help", .aliases = "-h", .style = OPTION_STYLE_FLAG
};

/* Those of the benchmark itself come first in its parser. */
static void add_kind_rows(struct vllm_parse *parse)
{
	const struct vllm_bench_kind *kind = parse->kind;

	if (kind == NULL)
		return;
	if (parse->load_program == VLLM_BENCH_OF_OURS)
		vllm_bench_line_program_rows(&parse->argv);
	for (size_t i = 0; i < kind->count; i++)
		option_argv_add_row(&parse->argv, &kind->rows[i], false);
}

static void add_rows(struct vllm_parse *parse)
{
	struct option_argv *argv = &parse->argv;

	option_argv_add_row(argv, &help_row, false);
	add_kind_rows(parse);
	for (size_t i = 0; i < vllm_arg_count(parse->catalog); i++) {
		const struct option_row *arg = vllm_arg_at(parse->catalog, i);
		if (parse->kind != NULL && !vllm_bench_kind_takes(parse->kind, arg))
			continue;
		/* a removed argument keeps its values, so that the replacement can be named */
		if (!arg->absent || is_since(parse, arg->since))
			option_argv_add_row(argv, arg, arg->absent);
		/* a joined -O was turned before, and no other is known */
		struct option_argv_flag *last = &argv->flags[argv->flag_count - 1];
		if (strcmp(last->text, "-O") == 0) {
			free(last->text);
			argv->flag_count--;
		}
		if (!arg->absent || is_since(parse, arg->since))
			vllm_command_older_negative(parse, arg);
	}
}

void vllm_report_ambiguous(struct vllm_parse *parse, const struct option_argv_word *word)
{
	size_t count = word->candidate_count;
	auto_buf expected = PL_BUF(4096);

	pl_buf_add_text(&expected, "a longer form of the flag: ");
	for (size_t i = 0; i < count && i < CANDIDATES_SHOWN_MAX; i++)
		pl_buf_addf(&expected, "%s%s",
			    i == 0           ? ""
			    : i + 1 == count ? " or "
					     : ", ",
			    word->candidates[i]->text);
	if (count > CANDIDATES_SHOWN_MAX)
		pl_buf_addf(&expected, " … (%zu in all)", count);
	vllm_parse_add(parse, OPTION_ERROR, word, "an abbreviation of several flags",
		       pl_buf_text(&expected), NULL);
}

/* The argument of a later release that this flag is. */
static const struct option_row *find_absent(const struct vllm_catalog *catalog, const char *text)
{
	auto_free char *name = pl_strndup(text, strcspn(text, "="));

	if (!pl_text_starts(name, "--"))
		return NULL;
	const struct option_row *arg = vllm_arg_find(catalog, name + 2);
	if (arg == NULL)
		arg = vllm_arg_find_negative(catalog, name + 2);
	return arg != NULL && arg->absent ? arg : NULL;
}

/* The long flag of the release that is nearest. */
static const char *nearest_flag(const struct vllm_parse *parse, const char *text)
{
	return option_argv_nearest(&parse->argv, text + strspn(text, "-"));
}

static void report_unknown(struct vllm_parse *parse, const struct option_argv_word *word)
{
	const struct option_row *absent = find_absent(parse->catalog, word->text);

	json_array_append_new(parse->command->unknown, json_string(word->written));
	if (absent != NULL && !is_since(parse, absent->since)) {
		auto_free char *found = pl_asprintf("an argument that vLLM %s does not have yet",
						    parse->target_text);
		auto_free char *expected = pl_asprintf("vLLM %s or newer", absent->since);
		vllm_parse_add(parse, OPTION_ERROR, word, found, expected, NULL);
		return;
	}
	/* the flag that is nearest to a negative has the opposite meaning */
	auto_free char *expected =
		strcmp(word->text, "-O") == 0
			? pl_strdup("an optimization level from 0 to 3; an object is "
				    "the value of '--compilation-config'")
			: vllm_command_negative_expected(parse, word->text);
	/* looking through all flags takes its time */
	const char *nearest = expected == NULL && parse->problems->errors < NEAREST_MAX
				      ? nearest_flag(parse, word->text)
				      : NULL;
	vllm_parse_add(parse, OPTION_ERROR, word, "unknown argument", expected, nearest);
}

static void report_removed(struct vllm_parse *parse, const struct option_argv_word *word)
{
	const struct option_row *arg = word->flag->row;
	struct vllm_replacing replacing = { parse->catalog, &parse->target,
					    parse->command->values };
	auto_free char *found = pl_asprintf("an argument that vLLM %s no longer has",
					    parse->target_text);
	auto_json json_t *value = vllm_command_value(parse, arg, word);
	auto_json json_t *by = vllm_replaced_by(&replacing, arg->name, value);
	auto_buf expected = PL_BUF(4096);

	vllm_replaced_sentence(arg->name, by, parse->catalog, &expected);
	json_array_append_new(parse->command->unknown, json_string(word->written));
	vllm_parse_add_replaced(parse, word, found, pl_buf_text(&expected), by);
}

/* A joined value of a flag that takes none. */
void vllm_report_joined(struct vllm_parse *parse, const struct option_argv_word *word)
{
	const struct option_row *arg = word->flag->row;
	bool is_off = strcasecmp(word->joined, "false") == 0 || strcmp(word->joined, "0") == 0;

	vllm_parse_add(parse, OPTION_ERROR, word, NULL, "the flag alone, because it takes no value",
		       is_off && !word->flag->negative ? arg->negative_flag : NULL);
}

void vllm_report_no_value(struct vllm_parse *parse, const struct option_argv_word *word)
{
	const struct option_row *arg = word->flag->row;
	auto_free char *expected = pl_asprintf("a value: '%s' takes %s", arg->flag,
					       arg->style == OPTION_STYLE_LIST ? "one or more"
									       : "one");

	vllm_parse_add(parse, OPTION_ERROR, word, "no value", expected, NULL);
}

void vllm_report_dotted(struct vllm_parse *parse, const struct option_argv_word *word)
{
	if (word->kind == OPTION_ARGV_DOTTED_BARE)
		vllm_parse_add(parse, OPTION_ERROR, word, "no value", "one after the flag", NULL);
	else if (word->kind == OPTION_ARGV_DOTTED_DEEP)
		vllm_parse_add(parse, OPTION_ERROR, word, NULL, "a key with fewer levels", NULL);
	else
		vllm_parse_add(parse, OPTION_ERROR, word, word->excess,
			       "a finite number, or an integer within 64 bits", NULL);
}

/* A long flag whose dashes a text processor has joined into one: "–x". */
bool vllm_has_wide_dash(const char *text)
{
	return pl_text_starts(text, "\xE2\x80\x93") || pl_text_starts(text, "\xE2\x80\x94");
}

/* "--x false" of a switch: the word is not the model. */
static bool is_value_of_switch(const struct vllm_parse *parse, const struct option_argv_word *word)
{
	const struct option_argv_flag *before = word > parse->argv.words ? word[-1].flag : NULL;

	return before != NULL && word[-1].joined == NULL && option_argv_is_switch(before) &&
	       vllm_command_is_truth(word->text);
}

/* A word of no flag: the model, or one too many. */
static void report_word(struct vllm_parse *parse, const struct option_argv_word *word)
{
	const struct option_argv_flag *before = word > parse->argv.words ? word[-1].flag : NULL;
	const struct option_row *named = vllm_arg_find(parse->catalog, word->text);
	const char *nearest = named != NULL ? named->flag : NULL;

	if (vllm_has_wide_dash(word->text))
		nearest = nearest_flag(parse, word->text + strlen("\xE2\x80\x93"));
	json_array_append_new(parse->command->unknown, json_string(word->text));
	if (is_value_of_switch(parse, word)) {
		auto_free char *expected = pl_asprintf("no value, because '%s' is a switch",
						       before->text);
		bool is_off = !before->negative && strcasecmp(word->text, "false") == 0;
		/* the switch alone may mean the opposite */
		json_object_del(parse->command->values, before->row->name);
		vllm_parse_add(parse, OPTION_ERROR, word, NULL, expected,
			       is_off ? before->row->negative_flag : NULL);
		return;
	}
	vllm_parse_add(parse, OPTION_ERROR, word, NULL,
		       parse->kind != NULL
			       ? "a flag, because '--model MODEL' already names the model"
			       : "a flag, because an earlier argument names the model",
		       nearest);
}

/* Takes a flag of an offline benchmark: one of its options, or a flag of our command. */
static void take_kind_flag(struct vllm_parse *parse, const struct option_argv_word *word)
{
	struct vllm_command *command = parse->command;
	const char *name = word->flag->row->name;

	if (!vllm_bench_line_take(&parse->line, word)) {
		if (vllm_value_is_unknown(parse, &parse->argv, word)) {
			vllm_report_unknown_value(parse, word);
			return;
		}
		vllm_report_bench_value(parse, &parse->line, word);
	} else if (vllm_bench_find(name) != VLLM_BENCH_COUNT) {
		json_object_set_new(command->load_locations, name, json_integer(word->line));
	} else if (!parse->program_flags) {
		vllm_parse_add(parse, OPTION_WARNING, word, "a flag of profllm",
			       "this flag on the command line of 'profllm run', because the file "
			       "cannot hold it",
			       NULL);
	}
}

static bool is_of_kind(const struct vllm_parse *parse, const struct option_row *row)
{
	const struct vllm_bench_kind *kind = parse->kind;

	return kind != NULL && ((row >= kind->rows && row < kind->rows + kind->count) || row->ours);
}

static void take_flag(struct vllm_parse *parse, const struct option_argv_word *word)
{
	if (word->flag->row == &help_row)
		vllm_parse_add(parse, OPTION_ERROR, word, "a request for help",
			       "the arguments of a server, because this command starts none", NULL);
	else if (word->kind == OPTION_ARGV_TAKES_NONE)
		vllm_report_joined(parse, word);
	else if (word->kind == OPTION_ARGV_NO_VALUE)
		vllm_report_no_value(parse, word);
	else if (is_of_kind(parse, word->flag->row))
		take_kind_flag(parse, word);
	else
		vllm_command_take(parse, word->flag->row, word);
}

/* Returns whether the target is known to lack the flag, and it must not be passed on. */
static bool is_refused(const struct vllm_parse *parse, const struct option_argv_word *word)
{
	return word->flag != NULL && word->flag->row->absent && parse->target_known &&
	       !parse->allow_removed;
}

/* Words of no flag whose text is known. */
static size_t count_certain(const struct vllm_parse *parse)
{
	size_t count = 0;

	for (size_t i = 0; i < parse->argv.count; i++)
		count += parse->argv.words[i].kind == OPTION_ARGV_WORD &&
			 !vllm_word_is_unknown(parse, &parse->argv.words[i], true);
	return count;
}

static void take_words(struct vllm_parse *parse)
{
	bool model_taken = false;
	bool after_unknown = false; /* the following words may be its values */
	size_t certain = count_certain(parse);

	for (size_t i = 0; i < parse->argv.count; i++) {
		struct option_argv_word *word = &parse->argv.words[i];
		bool is_wide = vllm_has_wide_dash(word->text);
		switch (word->kind) {
		case OPTION_ARGV_WORD:
			/* a variable that is not known may hold no word, or flags */
			if (vllm_word_is_unknown(parse, word, true) &&
			    (model_taken || certain > 0 || parse->kind != NULL))
				break;
			if (!model_taken && !is_wide && parse->kind == NULL &&
			    !is_value_of_switch(parse, word)) {
				model_taken = true;
				word->joined = word->text;
				vllm_command_take(parse, vllm_arg_find(parse->catalog, "model"),
						  word);
			} else if (!after_unknown) {
				report_word(parse, word);
				after_unknown = is_wide;
			}
			break;
		case OPTION_ARGV_SEPARATOR:
		case OPTION_ARGV_VALUE:
			break;
		case OPTION_ARGV_UNKNOWN:
			report_unknown(parse, word);
			after_unknown = true;
			break;
		case OPTION_ARGV_AMBIGUOUS:
			after_unknown = true;
			break;
		default:
			if (!is_refused(parse, word))
				take_flag(parse, word);
			after_unknown = false;
		}
	}
	/* the replacement depends on the other settings */
	for (size_t i = 0; i < parse->argv.count; i++) {
		if (is_refused(parse, &parse->argv.words[i]))
			report_removed(parse, &parse->argv.words[i]);
	}
}

/* The benchmark's own options, with its name, as an experiment's `benchmark`. */
static void keep_kind(struct vllm_parse *parse)
{
	struct vllm_command *command = parse->command;

	command->load = json_pack("{s:s}", "kind", parse->kind->name);
	json_object_update(command->load, parse->line.set);
	json_object_update(command->flags, parse->line.flags);
	vllm_bench_line_done(&parse->line);
}

void vllm_command_arguments(struct vllm_parse *parse)
{
	const struct vllm_command *command = parse->command;
	struct option_argv *argv = &parse->argv;

	for (size_t i = parse->server.first; i < parse->server.end; i++) {
		const struct vllm_word *word = &command->words.items[i];
		(void)option_argv_add_word(argv, word->text, command->source, (int)i + 1,
					   word->column);
	}
	if (parse->kind == NULL) {
		move_model(argv);
		read_config(parse);
	} else {
		vllm_bench_line_init(&parse->line);
	}
	turn_optimization(parse);
	vllm_command_older_options(parse);
	add_rows(parse);
	option_argv_read(argv);
	vllm_command_older_switches(parse);
	/*
	 * errors in the order of vLLM's parser: dotted keys are joined before argparse runs, and
	 * argparse resolves all flags before it assigns values
	 */
	for (size_t i = 0; i < argv->refused_count; i++)
		vllm_report_dotted(parse, &argv->refused[i]);
	for (size_t i = 0; i < argv->count; i++) {
		if (argv->words[i].kind == OPTION_ARGV_AMBIGUOUS)
			vllm_report_ambiguous(parse, &argv->words[i]);
	}
	take_words(parse);
	if (parse->kind != NULL)
		keep_kind(parse);
}
