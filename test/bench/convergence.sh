#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# make bench-convergence: see convergence.py. BENCH_ARGS: further arguments.
# Debian's python finds Debian's matplotlib.
python=/usr/bin/python3
[ -x $python ] || python=python3
# shellcheck disable=SC2086 # several arguments
exec $python -B "$(dirname "$0")/convergence.py" ${BENCH_ARGS:-} "$@"
