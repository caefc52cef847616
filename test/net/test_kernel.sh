#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Routes into the kernel and out of it, compared with what bird2 does by the same configuration.
exec python3 -B "${0%.sh}.py"
