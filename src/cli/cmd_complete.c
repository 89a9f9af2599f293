/*
 * `profllm complete WORDS…`: what can stand where the last of the words is, asked by the scripts
 * that `profllm completion` prints. The words are those of a line behind "profllm", up to the
 * cursor and without quotes.
 *
 * - A line a candidate: the whole word and, behind a tab, what it is where that is known. The
 *   shell leaves out what does not begin as the last word does.
 * - Or the one line ":files" and, behind a tab, what stands before a file's name in the word: what
 *   the shell itself finds.
 */
#include "cli/cli.h"
#include "cli/sweep_vllm.h"

#include <string.h>

#include "base/text.h"
#include "checkpoint/hardware.h"
#include "experiment/config.h"
#include "vllm/bench/kinds.h"
#include "vllm/bench_options.h"
#include "vllm/history.h"

#define ANSWER_BYTES_MAX (4u << 20)
/* Words with anything else would need quotes of the shell's. */
#define PLAIN_LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.:/+,@%^=-"

struct answer {
	const struct vllm_catalog *catalog;
	struct pl_buf text;
	const char *name; /* what the word is the value of, if that is an option: "--set" */
	const char *line; /* the word under the cursor */
	size_t behind;    /* of it stand before every candidate: "--set=server.dtype=" */
	const struct vllm_bench_kind
		*kind; /* the line is an offline benchmark's; NULL: it is not */
};

static void offer(struct answer *answer, const char *word, const char *help)
{
	bool has_help = help != NULL && help[0] != '\0';

	if (word[0] != '\0' && strspn(word, PLAIN_LETTERS) == strlen(word))
		pl_buf_addf(&answer->text, "%.*s%s%s%s\n", (int)answer->behind, answer->line, word,
			    has_help ? "\t" : "", has_help ? help : "");
}

/* Of a row's JSON array; NULL: any value does. */
static void offer_choices(struct answer *answer, const char *choices)
{
	auto_json json_t *list = pl_json_of_text(choices);

	PL_JSON_EACH(choice, list) {
		auto_free char *text = pl_json_to_plain(choice);
		offer(answer, text, NULL);
	}
}

static void offer_files(struct answer *answer)
{
	pl_buf_addf(&answer->text, ":files\t%.*s\n", (int)answer->behind, answer->line);
}

static void offer_commands(struct answer *answer)
{
	for (const struct pl_command *cmd = cli_commands.items; cmd->name != NULL; cmd++)
		offer(answer, cmd->name, cmd->summary);
}

static void offer_arguments(struct answer *answer)
{
	for (size_t i = 0; i < vllm_arg_count(answer->catalog); i++) {
		const struct option_row *arg = vllm_arg_at(answer->catalog, i);
		if (!arg->absent)
			offer(answer, arg->name, arg->help);
	}
}

static void offer_groups(struct answer *answer)
{
	for (size_t i = 0; i < vllm_arg_count(answer->catalog); i++) {
		if (i == 0 || strcmp(vllm_arg_at(answer->catalog, i - 1)->group,
				     vllm_arg_at(answer->catalog, i)->group) != 0)
			offer(answer, vllm_arg_at(answer->catalog, i)->group, NULL);
	}
}

static void offer_profiles(struct answer *answer)
{
	offer(answer, "list", "show them");
	for (size_t i = 0; i < ckpt_gpu_count(); i++)
		offer(answer, ckpt_gpu_at(i)->name, NULL);
}

/* Newest first: few ask for what is long gone. */
static void offer_releases(struct answer *answer)
{
	for (size_t i = vllm_release_count(); i > 0; i--)
		offer(answer, vllm_release_at(i - 1), NULL);
}

/* The key with an '=', or the values of the one that is `wanted`. */
static void offer_key(struct answer *answer, const char *wanted, const char *key,
		      const struct option_row *row)
{
	bool is_bool = row->type == OPTION_BOOL || row->type == OPTION_TRI;
	auto_free char *assigned = pl_asprintf("%s=", key);

	if (wanted == NULL)
		offer(answer, assigned, row->help);
	else if (strcmp(wanted, key) == 0)
		offer_choices(answer, is_bool ? "[\"true\", \"false\"]" : row->choices);
}

static void offer_keys(struct answer *answer)
{
	const char *word = answer->line + answer->behind;
	size_t len = strcspn(word, "=");
	auto_free char *wanted = word[len] == '=' ? pl_strndup(word, len) : NULL;

	answer->behind += wanted != NULL ? len + 1 : 0;
	for (size_t i = 0; i < vllm_arg_count(answer->catalog); i++) {
		const struct option_row *arg = vllm_arg_at(answer->catalog, i);
		auto_free char *key = pl_asprintf("server.%s", arg->name);
		if (!arg->absent)
			offer_key(answer, wanted, key, arg);
	}
	for (size_t i = 0; i < vllm_field_count(); i++) {
		const struct option_row *field = vllm_field_at(i);
		auto_free char *key = pl_asprintf("server.%s.%s", field->of, field->name);
		offer_key(answer, wanted, key, field);
	}
	for (size_t i = 0; i < VLLM_BENCH_COUNT; i++) {
		const struct option_row *row = vllm_bench_row((enum vllm_bench_id)i);
		auto_free char *key = pl_asprintf("benchmark.%s", row->name);
		offer_key(answer, wanted, key, row);
	}
	for (size_t i = 0; i < exp_key_count(); i++)
		offer_key(answer, wanted, exp_key_at(i)->name, exp_key_at(i));
}

