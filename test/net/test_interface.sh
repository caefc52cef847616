#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Sessions whose interface, address or carrier comes after the start, goes and comes back.
exec python3 -B "${0%/*}/virtual.py" "${0%.sh}.py"
