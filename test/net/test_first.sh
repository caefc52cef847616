#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# test_first tries the daemon as a new user does.
exec python3 -B "${0%/*}/virtual.py" "${0%.sh}.py"
