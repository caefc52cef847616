#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The rig that measures still runs: every daemon that is installed serves 10 clients rightly (bench.py
# --test), the rows that change policy or members work with tern, and tables and CSV come out.
src=${TERN_SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
exec python3 -B "${0%.sh}.py" "$src"
