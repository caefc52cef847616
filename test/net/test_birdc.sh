#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Many commands, asked of bird2 and of ternd in the same states.
exec python3 -B "${0%.sh}.py"
