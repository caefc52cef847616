#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# What is done to one object closes no session of another one and withdraws none of its routes: others that use a
# member's table.
exec python3 -B "${0%/*}/virtual.py" "${0%.sh}.py"
