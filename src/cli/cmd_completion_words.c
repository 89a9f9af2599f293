#include "cli/cmd_completion_priv.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/cli.h"
#include "vllm/arg_json.h"
#include "experiment/config.h"
#include "vllm/bench_options.h"
#include "checkpoint/hardware.h"

#define ARENA_BLOCK_BYTES 65536
#define VALUES_BYTES_MAX  65536
#define NAME_LETTERS      "abcdefghijklmnopqrstuvwxyz0123456789-"
/* Values with anything else would need quotes of the shell's. */
#define PLAIN_LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.:/+,@%^-"

void cli_words_done(struct cli_words *words)
{
	pl_arena_free(words->arena);
	free(words->items);
}

static const char *keep(struct cli_words *words, const char *text)
{
	if (words->arena == NULL)
		words->arena = pl_arena_new(ARENA_BLOCK_BYTES);
	return pl_arena_strndup(words->arena, text, strlen(text));
}

static void add(struct cli_words *words, const char *text, const char *help, const char *values)
{
	pl_grow((void **)&words->items, &words->room, words->count + 1, sizeof(*words->items));
	words->items[words->count++] = (struct cli_word){
		.text = keep(words, text),
		.help = keep(words, help != NULL ? help : ""),
		.values = keep(words, values),
	};
}

static void add_key(struct cli_words *words, const char *section, const char *name,
		    const char *help, const char *values)
{
	auto_free char *key = pl_asprintf("%s.%s", section, name);

	add(words, key, help, values);
}

/* Choices of a JSON array text; `is_bool` adds the two that every switch has. */
static char *values_of(const char *choices, bool is_bool)
{
	auto_json json_t *list = choices != NULL ? json_loads(choices, 0, NULL) : NULL;
	auto_buf values = { 0 };

	pl_buf_init(&values, VALUES_BYTES_MAX);
	if (is_bool)
		pl_buf_add_text(&values, "true false");
	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *choice = json_array_get(list, i);
		auto_free char *text = json_is_string(choice)
					       ? pl_strdup(json_string_value(choice))
					       : pl_json_to_text(choice, PL_JSON_COMPACT);
		if (text[0] != '\0' && strspn(text, PLAIN_LETTERS) == strlen(text))
			pl_buf_addf(&values, "%s%s", values.len > 0 ? " " : "", text);
	}
	return pl_strdup(pl_buf_text(&values));
}

static void add_server_keys(struct cli_words *words)
{
	for (size_t i = 0; i < vllm_arg_count(); i++) {
		const struct option_row *arg = vllm_arg_at(i);
		auto_free char *values = values_of(arg->choices, arg->type == OPTION_BOOL);
		add_key(words, "server", arg->name, arg->help, values);
	}
	for (size_t i = 0; i < vllm_field_count(); i++) {
		const struct option_row *field = vllm_field_at(i);
		auto_free char *values = values_of(field->choices, field->type == OPTION_BOOL);
		auto_free char *name = pl_asprintf("%s.%s", field->of, field->name);
		add_key(words, "server", name, "", values);
	}
}

void cli_words_of_keys(struct cli_words *words)
{
	add_server_keys(words);
	for (size_t i = 0; i < VLLM_BENCH_COUNT; i++) {
		const struct option_row *row = vllm_bench_row((enum vllm_bench_id)i);
		bool is_bool = row->type == OPTION_BOOL || row->type == OPTION_TRI;
		auto_free char *values = values_of(row->choices, is_bool);
		add_key(words, "benchmark", row->name, row->help, values);
	}
	for (size_t i = 0; i < exp_key_count(); i++) {
		const struct option_row *row = exp_key_at(i);
		auto_free char *values = values_of(row->choices, row->type == OPTION_BOOL);
		add(words, row->name, row->help, values);
	}
}

static void add_flag(struct cli_words *words, const struct option_row *arg, const char *flag,
		     const char *values, bool is_alone)
{
	add(words, flag, arg->help, values);
	words->items[words->count - 1].is_alone = is_alone;
}

void cli_words_of_flags(struct cli_words *words)
{
	for (size_t i = 0; i < vllm_arg_count(); i++) {
		const struct option_row *arg = vllm_arg_at(i);
		bool is_alone = arg->style == OPTION_STYLE_TOGGLE ||
				arg->style == OPTION_STYLE_FLAG;
		auto_free char *values = values_of(arg->choices, false);
		auto_free char *aliases = pl_strdup(arg->aliases);
		if (arg->gone)
			continue;
		add_flag(words, arg, arg->flag, values, is_alone);
		for (char *rest = aliases; rest != NULL;)
			add_flag(words, arg, strsep(&rest, " "), values, is_alone);
		if (arg->negative_flag != NULL)
			add_flag(words, arg, arg->negative_flag, "", true);
	}
}

