#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Each file of the product names a test: check_tested.py.
set -u
tool=$(cd "$(dirname "$0")" && pwd)/check_tested.py
cd "${TERN_SRCDIR:-.}" || exit 1
exec python3 -B "$tool"
