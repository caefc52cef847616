#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The report of filtered routes: ternc report manrs.
exec python3 -B "${0%.sh}.py"
