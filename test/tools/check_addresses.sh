#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# No order, number or choice depends on an address in memory: check_addresses.py. check_sim.sh compares traces of the
# daemon at other addresses.
set -u
tool=$(cd "$(dirname "$0")" && pwd)/check_addresses.py
cd "${TERN_SRCDIR:-.}" || exit 1
exec python3 -B "$tool"
