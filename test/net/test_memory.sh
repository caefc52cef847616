#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# test_memory checks the figures of `show memory`, and that freed memory returns to the system.
exec python3 -B "${0%.sh}.py"
