#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# 300 configurations in virtual time (doc/testing.md): each pair of features occurs in one of them. SEED=N chooses the
# first seed; else the tree does, as for `make sim-pairs`. TERN_SOAK=1: each run lasts an hour in place of 10 minutes.
set -u
src=$(cd "${TERN_SRCDIR:-.}" && pwd) || exit 1
sim=$(cd "${TERN_BUILDDIR:-.}" && pwd)/test/sim/sim
[ -x "$sim" ] || { echo "$sim is missing: make test/sim/sim"; exit 1; }
tree=$(git -C "$src" rev-parse 'HEAD^{tree}' 2>/dev/null | cut -c1-6)
seed=${SEED:-$(printf '%d' "0x${tree:-1}")}
echo "seeds from $seed"
minutes=10
[ "${TERN_SOAK:-}" != 1 ] || minutes=60
exec "$sim" --pairs --seed "$seed" --seeds 300 --jobs 2 --minutes "$minutes"
