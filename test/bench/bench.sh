#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# make bench: install the daemons that Debian has, if they aren't there, and measure (bench.py).
#
#   test/bench/bench.sh [ARGUMENTS of bench.py]      builds in build/, too
#   make bench [BENCH_ARGS=--quick]                  in a build folder
#
# BENCH_INSTALL=no: measure what is there. What is installed is kept from running as a service.
set -u
top=$(cd "$(dirname "$0")/../.." && pwd) || exit 1
# shellcheck source=test/lib/setup.sh
. "$top/test/lib/setup.sh"
bench_packages="bird2 frr openbgpd gobgpd python3 python3-matplotlib"
setup_log=$(mktemp) || exit 1
trap 'rm -f "$setup_log"; let_services' EXIT

# install_peers - what is missing.
install_peers() {
	local p missing=()

	command -v dpkg-query >/dev/null || return 0
	for p in $bench_packages; do
		dpkg-query -W -f '${db:Status-Status}\n' "$p" 2>/dev/null | grep -qx installed ||
			missing+=("$p")
	done
	[ ${#missing[@]} -gt 0 ] || return 0
	# In a subshell: without them there is less to compare with, that is all. What one
	# release of Debian lacks mustn't keep the others away.
	(trap let_services EXIT; need_packages "${missing[@]}") || for p in "${missing[@]}"; do
		(trap let_services EXIT; need_packages "$p") || step "going on without $p"
	done
}

[ "${BENCH_INSTALL:-yes}" = no ] || install_peers
if [ -z "${TERN_BUILDDIR:-}" ]; then
	# shellcheck disable=SC2086,SC2154 # of setup.sh: several packages
	[ "${BENCH_INSTALL:-yes}" = no ] || need_packages $build_packages
	make_configure
	build build all || die "the build failed"
	export TERN_BUILDDIR=$top/build
fi
# Debian's python finds Debian's matplotlib; another one may come first in PATH.
python=/usr/bin/python3
[ -x $python ] || python=python3
# shellcheck disable=SC2086 # several arguments
$python -B "$top/test/bench/bench.py" ${BENCH_ARGS:-} "$@"
