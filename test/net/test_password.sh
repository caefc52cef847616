#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# TCP MD5: what is seen of a wrong password.
exec python3 -B "${0%.sh}.py"
