#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Stale routes follow the import policy, and the way to the member.
exec python3 -B "${0%/*}/virtual.py" "${0%.sh}.py"
