#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# 24 hours of an exchange: prefix sets that come anew, members that stay.
exec python3 -B "${0%/*}/virtual.py" "${0%.sh}.py"
