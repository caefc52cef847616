#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# What show health finds, and what it says besides.
exec python3 -B "${0%/*}/virtual.py" "${0%.sh}.py"
