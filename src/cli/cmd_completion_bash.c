#include "cli/cmd_completion_priv.h"

#include "cli/cli.h"

/* bash splits words at '=' and ':'; joined again they are as they were written. What a function
 * finds it leaves in COMPREPLY, less the part up to '=' or ':' that bash keeps itself. */
static const char functions[] =
	"_profllm_reply() {\n"
	"	local cut=\n"
	"	case $cur in\n"
	"	*[=:]*) [[ $COMP_WORDBREAKS == *[=:]* ]] && cut=${cur%\"${cur##*[=:]}\"} ;;\n"
	"	esac\n"
	"	COMPREPLY=($(compgen -P \"$2\" -W \"$1\" -- \"${cur#\"$2\"}\"))\n"
	"	COMPREPLY=(\"${COMPREPLY[@]#\"$cut\"}\")\n"
	"}\n"
	"_profllm_files() {\n"
	"	local value=${cur#\"$1\"}\n"
	"	compopt -o filenames 2>/dev/null\n"
	"	mapfile -t COMPREPLY < <(compgen -f -- \"$value\")\n"
	"}\n"
	"_profllm_set() {\n"
	"	local value=${cur#\"$1\"}\n"
	"	if [[ $value == *=* ]]; then\n"
	"		_profllm_reply \"$(_profllm_values \"${value%%=*}\")\" "
	"\"$1${value%%=*}=\"\n"
	"	else\n"
	"		compopt -o nospace 2>/dev/null\n"
	"		_profllm_reply \"$(_profllm_keys)\" \"$1\"\n"
	"	fi\n"
	"}\n"
	"_profllm_follow() {\n"
	"	case $1 in\n"
	"	files) _profllm_files \"$2\" ;;\n"
	"	keys) _profllm_set \"$2\" ;;\n"
	"	either*)\n"
	"		_profllm_reply \"${1#either }\"\n"
	"		((${#COMPREPLY[@]})) || _profllm_files \"$2\" ;;\n"
	"	*) _profllm_reply \"${1#words }\" \"$2\" ;;\n"
	"	esac\n"
	"}\n"
	/* a server's command behind "--"; $1: how many words there */
	"_profllm_behind() {\n"
	"	local follow\n"
	"	if (($1 == 1)); then\n"
	"		_profllm_reply vllm\n"
	"	elif (($1 == 2)) && [[ $prev == vllm ]]; then\n"
	"		_profllm_reply serve\n"
	"	elif [[ $cur == --*=* ]]; then\n"
	"		follow=$(_profllm_flag \"${cur%%=*}\")\n"
	"		[[ $follow ]] && _profllm_follow \"$follow\" \"${cur%%=*}=\"\n"
	"	elif follow=$(_profllm_flag \"$prev\") && [[ $follow ]]; then\n"
	"		_profllm_follow \"$follow\"\n"
	"	elif [[ $cur == -* ]]; then\n"
	"		_profllm_reply \"$(_profllm_flags)\"\n"
	"	else\n"
	"		_profllm_files\n"
	"	fi\n"
	"}\n"
	"_profllm() {\n"
	"	local IFS=$' \\t\\n' words=() cword=0 i joined= cur prev follow behind=0\n"
	"	for ((i = 0; i <= COMP_CWORD; i++)); do\n"
	"		if [[ $joined && ${#words[@]} -gt 1 ]] || [[ ${COMP_WORDS[i]} == [=:] && "
	"$i -gt 2 ]]; then\n"
	"			words[${#words[@]} - 1]+=${COMP_WORDS[i]}\n"
	"		else\n"
	"			words+=(\"${COMP_WORDS[i]}\")\n"
	"		fi\n"
	"		joined=\n"
	"		[[ ${COMP_WORDS[i]} == [=:] ]] && joined=1\n"
	"	done\n"
	"	cword=$((${#words[@]} - 1))\n"
	"	cur=${words[cword]}\n"
	"	prev=${words[cword - 1]}\n"
	"	COMPREPLY=()\n"
	"	for ((i = 2; i < cword && behind == 0; i++)); do\n"
	"		[[ ${words[i]} == -- ]] && behind=$i\n"
	"	done\n"
	"	if ((behind)) && _profllm_takes_command \"${words[1]}\"; then\n"
	"		_profllm_behind $((cword - behind))\n"
	"	elif ((cword == 1)); then\n"
	"		_profllm_reply \"$(_profllm_commands)\"\n"
	"	elif [[ $cur == --*=* ]]; then\n"
	"		follow=$(_profllm_option \"${words[1]} ${cur%%=*}\")\n"
	"		[[ $follow ]] && _profllm_follow \"$follow\" \"${cur%%=*}=\"\n"
	"	elif follow=$(_profllm_option \"${words[1]} $prev\") && [[ $follow ]]; then\n"
	"		_profllm_follow \"$follow\"\n"
	"	elif [[ $cur == -* ]]; then\n"
	"		_profllm_reply \"$(_profllm_options \"${words[1]}\")\"\n"
	"	else\n"
	"		follow=$(_profllm_positional \"${words[1]}\")\n"
	"		[[ $follow ]] && _profllm_follow \"$follow\"\n"
	"	fi\n"
	"}\n"
	"complete -F _profllm profllm\n";

