#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# One network that a member announces under 65,000 path identifiers.
exec python3 -B "${0%/*}/virtual.py" "${0%.sh}.py"
