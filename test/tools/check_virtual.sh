#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Session scripts run in virtual time, or test/net/real.list says why not: check_virtual.py.
set -u
tool=$(cd "$(dirname "$0")" && pwd)/check_virtual.py
cd "${TERN_SRCDIR:-.}" || exit 1
exec python3 -B "$tool"
