#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# ternc and birdc say the same, octet by octet and by exit status, of the same daemon: bird2.
set -u
. "$(dirname "$0")/../lib/wait.sh"
build=$(cd "${TERN_BUILDDIR:-.}" && pwd) || exit 1
bird=$(command -v bird || ls /usr/sbin/bird 2>/dev/null)
birdc=$(command -v birdc || ls /usr/sbin/birdc 2>/dev/null)
if [ -z "$bird" ] || [ -z "$birdc" ]; then
	echo "bird2 is not installed"
	exit 77
fi
dir=$(mktemp -d "${TMPDIR:-/tmp}/tern-ternc.XXXXXX") || exit 1
daemon=
failed=0

clean_up() {
	[ -z "$daemon" ] || kill "$daemon" 2>/dev/null
	[ -z "$daemon" ] || wait "$daemon" 2>/dev/null
	rm -rf "$dir"
}
trap clean_up EXIT
trap 'exit 1' INT TERM HUP

cat >"$dir/conf" <<'EOF'
router id 10.0.0.1;
log stderr { warning, error, fatal, bug };
timeformat base iso long;
timeformat route iso long;
timeformat protocol iso long;
protocol device { }
protocol static s1 {
	ipv4;
	route 10.1.0.0/16 blackhole;
	route 10.2.0.0/16 unreachable { bgp_path.prepend(65001); bgp_community.add((1,2)); };
	route 10.2.3.0/24 blackhole;
}
filter f_in { accept; }
template bgp rsc {
	local 127.0.0.1 port 24179 as 65000;
	strict bind on; passive; multihop; rs client;
	ipv4 { import filter f_in; export all; };
}
protocol bgp p0 from rsc { neighbor 127.0.1.1 as 65001; }
protocol bgp p1 from rsc { neighbor 127.0.1.2 as 65002; description "the other"; disabled; }
EOF
"$bird" -f -c "$dir/conf" -s "$dir/ctl" -P "$dir/pid" &
daemon=$!
# It answers, or it has ended.
started() {
	! kill -0 "$daemon" 2>/dev/null ||
		{ [ -S "$dir/ctl" ] && timeout 5 "$birdc" -s "$dir/ctl" show status >/dev/null 2>&1; }
}
if ! wait_until 40 started || ! kill -0 $daemon 2>/dev/null; then
	echo "bird2 does not start"
	exit 1
fi

# Times of now are the only thing that may differ.
untimed() {
	sed 's/^\( *Current server time is\) .*/\1 NOW/; s/^\(1011-Current server time is\) .*/\1 NOW/'
}

# same SOCKET ARGUMENT... - both clients with these arguments.
same() {
	sock=$1
	shift
	timeout 20 "$birdc" -s "$sock" "$@" </dev/null >"$dir/a.raw" 2>"$dir/a.err"
	a=$?
	timeout 20 "$build/ternc" -s "$sock" "$@" </dev/null >"$dir/b.raw" 2>"$dir/b.err"
	b=$?
	untimed <"$dir/a.raw" >"$dir/a"
	untimed <"$dir/b.raw" >"$dir/b"
	if [ $a -ne $b ] || ! cmp -s "$dir/a" "$dir/b"; then
		echo "FAIL $*: birdc $a, ternc $b"
		diff "$dir/a" "$dir/b" | head -20
		cat "$dir/b.err"
		failed=$((failed + 1))
	fi
}

cat >"$dir/commands" <<'EOF'
show status
show protocols
show protocols all
show protocols p0
show protocols all p1
sh pr
sh pr a
show protocols nosuch
show route
show route all
show route count
sh r
show route 10.2.0.0/16
show route 10.2.0.0/16 all
show route for 10.2.3.4
show route for 192.0.2.1
show route table master4
show route table nosuch
show route protocol s1 all
show route primary count
show route where net.len > 20
show route filter { if net ~ [ 10.0.0.0/8+ ] then accept; reject; } all
show route export p0
show route noexport p0
show route filtered
show interfaces
show interfaces summary
show symbols
show symbols p0
show memory
show static
show bfd sessions
show ospf
show
show nosuch
nosuch
SHOW STATUS
show status nonsense
configure check
configure check "/nonexistent"
eval 1 + 2
eval "a  b"
disable p1
restart p1
configure status
restrict
EOF
while IFS= read -r command; do
	# shellcheck disable=SC2086 # words, as typed
	same "$dir/ctl" $command
	# shellcheck disable=SC2086
	same "$dir/ctl" -v $command
	# shellcheck disable=SC2086
	same "$dir/ctl" -r $command
