#!/bin/sh
# Tries the packages on a bare root: `try.sh OLD NEW`, directories with packages, as root, with mmdebstrap. Installs,
# starts the server by the command line of its unit, submits, compiles programs with the libraries, runs examples of the
# clients for Python and Node, tests the documentation's pages, upgrades while the job runs, removes, installs again,
# purges. Such a root has no systemd, so this script starts and stops the server as systemd would.
set -eu

old=$(realpath "$1")
new=$(realpath "$2")
work=$(mktemp -d)
root=$work/root
pid=

fail() { printf 'try: %s\n' "$*" >&2; exit 1; }
step() { printf 'try: %s\n' "$*"; }
inside() { chroot "$root" env LC_ALL=C PATH=/usr/sbin:/usr/bin:/sbin:/bin "$@"; }

leave() {
	[ -z "$pid" ] || kill -KILL "$pid" 2>/dev/null || true
	umount "$root/proc" 2>/dev/null || true
	rm -rf --one-file-system "$work"
}
trap leave EXIT
trap 'exit 1' INT TERM

# The command line of the unit, as the user of the unit, until it says that it is ready.
start() {
	line=$(sed -n 's/^ExecStart=//p' "$root/lib/systemd/system/proofd.service" |
		sed 's|\${STATE_DIRECTORY}|/var/lib/proofd|g')
	user=$(sed -n 's/^User=//p' "$root/lib/systemd/system/proofd.service")
	[ -n "$line" ] && [ "$user" = proofd ] || fail "the unit has no command line or another user"
	rm -f "$work/ready"
	mkfifo "$work/ready"
	# shellcheck disable=SC2086
	inside setpriv --reuid "$user" --regid "$user" --init-groups $line >"$work/ready" 2>>"$work/log" &
	read -r ready <"$work/ready" || { cat "$work/log" >&2; fail "the server did not start"; }
	pid=$(printf '%s' "$ready" | sed 's/.*"pid":\([0-9]*\).*/\1/')
	printf '%s\n' "$ready" | grep -q "\"proofd\":\"" || fail "no ready line: $ready"
}

stop() {
	kill -TERM "$pid"
	wait || true
	pid=
}

# The first example of a language in a page.
example() { awk -v first="\`\`\`$1" '$0 == first { on = !done; next } /^```$/ { if (on) done = 1; on = 0 } on' "$2"; }

ctl() { inside proofctl "$@"; }
member() { ctl --json show "$1" | grep -o "\"$2\":\"\{0,1\}[a-z0-9]*" | head -n 1 | sed 's/.*[:"]//'; }

# Asks for the job until it runs and has that many nodes; prints how many.
until_nodes() {
	count=0
	try=0
	while [ "$(member "$1" state)" != running ] || [ "${count:-0}" -lt "$2" ]; do
		try=$((try + 1))
		[ "$try" -lt 2000 ] || fail "job $1 does not run, or has fewer than $2 nodes: $(ctl --json show "$1")"
		count=$(member "$1" level2)
	done
	printf '%s' "$count"
}

