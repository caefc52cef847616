#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The Debian packages in fresh roots: built, installed, tried, removed and purged, there and by lintian.
#
#   run.sh [RELEASE...]     bookworm and trixie, unless said otherwise
#
# Wants root and debootstrap; packages come from where this machine's come from. With systemd-nspawn the unit is
# tried, too:
# trial.sh. Environment: TERN_SRCDIR; TERN_BUILDDIR: configured, `make deb` is done there. Last line: "N passed, N
# failed, N skipped".
set -u
src=$(cd "${TERN_SRCDIR:-.}" && pwd) build=$(cd "${TERN_BUILDDIR:-.}" && pwd) || exit 1
here=$src/test/deb
passed=0 failed=0 skipped=0
log=$(mktemp) work=$(mktemp -d /var/tmp/tern-deb.XXXXXX) || exit 1
trap 'umount "$work"/*/proc 2>/dev/null; rm -rf --one-file-system "$work" "$log"' EXIT
trap 'exit 1' INT TERM HUP

# try WHAT COMMAND... - one thing, with a limit of time; the end of its output if it fails.
try() {
	local what=$1

	shift
	if "$@" >"$log" 2>&1 </dev/null; then
		passed=$((passed + 1))
		echo "ok   $what"
		return 0
	fi
	failed=$((failed + 1))
	echo "FAIL $what"
	tail -n 25 "$log" | cut -c1-200 | sed 's/^/    /'
	return 1
}

skip() {
	skipped=$((skipped + 1))
	echo "skip $1 ($2)"
}

inside() {
	timeout -k 5 900 chroot "$root" /usr/bin/env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 \
		DEBIAN_FRONTEND=noninteractive "$@"
}

# Packages from where ours come from, with what reaching them takes.
make_root() {
	local from keys

	from=$(apt-get indextargets --format '$(SITE) $(REPO_URI)' | awk '/debian\/?$/ { print $2; exit }') || return 1
	keys=/usr/share/keyrings/debian-archive-keyring.gpg
	timeout -k 5 600 debootstrap --variant=minbase --keyring="$keys" "$release" "$root" "$from" || return 1
	cp /etc/resolv.conf /etc/hosts "$root/etc/"
	apt-config dump Acquire >"$root/etc/apt/apt.conf.d/99host"
	mount -t proc proc "$root/proc"
}

