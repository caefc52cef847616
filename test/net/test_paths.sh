#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Members get the paths that they must, where more than the best one of a net counts: bird2 and ternd.
exec python3 -B "${0%/*}/virtual.py" "${0%.sh}.py"
