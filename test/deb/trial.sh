#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Run by systemd in a root where the package is installed: the unit at work. Its last line is "passed", or what failed.
# A member is a second ternd on loopback.
set -u
exec >/trial.log 2>&1

fail() {
	echo "failed: $*"
	systemctl status --no-pager --lines=20 tern
	systemctl --force --no-block exit 1
	exit 1
}

# soon WHAT COMMAND... - it comes true within 20 s.
soon() {
	what=$1
	shift
	for _ in $(seq 100); do
		"$@" >/dev/null 2>&1 && return
		sleep 0.2
	done
	fail "$what: $*"
}

main_pid() {
	systemctl show --property=MainPID --value tern
}

member() {
	ternc -s /run/member.ctl "$@"
}

established() {
	member show protocols | grep -q Established
}

# runs_with WORD - is it an option of the daemon that runs?
runs_with() {
	tr '\0' '\n' <"/proc/$(main_pid)/cmdline" | grep -qx -- "$1"
}

has_route() {
	member show route | grep -q 10.1.0.0/16
}

write() {
	cat >/etc/tern/tern.conf <<-END
		router id 10.0.0.1;
		log syslog all;
		log "/var/log/tern/tern.log" all;
		protocol device { }
		protocol bfd { }
		protocol static { ipv4; route 10.1.0.0/16 blackhole; }
		protocol kernel { ipv4 { export where net = 10.1.0.0/16; }; }
		protocol bgp m1 { local 127.0.0.1 as 65000; neighbor 127.0.0.2 as 65001; multihop; passive; rs client;
		  strict bind on; password "some"; $1 ipv4 { import all; export all; }; }
	END
}

# The sample that the package brings works as it is.
soon "the unit is active" systemctl --quiet is-active tern
ternc show status | grep -q 'up and running' || fail "no answer at the control socket"

birdc show status | grep -q 'up and running' || fail "no answer at BIRD's socket"
[ "$(readlink -f /run/bird/bird.ctl)" = /run/tern/tern.ctl ] || fail "BIRD's socket isn't ours"

write ''
systemctl reload bird || fail "reload, by BIRD's name"
cat >/member.conf <<'END'
router id 10.0.0.2;
log "/member.log" all;
protocol device { }
protocol bgp rs { local 127.0.0.2 port 1790 as 65001; neighbor 127.0.0.1 as 65000; multihop; strict bind on;
  password "some"; connect delay time 1; connect retry time 1; error wait time 1, 1; ipv4 { import all; export all; }; }
END
ternd -c /member.conf -s /run/member.ctl -P /run/member.pid || fail "the member"
soon "a session at port 179, which came by a reload" established
soon "its route" has_route
soon "a route in the kernel's table" sh -c 'ip route show | grep -q 10.1.0.0/16'

# shellcheck disable=SC2046 # two words
set -- $(ps -o user=,cls= -p "$(main_pid)")
[ "$1" = tern ] || fail "it runs as $1"
caps=$(sed -n 's/^CapEff:\t//p' "/proc/$(main_pid)/status")
[ "$caps" = 0000000000003400 ] || fail "its capabilities are $caps"
[ -s /var/log/tern/tern.log ] || fail "no log file"
ss -Hlun | grep -q :3784 || fail "no port of BFD"
# Its thread has real-time priority, by the unit's limit, or the log says that it hasn't: a container may not be
# allowed to raise limits.
said=$(journalctl --no-pager -b -u tern | grep -c 'No real-time priority')
# shellcheck disable=SC2009 # threads, which pgrep does not list
case $(ps -eLo cls=,comm= | awk '$2 == "bfd1" { print $1 }')/$said in
FF/0) ;;
TS/0) fail "BFD has no real-time priority, and nobody says so" ;;
TS/*)
	[ "$(awk '/Max realtime priority/ { print $5 }' "/proc/$(main_pid)/limits")" = 0 ] ||
		fail "no real-time priority, though the limit allows it"
	;;
*) fail "BFD's thread: $(ps -eLo cls=,comm= | grep bfd), $said lines of the log" ;;
esac

# A file with errors changes nothing, and reload says so.
before=$(main_pid)
echo 'nonsense;' >>/etc/tern/tern.conf
systemctl reload tern && fail "reload took a file with errors"
[ "$(main_pid)" = "$before" ] && established || fail "a reload that failed ended something"
systemctl --quiet is-active tern || fail "the unit isn't active after a reload that failed"

# Without graceful restart a restart takes leave.
write ''
: >/member.log
systemctl restart tern || fail "restart"
runs_with -R && fail "-R without graceful restart"
grep -q 'Received: Administrative shutdown' /member.log || fail "the member was told nothing at a restart"
soon "the session after a restart" established

write 'graceful restart on;'
systemctl reload tern || fail "reload with graceful restart"
soon "a session with graceful restart" sh -c "ternc show protocols all m1 | grep -q 'Restart time'"
soon "its route" has_route
: >/member.log
systemctl restart tern || fail "graceful restart"
has_route || fail "the member has lost the route at a graceful restart"
runs_with -R || fail "started without -R after a graceful restart"
grep -q 'Received:' /member.log && fail "the member was told something at a graceful restart"
soon "the session after a graceful restart" established
[ ! -e /run/tern/restart.env ] || fail "the note for the start stays"

# A crash.
before=$(main_pid)
kill -SEGV "$before"
soon "another daemon after a crash" sh -c "pid=\$(systemctl show --property=MainPID --value tern)
	[ \$pid != 0 ] && [ \$pid != $before ]"
soon "the unit is active after a crash" systemctl --quiet is-active tern
runs_with -R || fail "started without -R after a crash"
soon "the session after a crash" established

# An end, and a start without -R.
systemctl stop tern || fail "stop"
[ "$(systemctl show --property=Result --value tern)" = success ] || fail "stop wasn't in order"
[ ! -e /run/tern ] || fail "/run/tern stays"
systemctl start tern || fail "start"
runs_with -R && fail "-R after a stop"
soon "the session after a start" established
journalctl --no-pager -b -u tern | grep -iE 'denied|not permitted|read-only' && fail "see above"

echo passed
systemctl --force --no-block exit 0
