#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Headers are included by those who use them, and by nobody else: check_includes.py.
set -u
tool=$(cd "$(dirname "$0")" && pwd)/check_includes.py
cd "${TERN_SRCDIR:-.}" || exit 1
exec python3 -B "$tool"
