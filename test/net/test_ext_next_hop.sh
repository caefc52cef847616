#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Next hops of members on one link: IPv6 ones of IPv4 routes, link-local ones.
exec python3 -B "${0%/*}/virtual.py" "${0%.sh}.py"
