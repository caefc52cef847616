#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Broken configurations change nothing in a running daemon.
exec python3 -B "${0%/*}/virtual.py" "${0%.sh}.py"
