#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A LAN loses its carrier or falls silent: who stays up and who returns when, beside bird2. All members at once,
# hold timers under load.
exec python3 -B "${0%.sh}.py"
