# TAB completion of proofctl for bash: source this file. What may follow comes from `proofctl complete`.

_proofctl() {
	local line words word own before list candidate
	line=${COMP_LINE:+${COMP_LINE:0:COMP_POINT}}
	line=${line:-${COMP_WORDS[*]:0:COMP_CWORD + 1}}
	read -ra words <<<"$line"
	[ "$line" = "${line%[[:blank:]]}" ] || words+=("")
	word=${words[${#words[@]} - 1]}
	# bash ends words at colons and equals signs, and replaces only what stands behind the last one.
	own=${COMP_WORDS[COMP_CWORD]}
	case $own in : | =) own= ;; esac
	before=${word%"$own"}
	mapfile -t list < <(proofctl complete -- "${words[@]:1}" 2>/dev/null)
	COMPREPLY=()
	for candidate in "${list[@]}"; do
		case $candidate in
		:files) mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -- "$own") ;;
		:dirs) mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -d -- "$own") ;;
		*)
			candidate=${candidate%%$'\t'*}
			case $candidate in *=) compopt -o nospace 2>/dev/null ;; esac
			COMPREPLY+=("${candidate#"$before"}")
			;;
		esac
	done
}

complete -o filenames -F _proofctl proofctl
