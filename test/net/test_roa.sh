#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Static routes, ROA tables, roa_check and what follows from changed ROAs.
exec python3 -B "${0%/*}/virtual.py" "${0%.sh}.py"
