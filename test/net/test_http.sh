#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# ternhttp beside two daemons: the API, hostile clients, and a daemon that dies.
exec python3 -B "${0%.sh}.py"
