#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# What `show memory` tells, and memory that goes back.
exec python3 -B "${0%.sh}.py"
