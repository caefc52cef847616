#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# test_log_targets checks the targets of the log and the classes of its messages.
exec python3 -B "${0%/*}/virtual.py" "${0%.sh}.py"
