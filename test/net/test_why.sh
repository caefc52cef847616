#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# show route why against a naive model of the decision, for random routes, filters and members.
exec python3 -B "${0%/*}/virtual.py" "${0%.sh}.py"
