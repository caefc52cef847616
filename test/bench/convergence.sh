#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# make bench-convergence: see convergence.py. BENCH_ARGS: further arguments.
exec python3 -B "$(dirname "$0")/convergence.py" ${BENCH_ARGS:-} "$@"
