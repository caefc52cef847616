#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Four daemons on one host: ternd -n NAME and ternc -n NAME.
exec python3 -B "${0%.sh}.py"
