#compdef @program@
# @program@'s completion for zsh: the program says what can follow
@name@() {
	local -a lines shown flags
	lines=("${(@f)$(PROFLLM_PARAMS_OVERLAY=${_profllm_overlay-$PROFLLM_PARAMS_OVERLAY} \
		${~words[1]} complete "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)}")
	if [[ $lines[1] == :files* ]]; then
		[[ $lines[1] == *= ]] && compset -P 1 '*='
		_files
	else
		shown=(${lines/$'\t'/  -- })
		[[ $lines[1] == *$'\t'* ]] && flags=(-l)
		[[ ${lines[1]%%$'\t'*} == *= ]] && flags+=(-S '')
		compadd "${flags[@]}" -d shown -- ${lines%%$'\t'*}
	fi
}
# a directory of functions has this file as @name@: the first call defines it
if [[ $funcstack[1] == @name@ ]]; then
	@name@ "$@"
else
	compdef @name@ @program@
fi
