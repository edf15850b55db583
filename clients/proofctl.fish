# TAB completion of proofctl for fish. What may follow comes from `proofctl complete`.

function __proofctl_complete
	set -l words (commandline -opc) (commandline -ct)
	for line in (proofctl complete -- $words[2..-1] 2>/dev/null)
		switch $line
			case :files
				__fish_complete_path (commandline -ct)
			case :dirs
				__fish_complete_directories (commandline -ct)
			case '*'
				echo $line
		end
	end
end

complete -c proofctl -f -a '(__proofctl_complete)'
