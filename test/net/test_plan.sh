#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# What configure says before it does it, and whether it is what it does.
exec python3 -B "${0%/*}/virtual.py" "${0%.sh}.py"
