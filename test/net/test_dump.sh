#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# What `dump` writes, to files and to the log.
exec python3 -B "${0%/*}/virtual.py" "${0%.sh}.py"
