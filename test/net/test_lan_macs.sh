#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The list of MAC addresses of the LAN (`lan macs`), and the kernel's table of neighbors.
exec python3 -B "${0%/*}/virtual.py" "${0%.sh}.py"
