#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# By BIRD's names: where they are installed, and that they do what BIRD's do.
exec python3 -B "${0%.sh}.py"
