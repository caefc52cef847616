#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Only sysdep talks to the system. Each symbol that an object of lib, filter, nest or proto does not define itself
# is one of another object of the tree, or doors.list allows it: a system call in another folder fails here with its
# object and name. The objects are those of the build folder, of whatever compiler and sanitizer. gcc's objects for
# link-time optimisation have an ordinary half, which is read; of clang's, llvm-nm reads the bitcode. check_fds.py then
# compares the descriptors of filter, nest and proto with fds.list.
set -u
tools=$(cd "$(dirname "$0")" && pwd)
list=$tools/doors.list
src=$(cd "${TERN_SRCDIR:-.}" && pwd) || exit 1
cd "${TERN_BUILDDIR:-.}" || exit 1
# make coverage: no inline functions of the C library, and the counters
if grep -q '^CFLAGS = .*--coverage' Makefile; then
	echo "skipped: an object without optimisation calls functions of the C library that the lists lack"
	exit 77
fi
[ -r libtern.list ] || { echo "libtern.list is missing: make libtern.a"; exit 1; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

# symbols OBJECT - lines "OBJECT U NAME" of what it lacks, "OBJECT D NAME" of what it gives to others.
symbols() {
	if readelf -h "$1" >/dev/null 2>&1; then
		# not nm, which shows the compiler's own table of an object with two halves
		readelf -sW "$1" | awk -v o="$1" '$5 != "LOCAL" && $8 != "" && $1 ~ /:$/ {
			sub(/@.*/, "", $8)
			print o, $7 == "UND" ? "U" : "D", $8
		}'
	else
		llvm-nm "$1" | awk -v o="$1" '{ print o, $(NF - 1) == "U" ? "U" : "D", $NF }'
	fi
}

for o in $(cat libtern.list) proto/main*.o; do
	[ -r "$o" ] || { echo "$o is missing: make all"; exit 1; }
	symbols "$o" >>"$work/all" || exit 1
done

# An object without a symbol would pass whatever it does.
awk '
# plain - without what _FORTIFY_SOURCE and versions of scanf add
function plain(s) {
	sub(/^__isoc[0-9]+_/, "", s)
	if (s ~ /^__.*_chk$/) {
		sub(/^__/, "", s)
		sub(/_chk$/, "", s)
	}
	return s
}
function allowed(o, s, at, i) {
	for (at = o; at != ""; at = up(at)) {
		if ((at, s) in allow)
			return 1
		for (i = 0; i < stars[at]; i++)
			if (index(s, star[at, i]) == 1)
				return 1
	}
	return 0
}
function up(path) {
	return sub(/\/[^\/]*$/, "", path) ? path : ""
}
FILENAME == ARGV[1] {
	if (/^#/ || !NF)
		next
	split($0, part, /: */)
	places = split(part[1], place, / +/)
	names = split(part[2], name, / +/)
	for (p = 1; p <= places; p++)
		for (n = 1; n <= names; n++)
			if (name[n] ~ /\*$/)
				star[place[p], stars[place[p]]++] = substr(name[n], 1, length(name[n]) - 1)
			else
				allow[place[p], name[n]] = 1
	next
}
{ seen[$1] = 1 }
$2 == "D" { defined[$3] = 1 }
$2 == "U" && $1 !~ /^sysdep\// { lacks[$1 " " $3] = 1 }
END {
	for (k in lacks) {
		split(k, at, " ")
		if (!(at[2] in defined) && !allowed(at[1], plain(at[2])))
			print at[1] ": uses " at[2] ", which doors.list does not allow there"
	}
	for (o in seen)
		cnt++
	if (cnt < 2)
		print "the objects have no symbols"
}' "$list" "$work/all" | sort >"$work/bad"
cat "$work/bad"

# An instruction of one's own is no symbol. An empty text is none: it holds the compiler back.
cd "$src" || exit 1
# shellcheck disable=SC2046 # several files
if grep -nE '\b(__)?asm(__)?( *(volatile|__volatile__))? *\( *"[^"]' \
	$(find lib filter nest proto -name '*.[chly]') /dev/null; then
	echo "an instruction outside sysdep"
	exit 1
fi
python3 -B "$tools/check_fds.py" || exit 1
[ ! -s "$work/bad" ]
