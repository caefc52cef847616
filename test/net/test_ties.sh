#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Equal routes: the choice depends on the configuration and on the routes, never on which came first.
exec python3 -B "${0%/*}/virtual.py" "${0%.sh}.py"
