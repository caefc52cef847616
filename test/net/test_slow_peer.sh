#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A member stops reading while another announces and withdraws.
exec python3 -B "${0%/*}/virtual.py" "${0%.sh}.py"