/* What a value is, by the name that its row gives it. */
static void offer_values(struct answer *answer, const char *name)
{
	static const struct {
		const char *name;
		void (*offer)(struct answer *answer);
	} kinds[] = {
		{ "COMMAND", offer_commands },  { "DIR", offer_files },
		{ "FILE", offer_files },        { "GROUP", offer_groups },
		{ "KEY=VALUE", offer_keys },    { "OUTPUT", offer_files },
		{ "PATTERN", offer_arguments }, { "PLACE", offer_files },
		{ "PROFILE", offer_profiles },  { "RELEASE", offer_releases },
	};

	for (size_t i = 0; name != NULL && i < PL_ARRAY_SIZE(kinds); i++) {
		if (strcmp(kinds[i].name, name) == 0)
			kinds[i].offer(answer);
	}
}

static void offer_texts(struct answer *answer, const char *const *texts)
{
	for (; *texts != NULL; texts++)
		offer(answer, *texts, NULL);
}

static void offer_options(struct answer *answer, const struct pl_opt_command *command)
{
	const struct pl_opt *option = command != NULL ? command->options : NULL;

	offer(answer, "--help", "show this help and exit");
	for (; option != NULL && option->name != NULL; option++) {
		auto_free char *name = pl_asprintf("--%s", option->name);
		auto_free char *negative = pl_asprintf("--no-%s", option->name);
		const char letter[] = { '-', option->letter, '\0' };
		if (option->hidden)
			continue;
		offer(answer, name, option->help);
		if (option->negatable)
			offer(answer, negative, option->help);
		if (option->letter != 0)
			offer(answer, letter, option->help);
	}
}

/* The option that a word is, if it takes a value. */
static const struct pl_opt *option_with_value(const struct pl_opt_command *command,
					      const char *word)
{
	const struct pl_opt *option = command != NULL ? command->options : NULL;

	for (; word[0] == '-' && option != NULL && option->name != NULL; option++) {
		bool is_long = word[1] == '-' && strcmp(option->name, word + 2) == 0;
		bool is_short = word[1] != '\0' && word[1] == option->letter && word[2] == '\0';
		if (is_long || is_short)
			return option->type == PL_OPT_FLAG || option->hidden ? NULL : option;
	}
	return NULL;
}

/* How many of a command's words are neither options nor their values. */
static int count_operands(const struct pl_opt_command *command, char **words, int count)
{
	int operands = 0;

	for (int i = 0; i < count; i++) {
		if (words[i][0] != '-')
			operands++;
		else if (option_with_value(command, words[i]) != NULL)
			i++;
	}
	return operands;
}

static void complete_own(struct answer *answer, const struct pl_opt_command *command, char **words,
			 int count)
{
	const struct pl_opt *option = option_with_value(command, answer->name);

	if (option != NULL && option->choices != NULL)
		offer_texts(answer, option->choices);
	else if (option != NULL)
		offer_values(answer, option->arg);
	else if (answer->line[answer->behind] == '-')
		offer_options(answer, command);
	else if (command == NULL)
		offer_commands(answer);
	else if (command->words != NULL && count_operands(command, words, count - 1) == 0)
		offer_texts(answer, command->words);
	else
		offer_values(answer, command->operand);
}

/* The row at `i` of a command of vLLM's: of its server's arguments, or of its load's options. NULL: no
 * more. */
static const struct option_row *row_at(const struct answer *answer, bool is_load, size_t i)
{
	const struct vllm_bench_kind *kind = answer->kind;

	/* its own options, then the engine's arguments */
	if (kind != NULL && i < kind->count)
		return &kind->rows[i];
	if (kind != NULL)
		i -= kind->count;
	if (!is_load || kind != NULL)
		return i < vllm_arg_count(answer->catalog) ? vllm_arg_at(answer->catalog, i) : NULL;
	return i < VLLM_BENCH_COUNT ? vllm_bench_row((enum vllm_bench_id)i) : NULL;
}

static bool is_vllms(const struct answer *answer, const struct option_row *row, bool is_load)
{
	const struct vllm_bench_kind *kind = answer->kind;

	if (kind != NULL)
		return !row->absent && ((row >= kind->rows && row < kind->rows + kind->count) ||
					vllm_bench_kind_takes(kind, row));
	return row->flag != NULL && (is_load ? !row->gone && !row->ours : !row->absent);
}

