#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# configure.ac, NEWS and debian/changelog name one version (doc/releases.md); the check notices a planted difference.
set -u
src=${TERN_SRCDIR:-.}
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT

# versions FOLDER - the version of each file, one a line.
versions() {
	sed -n 's/^AC_INIT(\[tern\], \[\([0-9.]*\)\].*/\1/p' "$1/configure.ac"
	sed -n 's/^tern \([0-9.]*\) (.*/\1/p' "$1/NEWS" | head -n 1
	sed -n '1s/^tern (\([0-9.]*\)[-)].*/\1/p' "$1/debian/changelog"
}

# equal FOLDER - all three files name one version of three numbers.
equal() {
	[ "$(versions "$1" | grep -cx '[0-9]*\.[0-9]*\.[0-9]*')" -eq 3 ] &&
		[ "$(versions "$1" | sort -u | wc -l)" -eq 1 ]
}

equal "$src" || {
	echo "configure.ac, NEWS and debian/changelog differ: $(versions "$src" | xargs)"
	exit 1
}
for planted in configure.ac NEWS debian/changelog; do
	mkdir -p "$dir/t/debian"
	cp "$src/configure.ac" "$src/NEWS" "$dir/t/"
	cp "$src/debian/changelog" "$dir/t/debian/"
	sed -i 's/^\(tern (*\|AC_INIT(\[tern\], \[\)[0-9]*/\19/' "$dir/t/$planted"
	if equal "$dir/t"; then
		echo "not noticed: another version in $planted"
		exit 1
	fi
done
