#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Members that take one route a prefix, the first that they may have, or all: reconfigured beside bird2.
exec python3 -B "${0%/*}/virtual.py" "${0%.sh}.py"
