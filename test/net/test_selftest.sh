#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Self-tests of configurations (ternd -t).
exec python3 -B "${0%.sh}.py"
