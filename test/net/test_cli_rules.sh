#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Rights of control sockets: restrict, allow, deny.
exec python3 -B "${0%/*}/virtual.py" "${0%.sh}.py"
