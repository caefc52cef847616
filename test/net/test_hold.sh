#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# `disable P hold`: it survives configure and restart; the state file, whole, broken, cut, of a later version, on
# a full disk.
exec python3 -B "${0%/*}/virtual.py" "${0%.sh}.py"
