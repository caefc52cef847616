#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The page of counters: its values beside those of commands, rights, configure, readers that die, ternhttp.
exec python3 -B "${0%.sh}.py"
