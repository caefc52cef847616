#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# test_trace checks the log lines about a session, with and without `debug`, and the reply to `reload` of a session that
# is down.
exec python3 -B "${0%/*}/virtual.py" "${0%.sh}.py"
