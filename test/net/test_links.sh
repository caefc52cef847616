#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Interfaces and addresses come and go: the list of them, compared with bird2 and the kernel.
exec python3 -B "${0%/*}/virtual.py" "${0%.sh}.py"
