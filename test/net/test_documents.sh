#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The commands of README, doc/ and doc/examples work.
exec python3 -B "${0%.sh}.py"
