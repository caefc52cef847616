#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Limits of routes: crossed, and lowered below what is there.
exec python3 -B "${0%/*}/virtual.py" "${0%.sh}.py"
