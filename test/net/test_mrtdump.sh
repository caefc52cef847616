#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# test_mrtdump checks the messages of sessions as an MRT file: read by a reader of its own, compared with bird2's,
# replayed by ternload.
exec python3 -B "${0%/*}/virtual.py" "${0%.sh}.py"