# What the packages depend on, without versions: apt installs it with the root, dpkg checks it.
needed=$(for deb in "$old"/*.deb "$new"/*.deb; do dpkg-deb -f "$deb" Depends; done |
	sed 's/([^)]*)//g; s/|[^,]*//g; s/ //g' | tr , '\n' | grep -vE '^(lib)?proofd' | sort -u | paste -sd, -)
needed=$needed,gcc,libc6-dev
suite=$(. /etc/os-release && printf '%s' "$VERSION_CODENAME")
step "a bare root of $suite with $needed"
mmdebstrap --quiet --variant=minbase --mode=root --include="$needed" "$suite" "$root" \
	"${APT_SOURCES:-/etc/apt/sources.list.d/debian.sources}"
mount -t proc proc "$root/proc"
mkdir "$root/packages"
cp "$old"/proofd_*.deb "$root/packages/old.deb"
cp "$new"/proofd_*.deb "$root/packages/new.deb"
mkdir "$root/packages/libraries" "$root/packages/clients"
cp "$new"/libproofd*.deb "$root/packages/libraries"
cp "$new"/proofd-doc_*.deb "$new"/python3-proofd_*.deb "$new"/node-proofd_*.deb "$root/packages/clients"

step "install"
inside dpkg -i /packages/old.deb >"$work/apt" 2>&1 || { cat "$work/apt" >&2; fail "the package cannot be installed"; }
[ "$(inside stat -c '%U %a' /var/lib/proofd)" = "proofd 700" ] || fail "/var/lib/proofd is not proofd's alone"
[ -f "$root/etc/proofd/proofd.conf" ] || fail "there is no /etc/proofd/proofd.conf"
for file in man8/proofd.8 man5/proofd.conf.5 man1/proofctl.1 man1/proofcheck.1; do
	[ -f "$root/usr/share/man/$file.gz" ] || fail "there is no manual page $file"
done
inside proofd --help >/dev/null

step "start by the unit's command line, submit"
start
job=$(ctl submit connect4:7x6)
ctl solve mnk:3,3,3 >/dev/null
ctl wait "$(ctl submit mnk:3,3,3)" >/dev/null
before=$(until_nodes "$job" 1000)

step "libraries: a program asks the server, another reads its directory"
inside sh -c 'dpkg -i /packages/libraries/*.deb' >"$work/apt" 2>&1 ||
	{ cat "$work/apt" >&2; fail "the libraries cannot be installed"; }
for name in libproofd libproofd-probe; do
	example c "$root/usr/share/doc/libproofd-dev/$name.md" >"$root/packages/$name.c"
	inside cc -Wall -Werror "/packages/$name.c" "-l${name#lib}" -o "/packages/$name"
done
inside /packages/libproofd >/dev/null || fail "the example of libproofd does not run"
inside /packages/libproofd-probe /var/lib/proofd mnk:3,3,3 "" | grep -q "value 0 to 0" ||
	fail "libproofd-probe does not find what the server has proved"
inside sh -c 'dpkg -P libproofd-dev libproofd0 libproofd-probe0' >/dev/null 2>&1

step "clients for Python and Node: examples of their pages"
inside sh -c 'dpkg -i /packages/clients/*.deb' >"$work/apt" 2>&1 ||
	{ cat "$work/apt" >&2; fail "the clients and the documentation cannot be installed"; }
example python "$root/usr/share/doc/python3-proofd/README.md" >"$root/packages/example.py"
inside python3 /packages/example.py | grep -q "^draw " || fail "the example of Python does not run"
for kind in cjs mjs; do
	example "$kind" "$root/usr/share/doc/node-proofd/README.md" >"$root/packages/example.$kind"
	inside node "/packages/example.$kind" | grep -qx draw || fail "the example.$kind of Node does not run"
done

step "documentation: links, search, narrow pages"
SITE=$root/usr/share/doc/proofd-doc/html python3 tests/clients/test_site.py . >"$work/site" 2>&1 ||
	{ cat "$work/site" >&2; fail "the documentation has faults"; }
inside dpkg -P proofd-doc python3-proofd node-proofd >/dev/null 2>&1

step "upgrade while job $job runs ($before nodes)"
echo "nice = 18" >>"$root/etc/proofd/proofd.conf"
inside dpkg -i /packages/new.deb >"$work/apt" 2>&1 || { cat "$work/apt" >&2; fail "the upgrade failed"; }
grep -q "nice = 18" "$root/etc/proofd/proofd.conf" || fail "the upgrade has lost a change of proofd.conf"
[ "$(member "$job" state)" = running ] || fail "the upgrade has stopped the job"
stop
start
after=$(until_nodes "$job" "$before")

step "kill in the middle, start again ($after nodes)"
kill -KILL "$pid"
wait || true
start
after=$(until_nodes "$job" "$before")
stop

step "remove: the data stay"
inside dpkg -r proofd >/dev/null 2>&1
[ -f "$root/var/lib/proofd/work.mdb" ] || fail "remove has deleted the data"
[ -f "$root/etc/proofd/proofd.conf" ] || fail "remove has deleted proofd.conf"
[ ! -e "$root/usr/bin/proofd" ] || fail "remove has left the program"

step "purge: the data stay, and it says so"
inside dpkg -P proofd >"$work/apt" 2>&1
grep -q "/var/lib/proofd are kept" "$work/apt" || fail "purge does not say that the data are kept"
[ -f "$root/var/lib/proofd/work.mdb" ] || fail "purge has deleted the data"
[ ! -e "$root/etc/proofd" ] || fail "purge has left /etc/proofd"

step "install again: the job goes on"
inside dpkg -i /packages/new.deb >/dev/null 2>&1
start
until_nodes "$job" "$before" >/dev/null
stop

step "purge without data leaves no directory"
find "$root/var/lib/proofd" -mindepth 1 -delete
inside dpkg -P proofd >/dev/null 2>&1
[ ! -e "$root/var/lib/proofd" ] || fail "purge has left an empty directory"
left=$(find "$root/usr" "$root/etc" "$root/lib" -name '*proof*' -not -path '*/dpkg/*' | head)
[ -z "$left" ] || fail "purge has left $left"
step "all is well"