# The packages for this release: those of this machine if it is the same one, else built inside.
make_packages() {
	mkdir "$root/debs" || return 1
	if [ "$(. /etc/os-release && echo "$VERSION_CODENAME")" = "$release" ]; then
		cp "$build"/deb/*.deb "$root/debs/"
		return
	fi
	cp -a "$build/deb/tern" "$root/debs/" &&
		inside apt-get -q -y --no-install-recommends install build-essential &&
		inside sh -c 'cd /debs/tern && apt-get -q -y --no-install-recommends build-dep ./ &&
			dpkg-buildpackage -b -us -uc'
}

# What the package has in this root, by name.
leftovers() {
	find "$root" -xdev \( -path "$root/debs" -o -path "$root/proc" \) -prune -o \
		\( -name 'tern*' -o -name 'bird*' \) -print | grep -v /terminfo/
}

as_user() {
	# Capabilities of what systemd calls ambient ones; in a network of its own, with port 179.
	inside unshare -n sh -e -c '
		ip link set lo up
		mkdir -p /run/tern && chown tern: /run/tern
		printf "%s\n" "router id 10.0.0.1;" "protocol device { }" \
			"protocol bgp { local 127.0.0.1 as 1; neighbor 127.0.0.2 as 2; multihop; strict bind on;" \
			"password \"a\"; ipv4 { import all; export all; }; }" >/tmp/t.conf
		'"$1"' -c /tmp/t.conf -P /run/tern/pid
		[ "$(ps -o user= -p "$(cat /run/tern/pid)")" = tern ]
		ternc show status | grep "up and running"
		ss -Hltn | grep 127.0.0.1:179
		ternc show health
		pid=$(cat /run/tern/pid)
		ternc down
		tail --pid="$pid" -f /dev/null'
}

conffile() {
	local conf=$root/etc/tern/tern.conf group

	group=$(awk -F: '$1 == "tern" { print $3 }' "$root/etc/group")
	[ "$(stat -c '%a %u %g' "$conf")" = "640 0 $group" ] || return 1
	echo '# mine' >>"$conf"
	inside sh -c 'apt-get -q -y --reinstall install /debs/tern_*.deb' && tail -n 1 "$conf" | grep '^# mine$' &&
		inside apt-get -q -y remove tern-bird tern &&
		[ ! -e "$root/run/bird" ] && [ -e "$conf" ] && [ ! -e "$root/usr/sbin/ternd" ] &&
		inside sh -c 'apt-get -q -y install /debs/tern_*.deb /debs/tern-bird_*.deb' &&
		tail -n 1 "$conf" | grep '^# mine$'
}

purge() {
	inside apt-get -q -y purge tern tern-bird tern-http && [ -z "$(leftovers)" ] || {
		leftovers
		return 1
	}
}

unit() {
	local rc

	inside apt-get -q -y --no-install-recommends install systemd-sysv || return 1
	install -m 755 "$here/trial.sh" "$root/trial.sh"
	install -m 644 "$here/trial.service" "$root/etc/systemd/system/trial.service"
	mkdir -p "$root/etc/systemd/system/multi-user.target.wants"
	ln -s ../trial.service "$root/etc/systemd/system/multi-user.target.wants/"
	umount "$root/proc"
	SYSTEMD_CGROUP_ENABLE_LEGACY_FORCE=1 timeout -k 5 300 systemd-nspawn --quiet --register=no --keep-unit \
		--private-network --boot --console=passive --setenv=SYSTEMD_CGROUP_ENABLE_LEGACY_FORCE=1 -D "$root"
	rc=$?
	mount -t proc proc "$root/proc"
	rm -f "$root/etc/systemd/system/multi-user.target.wants/trial.service" "$root/etc/systemd/system/trial.service"
	cat "$root/trial.log"
	[ $rc -eq 0 ] && [ "$(tail -n 1 "$root/trial.log")" = passed ]
}

table_images() {
	inside apt-get -q -y --no-install-recommends install gcc libc6-dev pkg-config python3 &&
		inside sh -c 'apt-get -q -y install /debs/libternfib1_*.deb /debs/libternfib-dev_*.deb' &&
		install -m 755 "$here/fib.sh" "$root/fib.sh" && inside sh /fib.sh | grep '^passed$' &&
		inside apt-get -q -y purge libternfib1 libternfib-dev
}

one_release() {
	local caps=-all,+net_bind_service,+net_raw,+net_admin

	try "$release: a fresh root" make_root || return
	try "$release: the packages" make_packages || return
	inside apt-get -q -y --no-install-recommends install procps iproute2 util-linux >/dev/null 2>&1
	try "$release: installed" inside sh -c 'apt-get -q -y install /debs/tern_*.deb' || return
	try "$release: BIRD's names" inside sh -c 'apt-get -q -y install /debs/tern-bird_*.deb &&
		! bird -p && mkdir /etc/bird && cp /etc/tern/tern.conf /etc/bird/bird.conf && bird -p &&
		rm -r /etc/bird &&
		test -L /run/bird/bird.ctl &&
		for page in bird birdc birdcl; do test -e /usr/share/man/man8/$page.8.gz || exit 1; done'
	try "$release: the looking glass" inside sh -c 'apt-get -q -y install /debs/tern-http_*.deb &&
		ternhttp --version | grep "^ternhttp "'
	try "$release: the library of table images" table_images
	try "$release: as user tern, from root" as_user 'ternd -u tern'
	try "$release: as user tern, with capabilities alone" as_user \
		"setpriv --reuid tern --regid tern --clear-groups --inh-caps $caps --ambient-caps $caps ternd"
	try "$release: the configuration is the administrator's" conffile
	if command -v systemd-nspawn >/dev/null; then
		rm -f "$root/etc/tern/tern.conf"
		cp "$src/dist/tern.conf" "$root/etc/tern/tern.conf"
		try "$release: the unit" unit
	else
		skip "$release: the unit" "needs systemd-container"
	fi
	try "$release: nothing is left by purge" purge
}

[ "$(id -u)" -eq 0 ] || { echo "cannot here: roots are for root alone"; exit 77; }
for p in debootstrap dpkg-buildpackage; do
	command -v "$p" >/dev/null || { echo "needs $p: apt-get install debootstrap dpkg-dev debhelper"; exit 77; }
done
[ $# -gt 0 ] || set -- bookworm trixie
if try "make deb" timeout -k 5 900 make -C "$build" deb; then
	if command -v lintian >/dev/null; then
		try "lintian" lintian --fail-on error --tag-display-limit 0 "$build"/deb/tern_*.changes
	else
		skip lintian "needs lintian"
	fi
	for release; do
		root=$work/$release
		one_release
		umount "$root/proc" 2>/dev/null
		rm -rf --one-file-system "$root"
	done
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
