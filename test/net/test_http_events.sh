#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# /v1/events of ternhttp: streams of two daemons, positions, slow clients, restarts.
exec python3 -B "${0%.sh}.py"
