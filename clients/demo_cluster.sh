# The demonstration behind `./dev demo-cluster`, sourced by ./dev after demo.sh: demo_cluster BUILD_DIRECTORY.
#
# A NATS server, a daemon and three workers on this machine; in the middle of a search a worker is killed, then the NATS
# server, which comes back after two seconds. The answer must be right and the directory without a fault.

CLUSTER_GAME=connect4:6x5
CLUSTER_VALUE=draw # as published

cluster_end() {
	local pid
	for pid in $CLUSTER_PIDS; do
		kill -KILL "$pid" 2>/dev/null || true
		wait "$pid" 2>/dev/null || true
	done
	rm -rf "$DEMO_DIR"
}

# Waits up to a minute for a line of a file.
cluster_until() {
	local try
	for try in $(seq 600); do
		! grep -qE "$2" "$1" || return 0
		sleep 0.1
	done
	demo_fail "$3"
}

cluster_nats() {
	"$CLUSTER_NATS" -a 127.0.0.1 -p "$CLUSTER_PORT" >>"$DEMO_DIR/nats.log" 2>&1 &
	CLUSTER_ENGINE=$!
	CLUSTER_PIDS="$CLUSTER_PIDS $CLUSTER_ENGINE"
}

cluster_worker() {
	"$DEMO_BIN/proofd" worker --join "$CLUSTER_URL" --threads 1 --worker-key "$DEMO_DIR/key" --name "$1" \
		>>"$DEMO_DIR/$1.log" 2>&1 &
	CLUSTER_WORKER=$!
	CLUSTER_PIDS="$CLUSTER_PIDS $CLUSTER_WORKER"
}

demo_cluster() {
	local job name line
	DEMO_BIN=$1
	DEMO_DIR=$(mktemp -d)
	CLUSTER_PIDS=""
	CLUSTER_NATS=$(PATH=$PATH:/usr/sbin command -v nats-server) || fail "nats-server is not installed"
	CLUSTER_PORT=$(python3 -c 'import socket
s = socket.socket()
s.bind(("127.0.0.1", 0))
print(s.getsockname()[1])')
	CLUSTER_URL=nats://127.0.0.1:$CLUSTER_PORT
	trap cluster_end EXIT
	trap 'exit 1' INT TERM
	(umask 077 && openssl rand -hex 32 >"$DEMO_DIR/key")

	demo_tell "A NATS server, a daemon that has workers, and three of these"
	cluster_nats
	exec 3< <(exec "$DEMO_BIN/proofd" --data "$DEMO_DIR/data" --listen 127.0.0.1:0 --threads 1 \
		--workers "$CLUSTER_URL" --worker-key "$DEMO_DIR/key" --verify 10 2>>"$DEMO_DIR/log")
	CLUSTER_DAEMON=$!
	CLUSTER_PIDS="$CLUSTER_PIDS $CLUSTER_DAEMON"
	read -r -t 60 line <&3 || demo_fail "the daemon does not start"
	PROOFD_SERVER=$(printf '%s' "$line" | demo_json listen)
	export PROOFD_SERVER
	for name in one two three; do
		cluster_worker "$name"
		cluster_until "$DEMO_DIR/log" "worker .*\($name\) is there" "worker $name does not get through"
		printf 'worker %s is there\n' "$name"
	done

	demo_tell "A question"
	job=$(demo_run submit $CLUSTER_GAME | tail -n 1)
	printf 'job %s: the value of %s\n' "$job" $CLUSTER_GAME
	sleep 2
	demo_tell "After two seconds worker three is killed"
	kill -KILL "$CLUSTER_WORKER"
	wait "$CLUSTER_WORKER" 2>/dev/null || true
	sleep 2
	demo_tell "After two more the NATS server is killed as well; it comes back after two seconds"
	kill -KILL "$CLUSTER_ENGINE"
	wait "$CLUSTER_ENGINE" 2>/dev/null || true
	cluster_until "$DEMO_DIR/log" "connection .* is lost" "the daemon does not see that the NATS server is gone"
	sleep 2
	cluster_nats
	"$DEMO_BIN/proofctl" wait "$job" >"$DEMO_DIR/answer" 2>&1 || demo_fail "the job was not solved"

	demo_tell "What the daemon says of it"
	grep -E "cluster|worker|solved" "$DEMO_DIR/log" | sed 's/^[^ ]* //'
	grep -qw "$CLUSTER_VALUE" "$DEMO_DIR/answer" ||
		demo_fail "the answer is wrong: $(cat "$DEMO_DIR/answer"); $CLUSTER_VALUE is right"
	printf '\nthe answer is right: %s\n' "$CLUSTER_VALUE"

	demo_tell "Every fact on the disk is checked"
	kill -TERM "$CLUSTER_DAEMON"
	while kill -0 "$CLUSTER_DAEMON" 2>/dev/null; do sleep 0.1; done
	demo_run check "$DEMO_DIR/data" || demo_fail "the check has found something"
	demo_tell "All is well"
}
