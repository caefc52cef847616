#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Link-local sessions: the interface comes after the start, goes and comes back.
exec python3 -B "${0%.sh}.py"
