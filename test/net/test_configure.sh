#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# test_configure checks the effects of a single `configure` on instances and control sockets, and commands right behind.
exec python3 -B "${0%/*}/virtual.py" "${0%.sh}.py"
