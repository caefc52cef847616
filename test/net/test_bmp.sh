#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# protocol bmp: what stations are told is what the tables have, whatever stations and members do.
exec python3 -B "${0%/*}/virtual.py" "${0%.sh}.py"
