#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The sandbox of ternd: what `show status` says, refused system calls in the log, --no-sandbox.
exec python3 -B "${0%.sh}.py"
