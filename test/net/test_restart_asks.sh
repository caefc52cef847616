#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# `ternc graceful restart` on a terminal: which members keep no routes, the question, and each answer.
exec python3 -B "${0%.sh}.py"
