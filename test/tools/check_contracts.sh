#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The figures of words.py (contracts) stay within words.limits; `TERN_WORST=40 make check-contracts` lists the
# worst places.
set -u
tool=$(cd "$(dirname "$0")" && pwd)/words.py
cd "${TERN_SRCDIR:-.}" || exit 1
exec python3 -B "$tool" contracts --worst "${TERN_WORST:-0}"
