#include "cli/cmd_completion_priv.h"

#include "cli/cli.h"

#define WORDS_BYTES_MAX (1u << 20)
#define QUOTE           "\\'"

static const char functions[] =
	"function __profllm_command_is\n"
	"	set -l words (commandline -opc)\n"
	"	test (count $words) -ge 2; and test $words[2] = $argv[1]\n"
	"end\n"
	"function __profllm_behind\n"
	"	set -l words (commandline -opc)\n"
	"	contains -- -- $words; and __profllm_takes_command $words[2]\n"
	"end\n"
	/* a server's command behind "--" */
	"function __profllm_server\n"
	"	set -l words (commandline -opc)\n"
	"	set -l word (commandline -ct)\n"
	"	set -l count (math (count $words) - (contains -i -- -- $words))\n"
	"	if test $count -eq 0\n"
	"		echo vllm\n"
	"	else if test $count -eq 1 -a $words[-1] = vllm\n"
	"		echo serve\n"
	"	else if string match -q -- '--*=*' $word\n"
	"		set -l flag (string replace -r -- '=.*' '' $word)\n"
	"		string replace -r -- '^' $flag= (__profllm_flag $flag)\n"
	"	else if __profllm_flag $words[-1]\n"
	"	else\n"
	"		__profllm_flags\n"
	"	end\n"
	"end\n"
	"function __profllm_no_command\n"
	"	test (count (commandline -opc)) -eq 1\n"
	"end\n"
	"function __profllm_set\n"
	"	set -l word (string replace -r -- '^--[a-z-]+=' '' (commandline -ct))\n"
	"	set -l key (string replace -r -- '=.*' '' $word)\n"
	"	if string match -q -- '*=*' $word\n"
	"		string replace -r -- '^' $key= (__profllm_values $key)\n"
	"	else\n"
	"		__profllm_keys\n"
	"	end\n"
	"end\n";

static void add_quoted(const char *words, struct pl_buf *text)
{
	cli_words_quote(words, QUOTE, text);
}

static void add_follow(enum cli_follow follow, const struct cli_words *words, struct pl_buf *text)
{
	auto_buf joined = { 0 };

	pl_buf_init(&joined, WORDS_BYTES_MAX);
	if (follow == CLI_FOLLOW_FILES)
		pl_buf_add_text(text, " -r -F");
	else if (follow == CLI_FOLLOW_EITHER)
		pl_buf_add_text(text, " -F");
	else if (follow == CLI_FOLLOW_KEYS)
		pl_buf_add_text(text, " -x -a '(__profllm_set)'");
	else
		pl_buf_add_text(text, " -x");
	if (follow != CLI_FOLLOW_WORDS && follow != CLI_FOLLOW_EITHER)
		return;
	cli_words_join(words, &joined);
	pl_buf_add_text(text, " -a ");
	add_quoted(pl_buf_text(&joined), text);
}

static void add_option(const char *command, const struct pl_opt *option, struct pl_buf *text)
{
	auto_words words = { 0 };
	enum cli_follow follow = cli_words_of_option(option, &words);

	pl_buf_addf(text, "complete -c profllm -n '__profllm_command_is %s' -l %s", command,
		    option->name);
	if (option->letter != 0)
		pl_buf_addf(text, " -s %c", option->letter);
	if (option->type != PL_OPT_FLAG)
		add_follow(follow, &words, text);
	pl_buf_add_text(text, " -d ");
	add_quoted(option->help, text);
	pl_buf_add_char(text, '\n');
}

static void add_command(const struct cli_cmd *cmd, struct pl_buf *text)
{
	const struct pl_opt *option = cmd->options != NULL ? cmd->options->options : NULL;
	auto_words words = { 0 };
	enum cli_follow follow = cli_words_of_command(cmd->options, &words);

	pl_buf_addf(text, "complete -c profllm -n __profllm_no_command -a %s -d ", cmd->name);
	add_quoted(cmd->summary, text);
	pl_buf_add_char(text, '\n');
	for (; option != NULL && option->name != NULL; option++) {
		if (!option->hidden)
			add_option(cmd->name, option, text);
	}
	if (follow == CLI_FOLLOW_NOTHING)
		return;
	pl_buf_addf(text, "complete -c profllm -n '__profllm_command_is %s'", cmd->name);
	add_follow(follow, &words, text);
	pl_buf_add_char(text, '\n');
}

/* "server.dtype=" and what it is, a line each. */
static void add_keys(const struct cli_words *keys, struct pl_buf *text)
{
	pl_buf_add_text(text, "function __profllm_keys\n	printf '%s\\n' \\\n");
	for (size_t i = 0; i < keys->count; i++) {
		auto_free char *line = pl_asprintf("%s=\t%s", keys->items[i].text,
						   keys->items[i].help);
		pl_buf_add_text(text, "		");
		add_quoted(line, text);
		pl_buf_add_text(text, i + 1 < keys->count ? " \\\n" : "\n");
	}
	pl_buf_add_text(text, "end\nfunction __profllm_values\n	switch $argv[1]\n");
	for (size_t i = 0; i < keys->count; i++) {
		if (keys->items[i].values[0] != '\0')
			pl_buf_addf(text, "	case %s\n		string split ' ' '%s'\n",
				    keys->items[i].text, keys->items[i].values);
	}
	pl_buf_add_text(text, "	end\nend\n");
}

/* vLLM's flags, and the values of those that have some; status 1: the flag has none to choose. */
static void add_flags(struct pl_buf *text)
{
	auto_words flags = { 0 };

	cli_words_of_flags(&flags);
	pl_buf_add_text(text, "function __profllm_takes_command\n	contains -- $argv[1]");
	for (const struct cli_cmd *cmd = cli_cmds; cmd->name != NULL; cmd++) {
		if (cli_takes_command(cmd->options))
			pl_buf_addf(text, " %s", cmd->name);
	}
	pl_buf_add_text(text, "\nend\nfunction __profllm_flags\n	printf '%s\\n'");
	for (size_t i = 0; i < flags.count; i++) {
		auto_free char *line = pl_asprintf("%s\t%s", flags.items[i].text,
						   flags.items[i].help);
		pl_buf_add_text(text, " \\\n		");
		add_quoted(line, text);
	}
	pl_buf_add_text(text, "\nend\nfunction __profllm_flag\n	switch $argv[1]\n");
	for (size_t i = 0; i < flags.count; i++) {
		if (!flags.items[i].is_alone && flags.items[i].values[0] != '\0')
			pl_buf_addf(text, "	case '%s'\n		string split ' ' '%s'\n",
				    flags.items[i].text, flags.items[i].values);
	}
	pl_buf_add_text(text, "	case '*'\n		return 1\n	end\nend\n");
}

void cli_completion_fish(struct pl_buf *text)
{
	auto_words keys = { 0 };

	cli_words_of_keys(&keys);
	pl_buf_add_text(text, "# profllm's words for fish; made by `profllm completion fish`\n");
	add_keys(&keys, text);
	add_flags(text);
	pl_buf_add_text(text, functions);
	pl_buf_add_text(text,
			"complete -c profllm -f\n"
			"complete -c profllm -n __profllm_behind -F -a '(__profllm_server)'\n"
			"complete -c profllm -s h -l help -d 'show the help and exit'\n"
			"complete -c profllm -n __profllm_no_command -s V -l version -d 'show the "
			"version and exit'\n");
	for (const struct cli_cmd *cmd = cli_cmds; cmd->name != NULL; cmd++)
		add_command(cmd, text);
}
