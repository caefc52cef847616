#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# `next hop map`: a changed file sends the concerned routes alone; a wrong file changes nothing.
exec python3 -B "${0%/*}/virtual.py" "${0%.sh}.py"
