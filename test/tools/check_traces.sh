#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The traces of drawn days 1 to 20 (doc/testing.md) are equal in all builds: test/sim/traces.sha256 has the SHA-256 of
# each. TERN_SIM=update: write the file.
set -u
src=$(cd "${TERN_SRCDIR:-.}" && pwd) || exit 1
sim=$(cd "${TERN_BUILDDIR:-.}" && pwd)/test/sim/sim
[ -x "$sim" ] || { echo "$sim is missing: make test/sim/sim"; exit 1; }
traces=$src/test/sim/traces.sha256
now=$(mktemp "${TMPDIR:-/tmp}/traces.XXXXXX") || exit 1
trap 'rm -f "$now"' EXIT
# TERN_WRAP begins numbers elsewhere (lib/base/wrap.h), and numbers of a journal show in the length of messages.
env -u TERN_WRAP "$sim" --day --seed 1 --seeds 20 --hash >"$now.all" || { cat "$now.all"; rm -f "$now.all"; exit 1; }
grep '^day seed' "$now.all" >"$now"
rm -f "$now.all"
if [ "${TERN_SIM:-}" = update ]; then
	cp "$now" "$traces" && echo "test/sim/traces.sha256 is written"
elif ! cmp -s "$traces" "$now"; then
	diff "$traces" "$now" | sed -n \
		"s|^> day seed \([0-9]*\):.*|FAIL day seed \1: another trace; replay: $sim --seed \1 --trace --day|p"
	echo "a commit that means to change behaviour takes the new traces: make sim-traces TERN_SIM=update"
	exit 1
fi
