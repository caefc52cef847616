#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Each program's manual page has the options that its --help has, and no others; ternload's also its steps.
# And the check notices when one is missing.
set -u
src=${TERN_SRCDIR:-.} bin=${TERN_BUILDDIR:-.}
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT

# of_help PROGRAM, of_page FILE - one option or step a line.
of_help() {
	"$bin/$1" --help >"$dir/help" || return 1
	# "-g, -u      ...", "--port N   ...", "  churn      N: ...", "Usage: ternd [-c FILE] ... [--version]"
	{
		sed -n 's/^  \(-[^ ,]*\(, -[^ ,]*\)*\).*/\1/p' "$dir/help" | tr -d ' ' | tr ',' '\n'
		grep '^Usage:\|^  *\[' "$dir/help" | grep -o '\[--*[A-Za-z][a-z-]*' | tr -d '['
		sed -n '/^Steps/,$s/^  \([a-z][a-z]*\) .*/\1/p' "$dir/help"
	} | grep -v '^-h$\|^--help$' | sort -u
}

of_page() {
	{
		# Options stand in lists, but --help and --version only in the synopsis.
		sed -n 's/^\.It Fl/Fl/p; /^\.Sh SYNOPSIS/,/^\.Sh DESC/s/^\.Fl -/Fl -/p' "$1" | grep -o '\<Fl [^ ]*' | sed 's/Fl /-/'
		sed -n '/^\.Sh STEPS/,/^\.Sh EXIT/s/^\.It Cm \([a-z]*\).*/\1/p' "$1"
	} | grep -v '^--help$' | sort -u
}

# compare PROGRAM PAGE
compare() {
	of_help "$1" >"$dir/a" || { echo "$1 --help failed"; return 1; }
	of_page "$2" >"$dir/b"
	[ "$(wc -l <"$dir/a")" -ge 5 ] || { echo "$1 --help has hardly any options"; return 1; }
	diff "$dir/a" "$dir/b" >"$dir/diff" && return 0
	echo "$1 --help (<) and ${2##*/} (>) don't have the same options:"
	grep '^[<>]' "$dir/diff"
	return 1
}

rc=0
for of in ternd:tern ternshadow:ternshadow ternc:ternc ternload:ternload; do
	compare "${of%:*}" "$src/doc/${of#*:}.8" || rc=1
done
for planted in '/^\.It Fl -seed /d' '/^\.It Cm churn/d' 's/^\.It Fl -plain/.It Fl -plane/'; do
	sed "$planted" "$src/doc/ternload.8" >"$dir/page"
	if cmp -s "$dir/page" "$src/doc/ternload.8" || compare ternload "$dir/page" >/dev/null; then
		echo "it isn't noticed: $planted"
		rc=1
	fi
done
exit $rc
