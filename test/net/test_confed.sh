#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A confederation: what peers of each kind are told, and what is refused.
exec python3 -B "${0%/*}/virtual.py" "${0%.sh}.py"
