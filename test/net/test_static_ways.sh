#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Static routes and their next hops, compared with bird2's while interfaces change.
exec python3 -B "${0%/*}/virtual.py" "${0%.sh}.py"
