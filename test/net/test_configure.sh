#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# What a single `configure` does to instances and control sockets, and commands right behind it.
exec python3 -B "${0%/*}/virtual.py" "${0%.sh}.py"