done <"$dir/commands"
same "$dir/ctl" "show   protocols"
same "$dir/ctl" -r -v down
same "$dir/nosuch" show status
cp /dev/null "$dir/file"
same "$dir/file" show status

# Why it can't connect.
says() {
	"$build/ternc" -s "$1" show status >/dev/null 2>"$dir/err" && echo "FAIL $1: status 0" && failed=$((failed + 1))
	grep -q "$2" "$dir/err" || { echo "FAIL $1: no '$2' in: $(cat "$dir/err")"; failed=$((failed + 1)); }
}
says "$dir/nosuch" "does not run"
says "$dir/file" "left behind"
if [ "$(id -u)" -eq 0 ]; then
	chmod 755 "$dir"
	chmod 600 "$dir/ctl"
	cp "$build/ternc" "$dir/ternc" && chmod 755 "$dir/ternc"
	setpriv --reuid 65534 --clear-groups "$dir/ternc" -s "$dir/ctl" show status >/dev/null 2>"$dir/err" &&
		{ echo "FAIL: nobody may connect"; failed=$((failed + 1)); }
	grep -q "may not use" "$dir/err" || { echo "FAIL: permission: $(cat "$dir/err")"; failed=$((failed + 1)); }
fi

# Commands from a pipe: no prompt, no echo; 1 if any of them failed.
printf 'show route count\n\n# nothing\nsh sta' | "$build/ternc" -s "$dir/ctl" >"$dir/out" && failed=$((failed + 1))
printf 'show nosuch\nshow route count\n' | "$build/ternc" -s "$dir/ctl" >"$dir/out" &&
	{ echo "FAIL: status of commands from a pipe, of which the first failed"; failed=$((failed + 1)); }
printf 'show route count\nquit\nshow nosuch\n' | "$build/ternc" -s "$dir/ctl" >"$dir/out" ||
	{ echo "FAIL: status of commands from a pipe"; failed=$((failed + 1)); }
if grep -q -e 'tern>' -e 'show' "$dir/out" || ! grep -q '^Total: 3 of 3' "$dir/out" ||
	grep -q "Daemon is up" "$dir/out"; then
	echo "FAIL: output of commands from a pipe:"
	cat "$dir/out"
	failed=$((failed + 1))
fi

# --version and --help beside other options.
"$build/ternc" -s /nonexistent -v --version | grep -q '^ternc (tern ' ||
	{ echo "FAIL: --version"; failed=$((failed + 1)); }
"$build/ternc" -r --help | grep -q '^Usage: ternc' || { echo "FAIL: --help"; failed=$((failed + 1)); }

# watch: again and again, until nobody reads, and no more when the command fails.
timeout 20 "$build/ternc" -s "$dir/ctl" watch 1 show status | { head -22 >"$dir/out"; }
[ "$(grep -c '^BIRD' "$dir/out")" -ge 2 ] || { echo "FAIL: watch: $(cat "$dir/out")"; failed=$((failed + 1)); }
timeout 20 "$build/ternc" -s "$dir/ctl" watch 1 show nosuch >"$dir/out" &&
	{ echo "FAIL: watch of what fails"; failed=$((failed + 1)); }
grep -q "No such command" "$dir/out" || { echo "FAIL: watch: $(cat "$dir/out")"; failed=$((failed + 1)); }
for bad in 'watch' 'watch x show status' 'watch 0 show status' 'watch 2' 'watch 1 watch 1 show status'; do
	# shellcheck disable=SC2086 # several words
	timeout 20 "$build/ternc" -s "$dir/ctl" $bad >"$dir/out" && { echo "FAIL: $bad"; failed=$((failed + 1)); }
done

# The daemon's end is noticed.
timeout 20 "$birdc" -s "$dir/ctl" down >/dev/null
wait $daemon
daemon=
same "$dir/ctl" show status
[ $failed -eq 0 ]
