#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Recursive static routes, compared with bird2's while what they are resolved by changes.
exec python3 -B "${0%/*}/virtual.py" "${0%.sh}.py"
