#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# OPENs and NOTIFICATIONs, beside bird.
exec python3 -B "${0%/*}/virtual.py" "${0%.sh}.py"