static void add_follow(enum cli_follow follow, const struct cli_words *words, struct pl_buf *text)
{
	pl_buf_add_text(text, ") echo '");
	if (follow == CLI_FOLLOW_FILES)
		pl_buf_add_text(text, "files");
	if (follow == CLI_FOLLOW_KEYS)
		pl_buf_add_text(text, "keys");
	if (follow == CLI_FOLLOW_WORDS || follow == CLI_FOLLOW_EITHER) {
		pl_buf_add_text(text, follow == CLI_FOLLOW_WORDS ? "words " : "either ");
		cli_words_join(words, text);
	}
	pl_buf_add_text(text, "' ;;\n");
}

/* What an option's value is, by "COMMAND --option". */
static void add_option_values(struct pl_buf *text)
{
	pl_buf_add_text(text, "_profllm_option() {\n	case $1 in\n");
	for (const struct cli_cmd *cmd = cli_cmds; cmd->name != NULL; cmd++) {
		const struct pl_opt *option = cmd->options != NULL ? cmd->options->options : NULL;
		for (; option != NULL && option->name != NULL; option++) {
			auto_words words = { 0 };
			enum cli_follow follow = cli_words_of_option(option, &words);
			if (option->type == PL_OPT_FLAG || option->hidden)
				continue;
			pl_buf_addf(text, "	'%s --%s'", cmd->name, option->name);
			if (option->letter != 0)
				pl_buf_addf(text, " | '%s -%c'", cmd->name, option->letter);
			if (follow == CLI_FOLLOW_NOTHING)
				pl_buf_add_text(text, ") echo 'words ' ;;\n");
			else
				add_follow(follow, &words, text);
		}
	}
	pl_buf_add_text(text, "	esac\n}\n");
}

static void add_options(struct pl_buf *text)
{
	pl_buf_add_text(text, "_profllm_options() {\n	case $1 in\n");
	for (const struct cli_cmd *cmd = cli_cmds; cmd->name != NULL; cmd++) {
		const struct pl_opt *option = cmd->options != NULL ? cmd->options->options : NULL;
		pl_buf_addf(text, "	%s) echo '--help", cmd->name);
		for (; option != NULL && option->name != NULL; option++) {
			if (!option->hidden)
				pl_buf_addf(text, " --%s", option->name);
			if (option->negatable)
				pl_buf_addf(text, " --no-%s", option->name);
		}
		pl_buf_add_text(text, "' ;;\n");
	}
	pl_buf_add_text(text, "	esac\n}\n");
}

static void add_positionals(struct pl_buf *text)
{
	pl_buf_add_text(text, "_profllm_positional() {\n	case $1 in\n");
	for (const struct cli_cmd *cmd = cli_cmds; cmd->name != NULL; cmd++) {
		auto_words words = { 0 };
		enum cli_follow follow = cli_words_of_command(cmd->options, &words);
		if (follow == CLI_FOLLOW_NOTHING)
			continue;
		pl_buf_addf(text, "	%s", cmd->name);
		add_follow(follow, &words, text);
	}
	pl_buf_add_text(text, "	esac\n}\n");
}

static void add_commands(struct pl_buf *text)
{
	auto_words words = { 0 };

	cli_words_of_command(NULL, &words);
	pl_buf_add_text(text, "_profllm_commands() {\n	echo '");
	cli_words_join(&words, text);
	pl_buf_add_text(text, " --help --version'\n}\n");
}

static void add_keys(const struct cli_words *keys, struct pl_buf *text)
{
	pl_buf_add_text(text, "_profllm_keys() {\n	echo '");
	for (size_t i = 0; i < keys->count; i++)
		pl_buf_addf(text, "%s%s=", i > 0 ? " " : "", keys->items[i].text);
	pl_buf_add_text(text, "'\n}\n_profllm_values() {\n	case $1 in\n");
	for (size_t i = 0; i < keys->count; i++) {
		if (keys->items[i].values[0] != '\0')
			pl_buf_addf(text, "	%s) echo '%s' ;;\n", keys->items[i].text,
				    keys->items[i].values);
	}
	pl_buf_add_text(text, "	esac\n}\n");
}

/* vLLM's flags, and what stands behind each that has a value. */
static void add_flags(struct pl_buf *text)
{
	auto_words flags = { 0 };

	cli_words_of_flags(&flags);
	pl_buf_add_text(text, "_profllm_takes_command() {\n	case $1 in\n");
	for (const struct cli_cmd *cmd = cli_cmds; cmd->name != NULL; cmd++) {
		if (cli_takes_command(cmd->options))
			pl_buf_addf(text, "	%s) return 0 ;;\n", cmd->name);
	}
	pl_buf_add_text(text, "	esac\n	return 1\n}\n_profllm_flags() {\n	echo '");
	cli_words_join(&flags, text);
	pl_buf_add_text(text, "'\n}\n_profllm_flag() {\n	case $1 in\n");
	for (size_t i = 0; i < flags.count; i++) {
		const struct cli_word *flag = &flags.items[i];
		if (!flag->is_alone)
			pl_buf_addf(text, "	%s) echo '%s %s' ;;\n", flag->text,
				    flag->values[0] != '\0' ? "words" : "either", flag->values);
	}
	pl_buf_add_text(text, "	esac\n}\n");
}

void cli_completion_tables(struct pl_buf *text)
{
	auto_words keys = { 0 };

	cli_words_of_keys(&keys);
	add_commands(text);
	add_options(text);
	add_option_values(text);
	add_positionals(text);
	add_keys(&keys, text);
	add_flags(text);
}

void cli_completion_bash(struct pl_buf *text)
{
	pl_buf_add_text(text, "# profllm's words for bash; made by `profllm completion bash`\n");
	cli_completion_tables(text);
	pl_buf_add_text(text, functions);
}
