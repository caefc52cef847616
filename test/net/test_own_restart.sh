#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Our own graceful restart (RFC 4724).
exec python3 -B "${0%/*}/virtual.py" "${0%.sh}.py"
