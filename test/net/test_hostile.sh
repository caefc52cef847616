#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Members, strangers and operators that misbehave, each 20 times.
exec python3 -B "${0%/*}/virtual.py" "${0%.sh}.py"
