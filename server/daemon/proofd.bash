# TAB completion of proofd for bash: source this file. The options and their values come from proofd itself.

_proofd() {
	local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command=() help values
	[ "$COMP_CWORD" -gt 1 ] && [ "${COMP_WORDS[1]}" = worker ] && command=(worker)
	help=$(proofd "${command[@]}" --help 2>/dev/null)
	if [ "${word#-}" != "$word" ]; then
		mapfile -t COMPREPLY < <(compgen -W "$(sed -n 's/^  \(--[a-z-]*\).*/\1/p' <<<"$help")" -- "$word")
		return 0
	fi
	if [ "$COMP_CWORD" -eq 1 ]; then
		mapfile -t COMPREPLY < <(compgen -W worker -- "$word")
		return 0
	fi
	values=$(sed -n "s/^  $before \([^ ]*\).*/\1/p" <<<"$help")
	case $values in
	DIR) mapfile -t COMPREPLY < <(compgen -d -- "$word") ;;
	*'|'*) mapfile -t COMPREPLY < <(compgen -W "${values//|/ }" -- "$word") ;;
	FILE | PATH | PROGRAM) mapfile -t COMPREPLY < <(compgen -f -- "$word") ;;
	esac
}

complete -o filenames -F _proofd proofd
