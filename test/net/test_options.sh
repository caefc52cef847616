#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# `configure` equals a fresh start, for each option of the program (test_options.py).
src=${TERN_SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
exec python3 -B "$src/test/net/test_options.py"
