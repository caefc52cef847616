#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Quarantine of members: `quarantine`, `quarantine release`, `show quarantine`.
exec python3 -B "${0%/*}/virtual.py" "${0%.sh}.py"
