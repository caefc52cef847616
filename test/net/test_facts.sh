#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# What a session was told when it came up is told again when the configuration or the link changes: well-known
# communities, subnets, our addresses.
exec python3 -B "${0%/*}/virtual.py" "${0%.sh}.py"
