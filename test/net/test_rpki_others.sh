#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Protocol rpki beside bird, stayrtr and sshd.
exec python3 -B "${0%.sh}.py"
