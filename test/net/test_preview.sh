#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A preview tells what `configure` then does to each member.
exec python3 -B "${0%/*}/virtual.py" "${0%.sh}.py"
