#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# protocol bmp: what stations are told of Adj-RIB-Outs is what members have read.
exec python3 -B "${0%/*}/virtual.py" "${0%.sh}.py"
