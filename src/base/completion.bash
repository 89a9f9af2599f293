# @program@'s completion for bash: the program says what can follow
@name@() {
	local word words=() cut= text help file
	# bash splits words at '=' and ':'; joined again they are as they were written
	for word in "${COMP_WORDS[@]:1:COMP_CWORD}"; do
		if ((${#words[@]})) && [[ $word == [=:] || ${words[-1]} == *[=:] ]]; then
			words[-1]+=$word
		else
			words+=("$word")
		fi
	done
	word=${words[-1]} COMPREPLY=()
	[[ $word == *[=:]* && $COMP_WORDBREAKS == *[=:]* ]] && cut=${word%"${word##*[=:]}"}
	while IFS=$'\t' read -r text help; do
		if [[ $text == :files ]]; then
			compopt -o filenames 2>/dev/null
			while read -r file; do
				file=$help$file
				COMPREPLY+=("${file#"$cut"}")
			done < <(compgen -f -- "${word#"$help"}")
		elif [[ $text == "$word"* ]]; then
			[[ $text == *= ]] && compopt -o nospace 2>/dev/null
			COMPREPLY+=("${text#"$cut"}")
		fi
	done < <(PROFLLM_PARAMS_OVERLAY=${_profllm_overlay-$PROFLLM_PARAMS_OVERLAY} \
		"${COMP_WORDS[0]/#\~/$HOME}" complete "${words[@]}" 2>/dev/null)
}
complete -F @name@ @program@
