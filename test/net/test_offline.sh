#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Previews without a daemon: ternc snapshot, ternd --preview NEW --against OLD --routes SNAPSHOT.
exec python3 -B "${0%.sh}.py"
