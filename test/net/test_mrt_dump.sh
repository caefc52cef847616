#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Tables in MRT format: read by a reader of its own and by bgpdump, compared with bird2's.
exec python3 -B "${0%/*}/virtual.py" "${0%.sh}.py"
