#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Filters that exceed a bound, in a running daemon.
exec python3 -B "${0%/*}/virtual.py" "${0%.sh}.py"
