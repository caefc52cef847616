#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The texts of the programs name their subjects: words.py (messages). messages.allow holds the exceptions.
set -u
tool=$(cd "$(dirname "$0")" && pwd)/words.py
cd "${TERN_SRCDIR:-.}" || exit 1
exec python3 -B "$tool" messages --worst "${TERN_WORST:-40}"
