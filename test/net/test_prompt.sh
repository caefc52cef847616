#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Commands one after the other, many clients at once, reload after reload.
exec python3 -B "${0%/*}/virtual.py" "${0%.sh}.py"
