#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Show route export table of a channel with `secondary`: many routes refused first.
exec python3 -B "${0%/*}/virtual.py" "${0%.sh}.py"
