#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# doc/examples/rs.conf with members that break each rule, and members that obey.
exec python3 -B "${0%/*}/virtual.py" "${0%.sh}.py"
