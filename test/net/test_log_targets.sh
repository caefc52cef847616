#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Where the log can go, and what it can be told to have of the daemon itself.
exec python3 -B "${0%/*}/virtual.py" "${0%.sh}.py"
