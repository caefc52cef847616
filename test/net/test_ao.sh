#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# TCP-AO: keys, and how they are exchanged under way.
exec python3 -B "${0%.sh}.py"
