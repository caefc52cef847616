#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The lock-free code with a switch between any two accesses to memory (doc/testing.md): 4,000 runs of each program of
# test/sim/subturns, twice, with equal traces. SEED=N chooses the first seed; else the tree does. TERN_SOAK=1: 400,000
# runs.
set -u
src=$(cd "${TERN_SRCDIR:-.}" && pwd) || exit 1
build=$(cd "${TERN_BUILDDIR:-.}" && pwd) || exit 1
program=$build/test/sim/subturns/subturns
if [ ! -x "$program" ]; then
	if grep -q '^SAN_FLAGS = .' "$build/Makefile"; then
		echo "a build with a sanitizer has no sub-turns"
		exit 77
	fi
	echo "$program is missing: make test/sim/subturns/subturns"
	exit 1
fi
tree=$(git -C "$src" rev-parse 'HEAD^{tree}' 2>/dev/null | cut -c1-6)
seed=${SEED:-$(printf '%d' "0x${tree:-1}")}
seeds=4000
[ "${TERN_SOAK:-}" != 1 ] || seeds=400000
echo "seeds from $seed"
first=$("$program" --seed "$seed" --seeds $seeds --hash) || { echo "$first"; exit 1; }
again=$("$program" --seed "$seed" --seeds $seeds --hash) || { echo "$again"; exit 1; }
if [ "$first" != "$again" ]; then
	echo "FAIL equal seeds gave other traces:"
	printf '%s\n' "$first" "$again"
	exit 1
fi
