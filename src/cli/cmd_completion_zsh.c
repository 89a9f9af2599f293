#include "cli/cmd_completion_priv.h"

#include "cli/cli.h"

static const char functions[] =
	"_profllm_follow() {\n"
	"	case $1 in\n"
	"	files) _files ;;\n"
	"	keys)\n"
	"		if [[ $PREFIX == *=* ]]; then\n"
	"			local key=${PREFIX%%=*}\n"
	"			compset -P '*='\n"
	"			compadd -- ${=$(_profllm_values $key)}\n"
	"		else\n"
	"			compadd -S '' -- ${=$(_profllm_keys)}\n"
	"		fi ;;\n"
	"	either*) compadd -- ${=1#either} || _files ;;\n"
	"	*) compadd -- ${=1#words} ;;\n"
	"	esac\n"
	"}\n"
	/* a server's command behind "--"; $1: how many words there */
	"_profllm_behind() {\n"
	"	local follow option\n"
	"	if (($1 == 1)); then\n"
	"		compadd -- vllm\n"
	"	elif (($1 == 2)) && [[ $words[CURRENT-1] == vllm ]]; then\n"
	"		compadd -- serve\n"
	"	elif [[ $PREFIX == --*=* ]]; then\n"
	"		option=${PREFIX%%=*}\n"
	"		compset -P 1 '*='\n"
	"		_profllm_follow \"$(_profllm_flag $option)\"\n"
	"	elif follow=$(_profllm_flag \"$words[CURRENT-1]\") && [[ -n $follow ]]; then\n"
	"		_profllm_follow $follow\n"
	"	elif [[ $PREFIX == -* ]]; then\n"
	"		compadd -- ${=$(_profllm_flags)}\n"
	"	else\n"
	"		_files\n"
	"	fi\n"
	"}\n"
	"_profllm() {\n"
	"	local follow option\n"
	"	local -a before=(\"${(@)words[1,CURRENT-1]}\")\n"
	"	local behind=${before[(i)--]}\n"
	"	if ((behind < CURRENT)) && _profllm_takes_command $words[2]; then\n"
	"		_profllm_behind $((CURRENT - behind))\n"
	"	elif ((CURRENT == 2)); then\n"
	"		_describe command _profllm_described\n"
	"	elif [[ $PREFIX == --*=* ]]; then\n"
	"		option=${PREFIX%%=*}\n"
	"		compset -P 1 '*='\n"
	"		_profllm_follow \"$(_profllm_option \"$words[2] $option\")\"\n"
	"	elif follow=$(_profllm_option \"$words[2] $words[CURRENT-1]\") && [[ -n $follow "
	"]]; then\n"
	"		_profllm_follow $follow\n"
	"	elif [[ $PREFIX == -* ]]; then\n"
	"		compadd -- ${=$(_profllm_options $words[2])}\n"
	"	else\n"
	"		follow=$(_profllm_positional $words[2])\n"
	"		[[ -n $follow ]] && _profllm_follow $follow\n"
	"	fi\n"
	"}\n"
	"compdef _profllm profllm\n";

void cli_completion_zsh(struct pl_buf *text)
{
	pl_buf_add_text(text, "#compdef profllm\n"
			      "# profllm's words for zsh; made by `profllm completion zsh`\n");
	cli_completion_tables(text);
	pl_buf_add_text(text, "typeset -ga _profllm_described=(\n");
	for (const struct cli_cmd *cmd = cli_cmds; cmd->name != NULL; cmd++) {
		auto_free char *line = pl_asprintf("%s:%s", cmd->name, cmd->summary);
		pl_buf_add_char(text, '\t');
		cli_words_quote(line, "'\\''", text);
		pl_buf_add_char(text, '\n');
	}
	pl_buf_add_text(text, ")\n");
	pl_buf_add_text(text, functions);
}
