#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# No test sleeps for a fixed time, except the files of sleeps.allow: check_sleeps.py.
set -u
tool=$(cd "$(dirname "$0")" && pwd)/check_sleeps.py
cd "${TERN_SRCDIR:-.}" || exit 1
exec python3 -B "$tool"
