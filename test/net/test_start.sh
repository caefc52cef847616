#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Options, signals, start and end of the daemon.
exec python3 -B "${0%.sh}.py"
