#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Every reason for which a route is kept back: it is caused, and all that tells it says the same.
exec python3 -B "${0%/*}/virtual.py" "${0%.sh}.py"
