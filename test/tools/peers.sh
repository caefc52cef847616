#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# peers.sh FOLDER: the daemons of Debian 13 (bird 2.17, bird 3, frr, openbgpd, gobgpd, exabgp), as neighbors of
# ternd in tests on any
# Debian: TERN_PEERS=FOLDER. Needs root and debootstrap; packages
# come from where this machine's come from. FOLDER/root is a Debian 13 of their own; beside it lies, for
# each program, a script at the same path that runs it there, in the network namespace of who asks. What is there
# already stays.
set -e
[ $# -eq 1 ] || { echo "usage: peers.sh FOLDER" >&2; exit 2; }
command -v debootstrap >/dev/null || { echo "needs debootstrap: apt-get install debootstrap" >&2; exit 1; }
mkdir -p "$1"
folder=$(cd "$1" && pwd) root=$folder/root
if [ ! -e "$folder/made" ]; then
	echo "==> Debian 13 with its routing daemons, in $root (about 600 MB)"
	rm -rf "$root"
	from=$(apt-get indextargets --format '$(SITE) $(REPO_URI)' | awk '/debian\/?$/ { print $2; exit }')
	debootstrap --variant=minbase --keyring=/usr/share/keyrings/debian-archive-keyring.gpg trixie "$root" "$from" \
		>"$folder/log" 2>&1 ||
		{ tail -5 "$folder/log" >&2; exit 1; }
	# Nothing starts by itself.
	printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"
	chmod 755 "$root/usr/sbin/policy-rc.d"
	cp /etc/resolv.conf /etc/hosts "$root/etc/"
	apt-config dump Acquire >"$root/etc/apt/apt.conf.d/99host"
	cat >"$root/install" <<-'EOF'
		set -e
		export DEBIAN_FRONTEND=noninteractive
		apt-get update
		apt-get install -y --no-install-recommends bird2 frr openbgpd gobgpd exabgp
		# bird3 and bird2 can't be installed beside each other.
		cd /var/cache && apt-get -o APT::Sandbox::User=root download bird3 && dpkg -x bird3_*.deb /opt/bird3
	EOF
	chroot "$root" sh /install >>"$folder/log" 2>&1 || { tail -5 "$folder/log" >&2; exit 1; }
	: >"$folder/made"
fi
if [ ! -e "$folder/source" ]; then
	echo "==> the source packages of BIRD, in $folder/source"
	cat >"$root/sources" <<-'EOF'
		set -e
		# Lists of their own, with the sources of the suites that the installed programs come from.
		mkdir -p /var/cache/source/lists/partial /var/cache/source/parts && cd /var/cache/source
		uri=$(apt-get indextargets --format '$(REPO_URI)' | head -1)
		for suite in trixie trixie-backports bookworm; do
			printf 'Types: deb-src\nURIs: %s\nSuites: %s\nComponents: main\nSigned-By: %s\n' "$uri" $suite \
				/usr/share/keyrings/debian-archive-keyring.gpg >parts/$suite.sources
			set -- -o Dir::Etc::sourcelist=/dev/null -o "Dir::Etc::sourceparts=$PWD/parts" \
				-o "Dir::State::lists=$PWD/lists" -o APT::Sandbox::User=root
			for package in bird2 bird3; do
				apt-get "$@" update && apt-get "$@" source --download-only $package ||
					echo "no source package $package in $suite"
			done
			rm parts/$suite.sources
		done
	EOF
	chroot "$root" sh /sources >>"$folder/log" 2>&1 || { tail -5 "$folder/log" >&2; exit 1; }
	grep '^no source package' "$folder/log" || :
	mkdir "$folder/source"
	for file in "$root"/var/cache/source/*.orig.tar.*; do
		[ ! -e "$file" ] || tar -C "$folder/source" -xf "$file"
	done
fi
for program in /usr/sbin/bird /opt/bird3/usr/sbin/bird /usr/lib/frr/bgpd /usr/lib/frr/zebra /usr/lib/frr/mgmtd \
	/usr/bin/vtysh /usr/sbin/bgpd /usr/sbin/bgpctl /usr/bin/env /usr/bin/gobgpd /usr/bin/gobgp /usr/sbin/exabgp; do
	[ -e "$root$program" ] || { echo "$root has no $program" >&2; exit 1; }
	mkdir -p "$folder${program%/*}"
	cat >"$folder$program" <<-EOF
		#!/bin/sh
		exec unshare -m sh -c 'root=$root; here=\${TMPDIR:-/tmp}
		mkdir -p "\$root\$here" &&
		mount --bind "\$here" "\$root\$here" &&
		mount -t proc proc "\$root/proc" && mount --rbind /dev "\$root/dev" &&
		mount -t tmpfs run "\$root/run" && mkdir -p "\$root/run/openbgpd" "\$root/run/frr" &&
		exec chroot "\$root" "\$@"' sh $program "\$@"
	EOF
	chmod 755 "$folder$program"
done
