#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Messages that are cut anywhere, capabilities and attributes of all lengths: nobody else minds.
exec python3 -B "${0%/*}/virtual.py" "${0%.sh}.py"
