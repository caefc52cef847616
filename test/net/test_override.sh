#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Overrides of operators: block, accept, limit, no export; their end, and what survives.
exec python3 -B "${0%/*}/virtual.py" "${0%.sh}.py"
