#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The examples in the language manual do what it says; and the check notices when they don't. (That the
# manual's options are those of the program is checked by test/unit/test_doc_language.c.)
set -u
src=${TERN_SRCDIR:-.}
ternd=${TERN_BUILDDIR:-.}/ternd
[ -x "$ternd" ] || { echo "$ternd is missing"; exit 1; }
check="python3 $src/test/tools/check_docs.py $ternd"
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT

$check "$src/doc/language.md" "$src/doc/tern.conf.5" || exit 1

# planted SED-SCRIPT WHAT
planted() {
	sed "$1" "$src/doc/language.md" >"$dir/language.md"
	if cmp -s "$dir/language.md" "$src/doc/language.md"; then
		echo "no fault was planted: $2"
		exit 1
	fi
	if $check "$dir/language.md" >"$dir/out"; then
		echo "not noticed: $2"
		exit 1
	fi
}
sed 's/^\.It Ic rs client/.It Ic rs cleint/' "$src/doc/tern.conf.5" >"$dir/tern.conf.5"
if $check "$src/doc/language.md" "$dir/tern.conf.5" >"$dir/out"; then
	echo "not noticed: an unknown option in the manual page"
	exit 1
fi
sed '/^\.It Ic add paths/d' "$src/doc/tern.conf.5" >"$dir/tern.conf.5"
if $check "$src/doc/language.md" "$dir/tern.conf.5" >"$dir/out"; then
	echo "not noticed: an option that the manual page lacks"
	exit 1
fi
planted 's/^For operators/Operators/' "a page without its readers"
planted 's/The page answers: //' "a page without its question"
planted 's/^| `7 - 2` | `5` |/| `7 - 2` | `6` |/' "a wrong value"
planted 's/^	hold time 90;/	hodl time 90;/' "a wrong option"
planted '/^	startup hold time 30;/d' "an option without an example"
mkdir "$dir/adr"
sed '/^For /d' "$src/doc/adr/0001-segments.md" >"$dir/adr/0001-segments.md"
cp "$src/doc/language.md" "$dir/language.md"
if $check "$dir/language.md" >"$dir/out"; then
	echo "not noticed: a page of a folder below doc without its readers"
	exit 1
fi
