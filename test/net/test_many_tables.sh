#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# 1,000 tables, some of which come and go.
exec python3 -B "${0%.sh}.py"
