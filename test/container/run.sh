#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The container image, tried by buildah without network and without a container daemon: what the image holds, the
# user, the health check, a session with bird2 as a member, a stop by SIGTERM, two builds with equal layers.
# Wants root, buildah and bird2. The last line: N passed, N failed, N skipped.
set -u
# shellcheck source=test/lib/wait.sh
. "${TERN_SRCDIR:?}/test/lib/wait.sh"
src=${TERN_SRCDIR:?} build=${TERN_BUILDDIR:?}
work=$(mktemp -d)
log=$work/log
passed=0 failed=0 skipped=0
store=(--root "$work/store" --runroot "$work/run" --storage-driver vfs)
ns=terncont$$

# nobody - true when no process is left in the network of the test; else the processes are told to end.
nobody() {
	local pids

	pids=$(ip netns pids "$ns" 2>/dev/null)
	[ -z "$pids" ] && return
	echo "$pids" | xargs -r kill 2>/dev/null
	return 1
}

finish() {
	wait_until 30 nobody
	ip netns del "$ns" 2>/dev/null
	buildah "${store[@]}" rm --all >/dev/null 2>&1
	mount | awk -v w="$work/" 'index($3, w) == 1 { print $3 }' | sort -r | xargs -r umount -l
	rm -rf --one-file-system "$work"
}
trap finish EXIT

try() {
	local what=$1

	shift
	if "$@" >"$log" 2>&1; then
		passed=$((passed + 1))
		echo "ok   $what"
		return
	fi
	failed=$((failed + 1))
	echo "FAIL $what"
	tail -n 25 "$log" | cut -c1-200 | sed 's/^/    /'
	return 1
}

built() {
	TERN_SRCDIR=$src TERN_BUILDDIR=$build bash "$src/dist/container/build.sh" "$work/$1" >&2
}

layers() {
	tar -xOf "$work/$1/tern.tar" manifest.json | python3 -c '
import json, sys
print(json.load(sys.stdin)[0]["Layers"])'
}

# in_image COMMAND... - in the network of the test, as the user of the image.
in_image() {
	ip netns exec "$ns" buildah "${store[@]}" run --isolation chroot --volume "$work/etc:/etc/tern:ro" \
		--volume "$work/vol:/run/tern" "$container" -- "$@"
}

loaded() {
	container=$(buildah "${store[@]}" from "docker-archive:$work/one/tern.tar")
	root=$(buildah "${store[@]}" mount "$container")
	[ -n "$root" ]
}

contents() {
	[ ! -e "$root/bin/sh" ] && [ ! -e "$root/usr/bin/sh" ] && [ ! -e "$root/usr/bin/apt" ] &&
		[ -z "$(find "$root" -xdev -perm /6000 -print)" ] && [ -x "$root/usr/sbin/ternd" ]
}

settings() {
	buildah "${store[@]}" inspect "$container" | python3 -c '
import json, sys
c = json.load(sys.stdin)["Docker"]["config"]
assert c["User"].split(":")[0] not in ("", "0", "root"), c["User"]
assert c["Entrypoint"][0] == "/usr/sbin/ternd", c["Entrypoint"]
assert c["Healthcheck"]["Test"][:2] == ["CMD", "/usr/bin/ternc"], c["Healthcheck"]'
}

configured() {
	mkdir -p "$work/etc" "$work/vol" && chmod 777 "$work/vol"
	sed 's/^router id.*/router id 127.0.0.1;/' "$src/dist/container/tern.conf" >"$work/etc/tern.conf"
	cat >>"$work/etc/tern.conf" <<-EOF
	protocol bgp member { local 127.0.0.1 port 179 as 65000; neighbor 127.0.0.2 port 1790 as 65001; multihop;
	  rs client; ipv4 { import all; export all; }; }
	EOF
	cat >"$work/bird.conf" <<-EOF
	router id 127.0.0.2;
	log "$work/bird.log" all;
	protocol device { }
	protocol static { ipv4; route 192.0.2.0/24 unreachable; }
	protocol bgp server { local 127.0.0.2 port 1790 as 65001; neighbor 127.0.0.1 port 179 as 65000; multihop;
	  connect delay time 1; connect retry time 1; ipv4 { import all; export all; }; }
	EOF
	ip netns add "$ns" && ip -n "$ns" link set lo up &&
		ip netns exec "$ns" sysctl -q -w net.ipv4.ip_unprivileged_port_start=0
}

serves() {
	in_image /usr/sbin/ternd -f -c /etc/tern/tern.conf -s /run/tern/tern.ctl >"$work/tern.log" 2>&1 &
	served=$!
	wait_until 30 test -S "$work/vol/tern.ctl" || { cat "$work/tern.log"; return 1; }
	ip netns exec "$ns" bird -c "$work/bird.conf" -s "$work/bird.ctl" -P "$work/bird.pid" || return 1
	tern=$(ip netns pids "$ns" | while read -r p; do
		case $(readlink "/proc/$p/exe") in
		*/usr/sbin/ternd) echo "$p" ;;
		esac
	done | head -n 1)
	echo "process $tern"
	[ -n "$tern" ] && [ "$(awk '/^Uid:/ { print $2 }' "/proc/$tern/status")" != 0 ]
}

has_route() {
	in_image /usr/bin/ternc -s /run/tern/tern.ctl show route 192.0.2.0/24 2>/dev/null | grep -q member
}

healthy() {
	# shellcheck disable=SC2046 # words of the health check
	in_image $(buildah "${store[@]}" inspect "$container" | python3 -c '
import json, sys
print(*json.load(sys.stdin)["Docker"]["config"]["Healthcheck"]["Test"][1:])') | grep "up and running"
}

glass() {
	in_image /usr/sbin/ternhttp -l 127.0.0.1:8080 -s rs1=/run/tern/lg.ctl >"$work/http.log" 2>&1 &
	wait_until 30 ip netns exec "$ns" python3 -c '
import json, urllib.request
d = json.load(urllib.request.urlopen("http://127.0.0.1:8080/v1/members"))
assert "65001" in json.dumps(d), d' || { cat "$work/http.log"; return 1; }
}

stops() {
	kill -TERM "$tern"
	timeout -k 5 60 tail --pid="$tern" -f /dev/null
	wait "$served"
	served=
	! in_image /usr/bin/ternc -s /run/tern/tern.ctl show status
}

equal_layers() {
	built two && [ "$(layers one)" = "$(layers two)" ]
}

[ "$(id -u)" -eq 0 ] || { echo "cannot here: namespaces are for root"; exit 77; }
for p in buildah bird; do
	command -v $p >/dev/null || { echo "needs $p: apt-get install buildah bird2"; exit 77; }
done
if try "the image" built one && try "the image is read" loaded; then
	try "no shell, no package manager, no set-id file" contents
	try "user, entry point and health check" settings
	if try "a configuration and a network" configured && try "ternd serves, not as root" serves; then
		try "bird2 is a member, and its route arrives" wait_until 30 has_route
		try "the health check says up" healthy
		try "ternhttp of the same image" glass
		try "SIGTERM ends the daemon" stops
	fi
	try "two builds have equal layers" equal_layers
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
