#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Several routes a prefix from one peer (RFC 7911).
exec python3 -B "${0%/*}/virtual.py" "${0%.sh}.py"
