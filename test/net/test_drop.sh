#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Some members go.
exec python3 -B "${0%.sh}.py"
