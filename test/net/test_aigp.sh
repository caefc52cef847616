#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# AIGP: who is told it, and its part in the decision.
exec python3 -B "${0%/*}/virtual.py" "${0%.sh}.py"
