# The demonstration behind `./dev demo`, sourced by ./dev: demo BUILD_DIRECTORY.
#
# It shows what proofd is for, on a question that takes some seconds: a job that survives the sudden end of its server,
# an answer that can be asked for afterwards, and proofs that can be checked. It fails when anything comes out other
# than it must. It ends only the processes that it started, by their numbers, and leaves nothing behind.

DEMO_GAME=mnk:5,5,4  # four in a row on five by five squares
DEMO_VALUE=draw      # as published
DEMO_KILL_S=6        # seconds of search before the server is killed

demo_tell() { printf '\n\033[1m%s\033[0m\n' "$*" | if [ -t 1 ]; then cat; else sed 's/\x1b\[[0-9]*m//g'; fi; }
demo_run() {
	local word
	printf '$ proofctl'
	for word in "$@"; do
		case $word in
		"" | *" "*) printf " '%s'" "$word" ;;
		*) printf ' %s' "$word" ;;
		esac
	done
	printf '\n'
	"$DEMO_BIN/proofctl" "$@"
}

demo_fail() {
	printf 'demo: %s\n' "$*" >&2
	[ ! -s "$DEMO_DIR/log" ] || tail -n 20 "$DEMO_DIR/log" >&2
	exit 1
}

# Starts the server and waits for the line that says where it listens.
demo_start() {
	local ready=""
	printf '$ proofd --data %s --listen 127.0.0.1:0\n' "$DEMO_DIR/data"
	exec 3< <(exec "$DEMO_BIN/proofd" --data "$DEMO_DIR/data" --listen 127.0.0.1:0 --threads 1 --log warn \
		2>>"$DEMO_DIR/log")
	DEMO_SERVER=$!
	read -r -t 30 ready <&3 || demo_fail "the server does not start"
	printf '%s\n' "$ready"
	PROOFD_SERVER=$(printf '%s' "$ready" | demo_json listen)
	export PROOFD_SERVER
}

# A member of the object on stdin: demo_json NAME...
demo_json() {
	python3 -c 'import json, sys
value = json.load(sys.stdin)
for name in sys.argv[1:]:
    value = value[name]
print(value)' "$@"
}

demo_end() {
	[ -z "$DEMO_SERVER" ] || kill -KILL "$DEMO_SERVER" 2>/dev/null || true
	[ -z "$DEMO_KILLER" ] || kill "$DEMO_KILLER" 2>/dev/null || true
	rm -rf "$DEMO_DIR"
}

demo_crash() {
	demo_tell "Its progress. After $DEMO_KILL_S seconds the server is killed with SIGKILL," \
		"as a power cut would end it."
	(
		sleep "$DEMO_KILL_S" &
		trap 'kill $!' TERM
		wait $!
		kill -KILL "$DEMO_SERVER"
	) &
	DEMO_KILLER=$!
	demo_run watch "$job" --interval 1 || true
	wait "$DEMO_KILLER" 2>/dev/null || true
	DEMO_KILLER=""
	wait "$DEMO_SERVER" 2>/dev/null || true
	DEMO_SERVER=""
	exec 3<&-
}

demo_resume() {
	local shown nodes
	demo_tell "Started again on the same directory, it goes on by itself: the same job, not from the beginning."
	demo_start
	shown=$("$DEMO_BIN/proofctl" show "$job" --json)
	nodes=$(printf '%s' "$shown" | demo_json nodes level2)
	printf 'job %s: restarts %s, %s nodes searched already, in %s seconds\n' \
		"$(printf '%s' "$shown" | demo_json job)" "$(printf '%s' "$shown" | demo_json restarts)" \
		"$nodes" "$(printf '%s' "$shown" | demo_json seconds)"
	[ "$(printf '%s' "$shown" | demo_json restarts)" = 1 ] ||
		demo_fail "the job does not know that it was restarted"
	[ "$nodes" -gt 0 ] || demo_fail "the job begins again"
	demo_run watch "$job" --interval 1 || demo_fail "the job did not end with an answer"
	shown=$("$DEMO_BIN/proofctl" show "$job" --json | demo_json result value text)
	[ "$shown" = "$DEMO_VALUE" ] || demo_fail "the answer is '$shown', and '$DEMO_VALUE' is right"
	printf 'That is right: %s is known to be a %s.\n' "$DEMO_GAME" "$DEMO_VALUE"
}

demo_ask() {
	demo_tell "What it has proved can be asked for, position by position, by any program (proto/PROTOCOL.md)."
	demo_run query "$DEMO_GAME" "" "a1" "c3 b2" "c3 b3 b2" || demo_fail "the query failed"
	demo_run query "$DEMO_GAME" --moves --json | cut -c1-100 | sed 's/$/.../'
	demo_run line "$DEMO_GAME" || demo_fail "there is no line"
}

demo_check() {
	demo_tell "It stops on SIGTERM, and every proof in its directory can be checked without it."
	kill -TERM "$DEMO_SERVER"
	wait "$DEMO_SERVER" || demo_fail "the server did not stop well"
	DEMO_SERVER=""
	exec 3<&-
	demo_run check "$DEMO_DIR/data" || demo_fail "the check found problems"
}

demo() {
	local job
	DEMO_BIN=$1
	DEMO_DIR=$(mktemp -d)
	DEMO_SERVER=""
	DEMO_KILLER=""
	trap demo_end EXIT
	trap 'exit 130' INT TERM
	demo_tell "A proof server on a fresh data directory"
	demo_start
	demo_tell "A question: four in a row on a board of five by five squares, who wins?"
	job=$("$DEMO_BIN/proofctl" submit "$DEMO_GAME")
	printf '$ proofctl submit %s\n%s\n' "$DEMO_GAME" "$job"
	demo_crash
	demo_resume
	demo_ask
	demo_check
	demo_tell "That is all: killed in the middle, and it answered rightly."
}
