#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Members of an exchange and their routes: `show members`.
exec python3 -B "${0%/*}/virtual.py" "${0%.sh}.py"
