#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# BFD sessions that BGP sessions and static routes ask for: what comes of it when they are lost.
exec python3 -B "${0%.sh}.py"
