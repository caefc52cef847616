#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# An operator's day: what a command has said is so when the next one is given.
exec python3 -B "${0%/*}/virtual.py" "${0%.sh}.py"
