#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# ternhttp: reasons and remedies of routes that are refused or not sent, and communities.
exec python3 -B "${0%.sh}.py"
