#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Routes to networks of interfaces, compared with bird2's while interfaces change.
exec python3 -B "${0%/*}/virtual.py" "${0%.sh}.py"
