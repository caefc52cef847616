#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# make bench-micro: run the programs, show their tables, and leave all results in one JSON file.
#   bench_micro.sh JSON PROGRAM ...
set -eu
json=$1
shift
rm -f "$json.rows"
for program; do
	"./$program" --json "$json.rows"
done
{
	echo '['
	sed '$ s/,$//' "$json.rows"
	echo ']'
} > "$json"
rm -f "$json.rows"
missed=$(grep -c '"met": false' "$json" || true)
printf '\nrustbgpd: its published table (AMD Ryzen 9); here: version 0.8.0 on the reference machine of %s.\n' \
	doc/performance.md
printf '%s budgets missed; all results: %s\n' "$missed" "$json"
