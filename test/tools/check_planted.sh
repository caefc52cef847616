#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Each fault of test/sim/planted.list fits the tree: the lines that the fault changes occur once in the file.
exec python3 -B "${TERN_SRCDIR:-.}/test/sim/planted.py" --check
