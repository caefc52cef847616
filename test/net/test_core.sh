#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# No secret in the memory that a core file would hold.
exec python3 -B "${0%.sh}.py"
