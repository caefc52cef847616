#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Members.
exec python3 -B "${0%.sh}.py"
