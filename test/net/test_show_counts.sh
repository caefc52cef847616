#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# test_show_counts checks the counts and names of `show protocols all` against BIRD 2.
exec python3 -B "${0%/*}/virtual.py" "${0%.sh}.py"
