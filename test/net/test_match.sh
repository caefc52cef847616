#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# `show route for` by an index of longest matches, which comes and goes.
exec python3 -B "${0%/*}/virtual.py" "${0%.sh}.py"
