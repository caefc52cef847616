#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# ternload can fail: through a proxy that breaks what one client is sent, it exits 1 and names the
# client and the prefix. Without a fault the same set-up exits 0. The same with add-path, and what can be
# wrong there alone.
#
# TERN_DAEMON: the daemon under test, bird2 or a path to ternd; default: ternd of the build folder,
# else bird2. Exit status 77: there is none.
set -u
src=${TERN_SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
build=${TERN_BUILDDIR:-.}
load=$build/ternload
client=127.0.1.2
daemon_pid=
proxy_pid=

if [ -z "${TERN_DAEMON:-}" ]; then
	if [ -x "$build/ternd" ]; then
		TERN_DAEMON=$build/ternd
	else
		TERN_DAEMON=bird2
	fi
fi
case $TERN_DAEMON in
bird2) kind=bird2 TERN_DAEMON=$(command -v bird || echo /usr/sbin/bird) ;;
*) kind=tern ;;
esac
if [ ! -x "$load" ] || [ ! -x "$TERN_DAEMON" ] || ! command -v python3 >/dev/null; then
	echo "test_ternload_fails: ternload, a daemon and python3 are needed"
	exit 77
fi

dir=$(mktemp -d)
stop()
{
	for p in $daemon_pid $proxy_pid; do
		kill "$p" 2>/dev/null
		wait "$p" 2>/dev/null
	done
	daemon_pid=
	proxy_pid=
}
trap 'stop; rm -rf "$dir"' EXIT
trap 'exit 1' INT TERM HUP

# Two ports that nobody listens on now, and none of those that the system gives to connections.
# shellcheck disable=SC2046 # two words
set -- $(PYTHONPATH="$src/test/lib" python3 -B -c '
import random, ports
port = ports.first_free(random.sample(range(20000, 32000), 1000))
print(port, ports.first_free(p for p in random.sample(range(20000, 32000), 1000) if p != port))')
port=$1 proxy_port=$2
options="--clients 4 --nets 400 --ratio 2 --seed 7"

wait_port()
{
	PYTHONPATH="$src/test/lib" python3 -B -c '
import socket, sys, waits
def listens():
    with socket.socket() as s: return s.connect_ex(("127.0.0.1", int(sys.argv[1]))) == 0
sys.exit(not waits.happens(listens))' "$1"
}

proxy_options=
# play FAULT TIME-LIMIT - one run through the proxy; its exit status.
play()
{
	# shellcheck disable=SC2086 # several options
	"$load" $options --port "$port" --conf "$kind" --run-dir "$dir" >"$dir/conf" || return 2
	"$TERN_DAEMON" -f -c "$dir/conf" -s "$dir/ctl" -P "$dir/pid" >"$dir/daemon.out" 2>&1 &
	daemon_pid=$!
	python3 "$src/test/net/proxy.py" --listen "$proxy_port" --to "$port" \
		--client "$client" --fault "$1" $proxy_options >"$dir/faults" 2>"$dir/proxy.err" &
	proxy_pid=$!
	wait_port "$port" && wait_port "$proxy_port" || return 2
	# shellcheck disable=SC2086 # several options
	"$load" $options --port "$proxy_port" --do announce,settle=300,churn=100,settle=300 \
		--time-limit "$2" --report 100000 --quiet >"$dir/json" 2>"$dir/err"
	status=$?
	stop # then the proxy says what it withheld
	return $status
}

failed=0
say_failed()
{
	echo "test_ternload_fails: $*"
	sed 's/^/    /' "$dir/err" "$dir/daemon.out" "$dir/proxy.err" | head -20
	failed=1
}

# try_faults WHAT FAULT... - none first, then each.
try_faults()
{
	what=$1
	shift
	play none 20 || say_failed "$what, without a fault: exit status $?"
	for fault in "$@"; do
		# shellcheck disable=SC2086 # several words
		play $fault 6 # BIRD 2.0.12 at times rests for 3 s
		status=$?
		[ $status -eq 1 ] || say_failed "$what, $fault: exit status $status, not 1"
		# At least one of the prefixes that were broken is named together with the client.
		named=0
		while read -r _ c prefix; do
			grep -qE "client $c \(AS [0-9]+\): ((missing|extra|wrong) $prefix\$|.* first $prefix path id)" \
				"$dir/err" && named=$((named + 1))
		done <"$dir/faults"
		[ $named -gt 0 ] || say_failed "$what, $fault: client and prefix aren't named"
		others=$(grep 'client ' "$dir/err" | grep -vc "client $client ")
		[ "$others" -eq 0 ] || say_failed "$what, $fault: $others differences of other clients"
	done
}

try_faults "one path" drop community repeat withhold
options="$options --add-paths tx"
proxy_options=--ids
try_faults "add-path" drop double other unknown
# Nor does it succeed if nobody can read what it says.
"$load" --clients 2 --conf tern >/dev/full 2>"$dir/err" && say_failed "a full disk: exit status 0"
grep -q 'could not be written: No space left' "$dir/err" || say_failed "a full disk: it doesn't say so"
exit $failed
