#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# dist.sh FOLDER - write the source archive FOLDER/tern-VERSION.tar.gz. Print the name of the archive.
#
# The archive holds the files that git tracks, and ./configure, so that a build from the archive needs no autoconf. A
# tree without git (an unpacked archive) gives its sources without objects. Equal sources give an archive of equal
# octets: names are sorted, owners are 0, and each file has the time SOURCE_DATE_EPOCH (the time of the commit, or the
# time of NEWS).
set -eu
src=$(cd "$(dirname "$0")/.." && pwd)
out=$(mkdir -p "$1" && cd "$1" && pwd)
version=$(sed -n 's/^AC_INIT(\[tern\], \[\(.*\)\])$/\1/p' "$src/configure.ac")
[ -n "$version" ] || { echo "dist.sh: configure.ac names no version" >&2; exit 1; }
name=tern-$version
parts="CONTRIBUTING.md LICENSE Makefile.in NEWS README.md client configure.ac debian dist doc filter lib nest proto
	quickstart sysdep test check"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
umask 022
mkdir "$work/$name"
cd "$src"
if [ "$(git rev-parse --show-toplevel 2>/dev/null)" = "$src" ]; then
	: "${SOURCE_DATE_EPOCH:=$(git log -1 --format=%ct)}"
	# shellcheck disable=SC2086 # a list of names
	git ls-files -z -- $parts >"$work/list"
else
	: "${SOURCE_DATE_EPOCH:=$(stat -c %Y NEWS)}"
	# shellcheck disable=SC2086 # a list of names
	find $parts \( -type f -o -type l \) ! -name '*.[oda]' ! -name '*~' ! -name '*.pyc' -print0 >"$work/list"
fi
tar --null --files-from="$work/list" -cf "$work/all.tar"
tar -C "$work/$name" -xf "$work/all.tar"
chmod -R u=rwX,go=rX "$work/$name"
(cd "$work/$name" && autoreconf -i && rm -rf autom4te.cache configure~)
tar -C "$work" --sort=name --format=ustar --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" \
	-cf "$work/$name.tar" "$name"
gzip -n -9 "$work/$name.tar"
mv "$work/$name.tar.gz" "$out/$name.tar.gz"
echo "$out/$name.tar.gz"
