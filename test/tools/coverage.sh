#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Line coverage of what the tests ran, one line a file and one a folder. Run in a build folder made with
# CFLAGS='--coverage -O0' after the tests (`make coverage` does all that).
# A test may include the source that it tests, so one source has counts in several objects: a line is
# covered if one of them ran it.
set -u
: "${TERN_SRCDIR:?}" "${TERN_BUILDDIR:?}"
cd "$TERN_BUILDDIR" || exit 1

find . -name '*.gcda' | sort | xargs gcov -t 2>/dev/null | awk -v top="$TERN_SRCDIR/" '
/^ *-: *0:Source:/ {
	file = $0
	sub(/^ *-: *0:Source:/, "", file)
	sub(/^(\.\.\/)+/, "", file)
	if (index(file, top) == 1)
		file = substr(file, length(top) + 1)
	wanted = file ~ /^(lib|sysdep|filter|nest|proto)\//
	next
}
wanted {
	split($0, part, ":")
	count = part[1]
	line = part[2] + 0
	gsub(/[ *]/, "", count)
	if (count == "-" || line == 0)
		next
	key = file SUBSEP line
	if (!(key in seen)) {
		seen[key] = 1
		all[file]++
	}
	if (count !~ /^[#=]/ && !(key in ran)) {
		ran[key] = 1
		done[file]++
	}
}
END {
	for (file in all) {
		printf "%6.1f %% of %5d  %s\n", 100 * done[file] / all[file], all[file], file
		folder = file
		sub(/\/[^\/]*$/, "", folder)
		folder_all[folder] += all[file]
		folder_done[folder] += done[file]
	}
	for (folder in folder_all)
		printf "%6.1f %% of %5d  %s/ (all)\n", 100 * folder_done[folder] / folder_all[folder],
		    folder_all[folder], folder
}' | sort -k 5
