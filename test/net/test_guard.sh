#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards on input: sets of generated files, and records of caches.
exec python3 -B "${0%/*}/virtual.py" "${0%.sh}.py"
