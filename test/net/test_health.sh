#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# test_health checks the findings and the other lines of `show health`.
exec python3 -B "${0%/*}/virtual.py" "${0%.sh}.py"
