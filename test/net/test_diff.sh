#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The same expressions, functions and filters mean the same in bird2: the short form of `make diff`.
exec python3 -B "$(dirname "$0")/../diff/diff.py" --short
