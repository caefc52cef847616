#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Sessions with another daemon: all kinds of them, both ways, and how they end.
exec python3 -B "${0%.sh}.py"
