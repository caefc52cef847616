#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Images of the tables of members of a route server.
exec python3 -B "${0%/*}/virtual.py" "${0%.sh}.py"
