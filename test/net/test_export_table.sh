#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Import and export tables: what they show, beside bird2, and what they save.
exec python3 -B "${0%/*}/virtual.py" "${0%.sh}.py"
