#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Protocol rpki: sessions with caches that behave, restart, lie and die.
exec python3 -B "${0%/*}/virtual.py" "${0%.sh}.py"
