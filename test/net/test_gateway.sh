#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# What peers are told as next hop when filters assign gw or take bgp_next_hop away.
exec python3 -B "${0%/*}/virtual.py" "${0%.sh}.py"
