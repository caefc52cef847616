#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# ternhttp with credentials: who sees the filtered routes of a member.
exec python3 -B "${0%.sh}.py"
