#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Members that restart, in each combination of limit, import table, ROA change, reload and second restart.
exec python3 -B "${0%/*}/virtual.py" "${0%.sh}.py"
