# TAB completion of proofctl for bash: source this file. Commands and options come from proofctl itself.

_proofctl() {
	local word=${COMP_WORDS[COMP_CWORD]} list
	if [ "$COMP_CWORD" -eq 1 ]; then
		list=$(proofctl help 2>/dev/null | sed -n 's/^  proofctl \([a-z-]*\).*/\1/p')
	elif [ "$COMP_CWORD" -eq 2 ] && [ "${COMP_WORDS[1]}" = help ]; then
		list=$(proofctl help 2>/dev/null | sed -n 's/^  proofctl \([a-z-]*\).*/\1/p')
	elif [ "${word#-}" != "$word" ]; then
		list=$(proofctl help "${COMP_WORDS[1]}" 2>/dev/null | sed -n 's/^  \(--[a-z-]*\).*/\1/p')
	else
		return 0
	fi
	mapfile -t COMPREPLY < <(compgen -W "$list" -- "$word")
}

complete -o default -F _proofctl proofctl
