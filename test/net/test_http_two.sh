#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# ternhttp beside two daemons whose members have both families.
exec python3 -B "${0%.sh}.py"
