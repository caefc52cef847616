#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# protocol mrt, load: routes of files are in tables as they were; what is wrong with a file is said.
exec python3 -B "${0%/*}/virtual.py" "${0%.sh}.py"
