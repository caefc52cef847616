#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# ternshadow and its feeds: tables, sessions and malformed records of MRT files; members, lies and strangers by BMP.
exec python3 -B "${0%/*}/virtual.py" "${0%.sh}.py"
