#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# 300 configurations in virtual time (doc/testing.md): each pair of features occurs in one of them. TERN_SEED=
# chooses the
# first seed; else the tree does.
set -u
src=$(cd "${TERN_SRCDIR:-.}" && pwd) || exit 1
sim=$(cd "${TERN_BUILDDIR:-.}" && pwd)/test/sim/sim
[ -x "$sim" ] || { echo "there is no $sim: make test/sim/sim"; exit 1; }
tree=$(git -C "$src" rev-parse 'HEAD^{tree}' 2>/dev/null | cut -c1-6)
seed=${TERN_SEED:-$(printf '%d' "0x${tree:-1}")}
echo "seeds from $seed"
exec "$sim" --pairs --seed "$seed" --seeds 300 --jobs 2 --minutes 20
