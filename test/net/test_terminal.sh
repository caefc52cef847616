#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# ternc on a terminal, as whoever sits before it sees it.
exec python3 -B "${0%.sh}.py"
