#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Recorded updates replayed by ternload, in the order of the file and shuffled between peers: what
# the daemon then shows is, route by route and attribute by attribute, what bgpdump reads in the file,
# and the best routes are those of mrt_expect.py's own decision.
#
# TERN_DAEMON: bird2 or a path to ternd; default: ternd of the build folder, else bird2. TERN_MRT: a
# recorded file instead of one that is made; TERN_MRT_EXPECT: its "routes,nets". Exit status 77:
# something needed isn't there.
set -u
src=${TERN_SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
build=${TERN_BUILDDIR:-.}
load=$build/ternload
daemon_pid=

if [ -z "${TERN_DAEMON:-}" ]; then
	if [ -x "$build/ternd" ]; then
		TERN_DAEMON=$build/ternd
	else
		TERN_DAEMON=bird2
	fi
fi
case $TERN_DAEMON in
bird2)
	kind=bird2
	TERN_DAEMON=$(command -v bird || echo /usr/sbin/bird)
	control=$(command -v birdc || echo /usr/sbin/birdc)
	;;
*)
	kind=tern
	control=${TERN_CONTROL:-$build/ternc}
	;;
esac
for need in "$load" "$TERN_DAEMON" "$control" python3 bgpdump; do
	if ! command -v "$need" >/dev/null; then
		echo "test_mrt: $need is needed"
		exit 77
	fi
done

dir=$(mktemp -d)
stop()
{
	[ -z "$daemon_pid" ] || kill "$daemon_pid" 2>/dev/null
	[ -z "$daemon_pid" ] || wait "$daemon_pid" 2>/dev/null
	daemon_pid=
}
trap 'stop; rm -rf "$dir"' EXIT
trap 'exit 1' INT TERM HUP

mrt=${TERN_MRT:-$dir/mrt}
[ -n "${TERN_MRT:-}" ] || python3 "$src/test/net/make_mrt.py" "$mrt" || exit 1
port=$(python3 -c '
import socket
s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')

replay()
{
	"$load" --mrt "$mrt" --port "$port" --conf "$kind" --run-dir "$dir" >"$dir/conf" || return 1
	"$TERN_DAEMON" -f -c "$dir/conf" -s "$dir/ctl" -P "$dir/pid" >"$dir/daemon.out" 2>&1 &
	daemon_pid=$!
	"$load" --mrt "$mrt" --port "$port" --quiet --time-limit 60 "$@" \
		--then "'$control' -s '$dir/ctl' show route all >'$dir/routes'" \
		>"$dir/json" 2>"$dir/err"
	status=$?
	stop
	if [ $status -ne 0 ]; then
		echo "test_mrt: ternload $* exited $status"
		head -20 "$dir/err" "$dir/daemon.out"
		return 1
	fi
	python3 "$src/test/net/mrt_expect.py" --mrt "$mrt" --routes "$dir/routes" \
		${TERN_MRT_EXPECT:+--expect "$TERN_MRT_EXPECT"} >"$dir/compared" && return 0
	echo "test_mrt: after ternload $*:"
	cat "$dir/compared"
	return 1
}

replay || exit 1
replay --shuffle 1 || exit 1
replay --shuffle 2
