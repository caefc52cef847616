#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Changes of members and configurations since a time: `show diff`.
exec python3 -B "${0%/*}/virtual.py" "${0%.sh}.py"
