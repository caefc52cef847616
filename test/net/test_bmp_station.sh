#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# protocol bmp, station: what routers report is in tables.
exec python3 -B "${0%/*}/virtual.py" "${0%.sh}.py"
