#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# What `make install` puts where, the systemd unit, and what it says at start and stop.
exec python3 -B "${0%.sh}.py"
