#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Instances and tables come and go while clients look at them.
exec python3 -B "${0%/*}/virtual.py" "${0%.sh}.py"
