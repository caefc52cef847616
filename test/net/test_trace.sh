#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# What the log says about a session, with and without `debug`; what `reload` says about one that is down.
exec python3 -B "${0%/*}/virtual.py" "${0%.sh}.py"
