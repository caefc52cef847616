#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A member leaks all that it has, again and again, with each limit: what the others, memory and the log have of it.
exec python3 -B "${0%/*}/virtual.py" "${0%.sh}.py"
