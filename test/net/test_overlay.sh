#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Tables that lie over a common one, beside bird2.
exec python3 -B "${0%/*}/virtual.py" "${0%.sh}.py"
