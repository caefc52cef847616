#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Each limit of routes with each action, beside bird2.
exec python3 -B "${0%.sh}.py"
