#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# test_gateway checks the next hop that peers receive when filters assign gw or take bgp_next_hop away.
exec python3 -B "${0%/*}/virtual.py" "${0%.sh}.py"
