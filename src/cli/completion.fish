# profllm's completion for fish: the program says what can follow
function __profllm_answer
	set -l words (commandline -opc)
	set -l program (string replace -r '^~/' $HOME/ -- $words[1])
	set -e words[1]
	set -l word (commandline -ct)
	set -q _profllm_overlay; and set -lx PROFLLM_PARAMS_OVERLAY $_profllm_overlay
	$program complete $words "$word" 2>/dev/null
end
complete -c profllm -f -a '(__profllm_answer | string match -v ":files*")'
complete -c profllm -n '__profllm_answer | string match -q ":files*"' -F
