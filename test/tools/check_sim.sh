#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The daemon in virtual time (doc/testing.md): each story with a few seeds (TERN_SOAK: with 100 seeds), 200 drawn days
# whose first seed the tree chooses (SEED=N chooses another), and equal traces of equal seeds. With the 300 seeds of
# check_pairs.sh each tree plays 500 seeds of its own.
set -u
src=$(cd "${TERN_SRCDIR:-.}" && pwd) || exit 1
sim=$(cd "${TERN_BUILDDIR:-.}" && pwd)/test/sim/sim
[ -x "$sim" ] || { echo "$sim is missing: make test/sim/sim"; exit 1; }
dir=$(mktemp -d "${TMPDIR:-/tmp}/sim.XXXXXX") || exit 1
trap 'rm -rf "$dir"' EXIT
cd "$src/test/sim/stories" || exit 1
failed=0
seeds=3 # for each story
hours=3 # single hours of 20 members
[ -z "${TERN_SOAK:-}" ] || seeds=100 hours=6
"$sim" --seeds "$seeds" --jobs 2 -- *.story || failed=1
tree=$(git -C "$src" rev-parse 'HEAD^{tree}' 2>/dev/null | cut -c1-6)
seed=${SEED:-$(printf '%d' "0x${tree:-1}")}
echo "days from seed $seed"
"$sim" --day --seed "$seed" --seeds 200 --jobs 2 || failed=1
"$sim" --day --hours 1 --members 20 --rate 5 --seeds "$hours" --jobs 2 || failed=1

# traces WORD... - what these words play has equal traces with equal seeds.
traces() {
	"$sim" --hash --seed 1 --seeds 10 "$@" | grep "seed [0-9]*:" >"$dir/1"
	# No choice depends on an address: objects lie elsewhere, and in another order.
	GLIBC_TUNABLES=glibc.malloc.tcache_count=0:glibc.malloc.perturb=165 setarch -R \
		"$sim" --hash --seed 1 --seeds 10 --jobs 2 "$@" | grep "seed [0-9]*:" | sort -V >"$dir/2"
	# Two empty files are equal as well.
	[ "$(wc -l <"$dir/1")" -eq 10 ] || { echo "$*: not 10 traces:"; cat "$dir/1"; failed=1; }
	# "seed N: HASH"; the words "replay:" tell the runner that the failure is no accident.
	cmp -s "$dir/1" "$dir/2" || {
		failed=1
		echo "$*: equal seeds, other traces"
		for seed in $(diff "$dir/1" "$dir/2" | sed -n 's/^< .*seed \([0-9]*\):.*/\1/p' | head -3); do
			echo "replay: $sim --trace --seed $seed $*"
			echo "and the same behind GLIBC_TUNABLES=... setarch -R as in $0"
		done
	}
}

traces --day
traces --pairs --minutes 10
traces crash.story
traces llgr_daemon.story
exit $failed
