#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# test_dump checks the output of `dump`, to files and to the log.
exec python3 -B "${0%/*}/virtual.py" "${0%.sh}.py"
