#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Two route servers, bird2 and ternd, serve the same 100 members; each is reloaded, restarted and killed in turn.
exec python3 -B "${0%.sh}.py"
