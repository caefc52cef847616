#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Graceful restart with other daemons, in both roles; each is killed in turn.
exec python3 -B "${0%.sh}.py"
