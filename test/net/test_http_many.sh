#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# ternhttp with many clients of which half never read, stopped and killed: the daemon beside is unaffected.
exec python3 -B "${0%.sh}.py"
