#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# `origin set` and `origin_check`: files, changes of files, guards, and doc/examples/origins.py.
exec python3 -B "${0%/*}/virtual.py" "${0%.sh}.py"