bool cli_takes_command(const struct pl_opt_command *command)
{
	return command != NULL && strstr(command->usage, "-- vllm") != NULL;
}

static void add_groups(struct cli_words *words)
{
	for (size_t i = 0; i < vllm_arg_count(); i++) {
		const char *group = vllm_arg_at(i)->group;
		if (words->count == 0 || strcmp(words->items[words->count - 1].text, group) != 0)
			add(words, group, "", "");
	}
}

static void add_commands(struct cli_words *words)
{
	for (const struct cli_cmd *cmd = cli_cmds; cmd->name != NULL; cmd++)
		add(words, cmd->name, cmd->summary, "");
}

static void add_args(struct cli_words *words)
{
	for (size_t i = 0; i < vllm_arg_count(); i++)
		add(words, vllm_arg_at(i)->name, vllm_arg_at(i)->help, "");
}

static void add_profiles(struct cli_words *words)
{
	add(words, "list", "show them", "");
	for (size_t i = 0; i < ckpt_gpu_count(); i++)
		add(words, ckpt_gpu_at(i)->name, "", "");
}

enum cli_follow cli_words_of_option(const struct pl_opt *option, struct cli_words *words)
{
	if (option->type == PL_OPT_FLAG)
		return CLI_FOLLOW_NOTHING;
	for (size_t i = 0; option->choices != NULL && option->choices[i] != NULL; i++)
		add(words, option->choices[i], "", "");
	if (option->choices != NULL)
		return CLI_FOLLOW_WORDS;
	if (strcmp(option->arg, "KEY=VALUE") == 0)
		return CLI_FOLLOW_KEYS;
	if (strcmp(option->arg, "GROUP") == 0)
		add_groups(words);
	else if (strcmp(option->arg, "PROFILE") == 0)
		add_profiles(words);
	else if (strcmp(option->arg, "FILE") == 0 || strcmp(option->arg, "DIR") == 0)
		return CLI_FOLLOW_FILES;
	return words->count > 0 ? CLI_FOLLOW_WORDS : CLI_FOLLOW_NOTHING;
}

/*
 * The words that a usage line has at its beginning, or behind a bar: "bash|zsh|fish [options]",
 * "from-command [options] | to-command FILE".
 */
static void add_alternatives(const char *usage, struct cli_words *words)
{
	auto_free char *copy = pl_strdup(usage);

	for (char *rest = copy; rest != NULL;) {
		char *part = strsep(&rest, "|");
		part += strspn(part, " ");
		part[strcspn(part, " ")] = '\0';
		if (islower((unsigned char)part[0]) && strspn(part, NAME_LETTERS) == strlen(part))
			add(words, part, "", "");
	}
}

enum cli_follow cli_words_of_command(const struct pl_opt_command *command, struct cli_words *words)
{
	if (command == NULL) {
		add_commands(words);
		return CLI_FOLLOW_WORDS;
	}
	const char *usage = command->usage;
	/* not one that belongs to an option: "--config FILE" */
	bool takes_file = strstr(usage, "FILE") != NULL && strncmp(usage, "--", 2) != 0;
	add_alternatives(usage, words);
	if (strstr(usage, "PATTERN") != NULL)
		add_args(words);
	if (words->count > 0)
		return takes_file ? CLI_FOLLOW_EITHER : CLI_FOLLOW_WORDS;
	return takes_file ? CLI_FOLLOW_FILES : CLI_FOLLOW_NOTHING;
}

void cli_words_join(const struct cli_words *words, struct pl_buf *text)
{
	bool is_first = true;

	for (size_t i = 0; i < words->count; i++) {
		const char *word = words->items[i].text;
		if (strspn(word, PLAIN_LETTERS) != strlen(word))
			continue;
		pl_buf_addf(text, "%s%s", is_first ? "" : " ", word);
		is_first = false;
	}
}

void cli_words_quote(const char *text, const char *escape, struct pl_buf *buf)
{
	pl_buf_add_char(buf, '\'');
	for (; *text != '\0'; text++) {
		if (*text == '\'')
			pl_buf_add_text(buf, escape);
		else
			pl_buf_add_char(buf, *text);
	}
	pl_buf_add_char(buf, '\'');
}
