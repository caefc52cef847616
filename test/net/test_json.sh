#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# JSON of every show command against its schema and against the text, in several states.
exec python3 -B "${0%/*}/virtual.py" "${0%.sh}.py"
