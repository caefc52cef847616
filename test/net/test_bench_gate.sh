#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# test_bench_gate checks that the instructions, system calls and wake-ups of a route equal the figures in the tree
# (gate.py).
src=${TERN_SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
exec python3 -B "$src/test/bench/gate.py" --short
