#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The rig that measures across machines (doc/rig.md), with faults.
exec python3 -B "${0%.sh}.py"
