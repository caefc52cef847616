#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# test_facts checks that a session learns new facts when the configuration or the link changes: well-known communities,
# subnets, our addresses.
exec python3 -B "${0%/*}/virtual.py" "${0%.sh}.py"
