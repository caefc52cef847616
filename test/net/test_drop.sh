#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Members go and come back, again and again, while routes change.
exec python3 -B "${0%/*}/virtual.py" "${0%.sh}.py"
