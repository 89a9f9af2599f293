#include "base/completion.h"

#include <stdlib.h>
#include <string.h>

#include "base/program.h"
#include "base/text.h"

#define SCRIPT_BYTES_MAX 65536
#define ANSWER_BYTES_MAX (4u << 20)
/* Words with other characters would need shell quotes. */
#define PLAIN_LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.:/+,@%^=-"

/* ---- scripts ------------------------------------------------------------------------------- */

/* COMPLETION_SCRIPT: where the build finds the scripts (CMakeLists.txt) */
#define SCRIPT(shell)                                        \
	__asm__(".pushsection .rodata\n"                     \
		"completion_" #shell ":\n"                   \
		".incbin \"" COMPLETION_SCRIPT #shell "\"\n" \
		".byte 0\n"                                  \
		".popsection\n");                            \
	extern const char completion_##shell[]
SCRIPT(bash);
SCRIPT(zsh);
SCRIPT(fish);

const char *const pl_shells[] = { "bash", "zsh", "fish", NULL };
static const char *const scripts[] = { completion_bash, completion_zsh, completion_fish };

int pl_completion_script(const char *program, const char *shell, char **ret, struct pl_err *err)
{
	size_t at = pl_text_index(shell, pl_shells, PL_ARRAY_SIZE(scripts));

	if (at < PL_ARRAY_SIZE(scripts)) {
		auto_free char *name = pl_asprintf("_%s", program);
		for (char *c = name; *c != '\0'; c++)
			*c = *c == '-' ? '_' : *c;
		auto_free char *half = pl_text_replace(scripts[at], "@program@", program);
		*ret = pl_text_replace(half, "@name@", name);
		return 0;
	}
	const char *nearest = pl_text_nearest(shell, pl_shells, PL_ARRAY_SIZE(scripts));
	if (nearest != NULL)
		return pl_err_invalid(err, "unknown shell '%s' (did you mean '%s'?)", shell,
				      nearest);
	return pl_err_invalid(err, "unknown shell '%s', expected " PL_SHELLS, shell);
}

/* Returns the directory of a variable, or that below the home directory; free(). NULL: there is no home directory. */
static char *user_folder(const char *variable, const char *below_home)
{
	const char *named = getenv(variable), *home = getenv("HOME");

	if (named != NULL && named[0] == '/')
		return pl_strdup(named);
	return home != NULL && home[0] == '/' ? pl_asprintf("%s/%s", home, below_home) : NULL;
}

/* free(); NULL: there is no home directory */
static char *script_path(const char *program, const char *shell)
{
	bool is_fish = strcmp(shell, "fish") == 0;
	auto_free char *folder = is_fish ? user_folder("XDG_CONFIG_HOME", ".config")
					 : user_folder("XDG_DATA_HOME", ".local/share");

	if (folder == NULL)
		return NULL;
	if (is_fish)
		return pl_asprintf("%s/fish/completions/%s.fish", folder, program);
	return strcmp(shell, "zsh") == 0
		       ? pl_asprintf("%s/zsh/site-functions/_%s", folder, program)
		       : pl_asprintf("%s/bash-completion/completions/%s", folder, program);
}

int pl_completion_print_json(const char *program, const char *shell, const char *script)
{
	auto_free char *path = script_path(program, shell);
	auto_json json_t *answer = json_pack("{s:s, s:s, s:o, s:o}", "program", program, "shell",
					     shell, "path", pl_json_text(path), "text",
					     pl_json_text(script));

	return pl_program_print_json(answer);
}

/* ---- candidates ---------------------------------------------------------------------------- */

void pl_completion_init(struct pl_completion *completion, const struct pl_commands *commands,
			int argc, char **argv)
{
	const char *word = argv[argc - 1];
	size_t len = strcspn(word, "=");
	bool is_joined = word[0] == '-' && word[len] == '=';

	*completion = (struct pl_completion){
		.commands = commands,
		.name = is_joined ? pl_strndup(word, len) : pl_strdup(argv[argc - 2]),
		.line = word,
		.after = is_joined ? len + 1 : 0,
	};
	pl_buf_init(&completion->text, ANSWER_BYTES_MAX);
}

int pl_completion_done(struct pl_completion *completion)
{
	int status = pl_program_print(pl_buf_text(&completion->text));

	pl_buf_done(&completion->text);
	free(completion->name);
	return status;
}

void pl_completion_offer(struct pl_completion *completion, const char *word, const char *help)
{
	bool has_help = help != NULL && help[0] != '\0';

	if (word[0] != '\0' && strspn(word, PLAIN_LETTERS) == strlen(word))
		pl_buf_addf(&completion->text, "%.*s%s%s%s\n", (int)completion->after,
			    completion->line, word, has_help ? "\t" : "", has_help ? help : "");
}

void pl_completion_offer_texts(struct pl_completion *completion, const char *const *texts)
{
	for (; *texts != NULL; texts++)
		pl_completion_offer(completion, *texts, NULL);
}

void pl_completion_offer_files(struct pl_completion *completion)
{
	pl_buf_addf(&completion->text, ":files\t%.*s\n", (int)completion->after, completion->line);
}

void pl_completion_offer_commands(struct pl_completion *completion)
{
	for (const struct pl_command *cmd = completion->commands->items; cmd->name != NULL; cmd++)
		pl_completion_offer(completion, cmd->name, cmd->summary);
}

/* ---- a command's line ---------------------------------------------------------------------- */

/* Offers the values of an option from the placeholder in its row. */
static void offer_values(struct pl_completion *completion, const char *arg)
{
	static const char *const files[] = { "DB", "DIR", "FILE", "OUTPUT", "PLACE" };

	if (arg == NULL)
		return;
	if (PL_TEXT_IS_ONE_OF(arg, files))
		pl_completion_offer_files(completion);
	else if (strcmp(arg, "COMMAND") == 0)
		pl_completion_offer_commands(completion);
	else if (completion->offer_values != NULL)
		completion->offer_values(completion, arg);
}

static void offer_options(struct pl_completion *completion, const struct pl_opt_command *command)
{
	const struct pl_opt *option = command != NULL ? command->options : NULL;

	pl_completion_offer(completion, "--help", "show this help and exit");
	for (; option != NULL && option->name != NULL; option++) {
		auto_free char *name = pl_asprintf("--%s", option->name);
		auto_free char *negative = pl_asprintf("--no-%s", option->name);
		const char letter[] = { '-', option->letter, '\0' };
		if (option->hidden)
			continue;
		pl_completion_offer(completion, name, option->help);
		if (option->negatable)
			pl_completion_offer(completion, negative, option->help);
		if (option->letter != 0)
			pl_completion_offer(completion, letter, option->help);
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

void pl_completion_offer_options(struct pl_completion *completion,
				 const struct pl_opt_command *command, char **words, int count)
{
	const struct pl_opt *option = option_with_value(command, completion->name);

	if (option != NULL && option->choices != NULL)
		pl_completion_offer_texts(completion, option->choices);
	else if (option != NULL)
		offer_values(completion, option->arg);
	else if (completion->line[completion->after] == '-')
		offer_options(completion, command);
	else if (command == NULL)
		pl_completion_offer_commands(completion);
	else if (command->words != NULL && count_operands(command, words, count - 1) == 0)
		pl_completion_offer_texts(completion, command->words);
	else
		offer_values(completion, command->operand);
}
