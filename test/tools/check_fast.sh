#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# No test asserts that something was fast, except the functions of fast.allow: check_fast.py.
set -u
tool=$(cd "$(dirname "$0")" && pwd)/check_fast.py
cd "${TERN_SRCDIR:-.}" || exit 1
exec python3 -B "$tool"
