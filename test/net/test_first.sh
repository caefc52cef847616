#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# What somebody meets who tries the daemon.
exec python3 -B "${0%/*}/virtual.py" "${0%.sh}.py"
