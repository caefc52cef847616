#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Images of tables, read by the Python module.
exec python3 -B "${0%/*}/virtual.py" "${0%.sh}.py"
