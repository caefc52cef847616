#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Many workers, a killed member and a reconfiguration in the middle.
exec python3 -B "${0%/*}/virtual.py" "${0%.sh}.py"
