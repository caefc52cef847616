#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# `drain` and `undrain` (RFC 8326): what members are told before the session closes, and what survives.
exec python3 -B "${0%/*}/virtual.py" "${0%.sh}.py"
