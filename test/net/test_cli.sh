#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The control socket: framing, layouts, reply codes.
exec python3 -B "${0%/*}/virtual.py" "${0%.sh}.py"
