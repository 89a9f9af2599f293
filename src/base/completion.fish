# @program@'s completion for fish: the program says what can follow
function _@name@_answer
	set -l words (commandline -opc)
	set -l program (string replace -r '^~/' $HOME/ -- $words[1])
	set -e words[1]
	set -l word (commandline -ct)
	set -q _profllm_overlay; and set -lx PROFLLM_PARAMS_OVERLAY $_profllm_overlay
	$program complete $words "$word" 2>/dev/null
end
complete -c @program@ -f -a '(_@name@_answer | string match -v ":files*")'
complete -c @program@ -n '_@name@_answer | string match -q ":files*"' -F
