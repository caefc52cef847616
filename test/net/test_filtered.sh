#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Filtered routes in three ways, and names of communities.
exec python3 -B "${0%/*}/virtual.py" "${0%.sh}.py"
