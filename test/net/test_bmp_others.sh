#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# protocol bmp: heard by a collector of another make.
exec python3 -B "${0%.sh}.py"
