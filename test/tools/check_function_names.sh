#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The figures of words.py (function-names) stay within words.limits; `TERN_WORST=40 make check-function-names`
# lists the worst places.
set -u
tool=$(cd "$(dirname "$0")" && pwd)/words.py
cd "${TERN_SRCDIR:-.}" || exit 1
exec python3 -B "$tool" function-names --worst "${TERN_WORST:-0}"
