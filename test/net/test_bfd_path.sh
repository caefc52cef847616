#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# BFD where a switch stops forwarding, a neighbour ends and comes back, or a clock is set: with bird2 and frr's bfdd.
exec python3 -B "${0%.sh}.py"
