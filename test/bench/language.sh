#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# make bench-language: parsing, sets, an import filter and reconfiguration, beside bird2 where it is
# installed. BENCH_ARGS: arguments for all three scripts, as --rounds 5.
here=$(dirname "$0")
failed=0
"$TERN_BUILDDIR/test/bench/bench_sets" || failed=1
for script in conf_speed import_filter reconfigure; do
	echo
	# shellcheck disable=SC2086 # several arguments
	python3 -B "$here/$script.py" ${BENCH_ARGS:-} || failed=1
done
exit $failed
