#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Next hops of BGP that are looked up, compared with those of bird2 while what they are looked up in changes.
exec python3 -B "${0%/*}/virtual.py" "${0%.sh}.py"
