#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# What a route costs in instructions, system calls and wake-ups is what the figures in the tree say (gate.py).
src=${TERN_SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
exec python3 -B "$src/test/bench/gate.py" --short
