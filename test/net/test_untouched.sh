#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# test_untouched checks that a command for one object closes no session of another object and withdraws no route of
# another object: sessions that use a member's table.
exec python3 -B "${0%/*}/virtual.py" "${0%.sh}.py"
