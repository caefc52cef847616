# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=sh
# How tests in shell wait: for a command that succeeds. To be sourced.

# wait_until LIMIT COMMAND... - run COMMAND again until it succeeds. Status 1: it has not succeeded in LIMIT
# seconds, which
# is the limit for a hang.
wait_until() {
	wait_turns=$(($1 * 10))
	shift
	until "$@"; do
		[ $wait_turns -gt 0 ] || return 1
		wait_turns=$((wait_turns - 1))
		sleep 0.1
	done
}
