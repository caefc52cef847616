#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A reload every second while routes change.
exec python3 -B "${0%/*}/virtual.py" "${0%.sh}.py"
