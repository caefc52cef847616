#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A daemon that isn't root's: what `configure` brings works, or it says which right is missing.
exec python3 -B "${0%.sh}.py"
