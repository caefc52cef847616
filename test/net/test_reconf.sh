#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# An operator's day: random reconfigurations of an exchange, while members come, go and flap.
exec python3 -B "${0%/*}/virtual.py" "${0%.sh}.py"
