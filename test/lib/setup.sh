# SPDX-License-Identifier: GPL-3.0-or-later
# quickstart and check share these functions: Debian packages and builds. To be sourced by bash with $top set to the
# root of the tree and $setup_log to a file.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of whoever sources this

# Packages that the build needs; packages that only the tests need; packages without which a test leaves cases out.
build_packages="gcc libc6-dev make autoconf automake bison flex libbsd-dev libssl-dev libreadline-dev
	libncurses-dev libssh-dev liburcu-dev libmicrohttpd-dev libjwt-dev libseccomp-dev zlib1g-dev"
check_packages="libcmocka-dev clang clang-format codespell llvm shellcheck mandoc groff bird2 prometheus-bird-exporter
	prometheus frr openbgpd gobgpd exabgp stayrtr pmacct bgpdump iproute2 procps util-linux
	python3 python3-venv gzip openssl diffutils valgrind tmux ansible-core openssh-server openssh-client
	python3-yaml python3-matplotlib"
optional_packages="clang-tidy cppcheck apparmor nftables rpm"

step() {
	printf '==> %s\n' "$*"
}

die() {
	printf '%s: %s\n' "${0##*/}" "$*" >&2
	exit 1
}

# build_left FOLDER - the number of files that a build in $top/FOLDER has to compile, if none has changed.
build_left() {
	local all made

	all=$(cd "$top" && find lib filter nest sysdep proto client test/load -name '*.c' -o -name '*.[yl]' | wc -l)
	made=$(cd "$top/$1" 2>/dev/null &&
		find lib filter nest sysdep proto client test/load -name '*.o' 2>/dev/null | wc -l)
	echo $((all > made ? all - made : 0))
}

# build_state LOG FILES SECONDS - "N of FILES files, about S s left: ", by the lines of the log and the time so far.
build_state() {
	local cnt

	cnt=$(grep -c '^  CC ' "$1" 2>/dev/null)
	[ "${cnt:-0}" -gt 0 ] && [ "$2" -ge "$cnt" ] || return 0
	printf '%d of %d files, about %d s left: ' "$cnt" "$2" $(($3 * ($2 - cnt) / cnt))
}

# follow LOG [FILES] - until unfollow, show how long something takes and the last line of its log: on a terminal in a
# line that is written over, else every half minute. The awaited program stays in the foreground, so that an interrupt
# from the keyboard reaches the program.
follow() {
	(
		trap - EXIT
		began=$SECONDS said=$SECONDS
		while sleep 0.5 && kill -0 $$; do
			line=$(tail -n 1 "$1" | tr -cd '[:print:]' | cut -c1-150)
			[ -z "${2:-}" ] || line=$(build_state "$1" "$2" $((SECONDS - began)))$line
			if [ -t 1 ]; then
				printf '\r\033[K    %d s: %s' $((SECONDS - began)) "$line"
			elif [ $((SECONDS - said)) -ge 30 ]; then
				printf '    %d s: %s\n' $((SECONDS - began)) "$line"
				said=$SECONDS
			fi
		done
	) 2>/dev/null &
	follower=$!
}

unfollow() {
	kill "$follower" 2>/dev/null
	wait "$follower" 2>/dev/null
	[ -t 1 ] && printf '\r\033[K'
	return 0
}

# hold_services [SUDO] - what is installed from now on isn't started, until let_services, which whoever sources this
# calls when it ends, too: a host mustn't have a routing daemon because it ran tests.
held_services=
hold_services() {
	[ ! -e /usr/sbin/policy-rc.d ] || return 0
	held_services=${1:-env}
	printf '#!/bin/sh\nexit 101\n' | $held_services tee /usr/sbin/policy-rc.d >/dev/null &&
		$held_services chmod 755 /usr/sbin/policy-rc.d
}

let_services() {
	[ -z "$held_services" ] || $held_services rm -f /usr/sbin/policy-rc.d
	held_services=
}

# leave_services SUDO NAME... - nor are the services of these packages started when the host starts.
leave_services() {
	local sudo=$1 units

	shift
	command -v systemctl >/dev/null || return 0
	units=$(dpkg -L "$@" | sed -n 's,.*/systemd/system/\([^/@]*\.service\)$,\1,p')
	# shellcheck disable=SC2086 # several units
	[ -z "$units" ] || $sudo systemctl disable $units >/dev/null 2>&1
	return 0
}

# need_packages NAME... - install those that are missing, or name them and end. None runs as a service.
need_packages() {
	local missing=() p sudo=

	if ! command -v dpkg-query >/dev/null; then
		step "the system is no Debian: these packages are assumed to be installed: $*"
		return
	fi
	for p; do
		dpkg-query -W -f '${db:Status-Status}\n' "$p" 2>/dev/null | grep -qx installed ||
			missing+=("$p")
	done
	test ${#missing[@]} -eq 0 && return
	if [ "$(id -u)" -ne 0 ]; then
		if command -v sudo >/dev/null && { sudo -n true 2>/dev/null || [ -t 0 ]; }; then
			sudo=sudo
		else
			die "packages are missing: apt-get install ${missing[*]}"
		fi
	fi
	step "installing ${#missing[@]} packages: ${missing[*]}"
	[ -z "$sudo" ] || $sudo true # it asks for a password before anything is written over it
	hold_services "$sudo"
	follow "$setup_log"
	{
		$sudo apt-get -q update &&
			$sudo env DEBIAN_FRONTEND=noninteractive apt-get -q -y \
				--no-install-recommends install "${missing[@]}"
	} </dev/null >"$setup_log" 2>&1 || {
		unfollow
		let_services
		tail -n 20 "$setup_log" >&2
		die "could not install the packages; by hand: apt-get install ${missing[*]}"
	}
	unfollow
	let_services
	leave_services "$sudo" "${missing[@]}"
}

# make_configure - make ./configure if it is missing or old.
make_configure() {
	[ "$top/configure" -nt "$top/configure.ac" ] && return
	step "making configure"
	follow "$setup_log"
	(cd "$top" && autoreconf -i) >"$setup_log" 2>&1 || {
		unfollow
		tail -n 20 "$setup_log" >&2
		die "autoreconf failed"
	}
	unfollow
}

# build_silently FOLDER TARGETS [CONFIGURE-OPTION...] - build in $top/FOLDER; what is up to date stays. The output goes
# to FOLDER/build.log. build_jobs: so many compilers at a time (all processors). Returns: false if the build failed.
build_silently() {
	local dir=$top/$1 targets=$2 jobs

	shift 2
	jobs=${build_jobs:-$(nproc 2>/dev/null || echo 1)}
	mkdir -p "$dir"
	(
		cd "$dir" || exit 1
		printf '%s\n' "$@" >options.new
		if ! [ -f Makefile ] || ! cmp -s options.new options; then
			"$top/configure" -q "$@" && mv options.new options || exit 1
		fi
		rm -f options.new
		# shellcheck disable=SC2086 # several targets
		make -j"$jobs" $targets
	) >"$dir/build.log" 2>&1 </dev/null
}

# build FOLDER TARGETS [CONFIGURE-OPTION...] - the same, and say what is done; the end of the output is shown if the
# build failed.
build() {
	local dir=$top/$1 rc

	mkdir -p "$dir"
	: >"$dir/build.log"
	step "building in ${dir#"$top"/} ($2)"
	follow "$dir/build.log" "$(build_left "${dir#"$top"/}")"
	build_silently "$@"
	rc=$?
	unfollow
	[ $rc -eq 0 ] && return
	tail -n 30 "$dir/build.log" >&2
	return 1
}
