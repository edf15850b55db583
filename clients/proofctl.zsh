#compdef proofctl
# TAB completion of proofctl for zsh: a file _proofctl in a directory of $fpath. What may follow comes from
# `proofctl complete`.

_proofctl() {
	local line value what
	local -a plain open
	local files= dirs=
	for line in ${(f)"$(proofctl complete -- "${(@Q)words[2,CURRENT]}" 2>/dev/null)"}; do
		case $line in
		:files) files=1 ;;
		:dirs) dirs=1 ;;
		*)
			value=${line%%$'\t'*}
			what=${${line#$value}#$'\t'}
			value=${value//:/\\:}
			if [[ $value == *= ]]; then open+=("$value:$what"); else plain+=("$value:$what"); fi
			;;
		esac
	done
	(( $#plain )) && _describe -t words word plain
	(( $#open )) && _describe -t options option open -S ''
	[[ -n $files ]] && _files
	[[ -n $dirs ]] && _files -/
	return 0
}

_proofctl "$@"