static void offer_flags(struct answer *answer, bool is_load)
{
	const struct option_row *row;

	for (size_t i = 0; (row = row_at(answer, is_load, i)) != NULL; i++) {
		auto_free char *aliases = pl_strdup(row->aliases);
		if (!is_vllms(answer, row, is_load))
			continue;
		offer(answer, row->flag, row->help);
		for (char *rest = aliases; rest != NULL;)
			offer(answer, strsep(&rest, " "), row->help);
		if (row->negative_flag != NULL)
			offer(answer, row->negative_flag, row->help);
	}
}

/* vLLM's option that a flag sets, if it takes a value. */
static const struct option_row *row_with_value(const struct answer *answer, bool is_load,
					       const char *flag)
{
	const struct option_row *row;

	for (size_t i = 0; (row = row_at(answer, is_load, i)) != NULL; i++) {
		bool is_alone = row->style == OPTION_STYLE_TOGGLE ||
				row->style == OPTION_STYLE_FLAG;
		if (is_vllms(answer, row, is_load) && !is_alone &&
		    (strcmp(row->flag, flag) == 0 || pl_text_has_word(row->aliases, ' ', flag)))
			return row;
	}
	return NULL;
}

/* A command line of vLLM's, behind "--"; the last of the words is the one under the cursor. */
static void complete_command(struct answer *answer, char **words, int count)
{
	bool is_bench = count > 2 && strcmp(words[1], "bench") == 0;
	answer->kind = is_bench && count > 3 ? vllm_bench_kind_find(words[2]) : answer->kind;
	const struct option_row *row = row_with_value(answer, is_bench, answer->name);

	if (count == 1) {
		offer(answer, "vllm", NULL);
	} else if (count == 2 && strcmp(answer->name, "vllm") == 0) {
		offer(answer, "serve", NULL);
		offer(answer, "bench", NULL);
	} else if (count == 3 && is_bench) {
		offer_texts(answer, cli_bench_command.words);
	} else if (row != NULL && row->choices != NULL) {
		offer_choices(answer, row->choices);
	} else if (row == NULL && answer->line[answer->behind] == '-') {
		offer_flags(answer, is_bench);
	} else {
		offer_files(answer);
	}
}

/* Of `profllm bench` itself. */
static void offer_own_flags(struct answer *answer)
{
#define BENCH_FLAG(name, arg, choices, help) offer(answer, "--" name, help);
#define OFFLINE_FLAG                         BENCH_FLAG
#include "tbl/bench_flags.h"
	offer(answer, "--help", "show this help and exit");
}

/* The last of the words is the one under the cursor. */
static void complete_line(struct answer *answer, char **words, int count)
{
	const struct pl_command *cmd = pl_command_find(&cli_commands, words[0]);
	int dashes = 1;

	if (count == 1) {
		offer_commands(answer);
		offer(answer, "--help", "show the help and exit");
		offer(answer, "--version", "show the version and exit");
		return;
	}
	if (cmd == NULL)
		return;
	/* vLLM's sweeps have options of their own, also behind bench */
	if (count > 2 && strcmp(words[0], "bench") == 0 && strcmp(words[1], "sweep") == 0) {
		words++;
		count--;
	}
	if (count > 2 && strcmp(words[0], "sweep") == 0 && cli_sweep_is_vllms(words[1])) {
		complete_own(answer, cli_sweep_vllm_command(words[1]), words + 2, count - 2);
		return;
	}
	while (dashes < count - 1 && strcmp(words[dashes], "--") != 0)
		dashes++;
	/* our own line of an offline benchmark is vLLM's, with flags more */
	if (count > 2 && strcmp(words[0], "bench") == 0)
		answer->kind = vllm_bench_kind_find(words[1]);
	if (answer->kind != NULL && row_with_value(answer, true, answer->name) == NULL &&
	    answer->line[answer->behind] == '-')
		offer_own_flags(answer);
	if (answer->kind != NULL)
		complete_command(answer, words - 1, count + 1);
	else if (dashes < count - 1 && cmd->options != NULL && cmd->options->takes_command)
		complete_command(answer, words + dashes + 1, count - dashes - 1);
	else
		complete_own(answer, cmd->options, words + 1, count - 1);
}

int cmd_complete(int argc, char **argv)
{
	const char *word = argv[argc - 1];
	size_t len = strcspn(word, "=");
	bool is_joined = word[0] == '-' && word[len] == '=';
	auto_free char *name = is_joined ? pl_strndup(word, len) : pl_strdup(argv[argc - 2]);
	struct answer answer = { .name = name, .line = word, .behind = is_joined ? len + 1 : 0 };
	auto_catalog const struct vllm_catalog *catalog = NULL;

	pl_buf_init(&answer.text, ANSWER_BYTES_MAX);
	/* nobody would read a message here: no answer says as much */
	if (cli_catalog_open(NULL, &catalog, PL_ERR_IGNORED) == 0) {
		answer.catalog = catalog;
		complete_line(&answer, argv + 1, argc - 1);
	}
	int status = cli_print(pl_buf_text(&answer.text));
	pl_buf_done(&answer.text);
	return status;
}
