#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# subscribe routes: the first look, changes, withdrawals, and subscribers that are slow, gone or without rights.
exec python3 -B "${0%.sh}.py"
