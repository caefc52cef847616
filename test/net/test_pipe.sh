#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Pipes between tables: beside bird, in loops, and made and deleted under traffic.
exec python3 -B "${0%/*}/virtual.py" "${0%.sh}.py"
