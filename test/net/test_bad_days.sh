#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A stopped daemon, a wrong clock, silent and leaking members.
exec python3 -B "${0%/*}/virtual.py" "${0%.sh}.py"
