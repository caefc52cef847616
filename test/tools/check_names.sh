#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The functions, files and tests that doc/ names are in the tree: check_names.py.
set -u
tool=$(cd "$(dirname "$0")" && pwd)/check_names.py
cd "${TERN_SRCDIR:-.}" || exit 1
exec python3 -B "$tool"
