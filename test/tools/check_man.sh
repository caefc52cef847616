#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Each program's manual page has exactly the options of --help; the page of ternload also has the steps.
# mandoc and groff, where installed, render each page without a warning. ternd accepts the examples of tern.conf(5).
# The check also proves that the check notices planted faults.
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
		sed -n 's/^\.It Fl/Fl/p; /^\.Sh SYNOPSIS/,/^\.Sh DESC/s/^\.Fl -/Fl -/p' "$1" |
			grep -o '\<Fl [^ ]*' | sed 's/Fl /-/'
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

# lint PAGE - mandoc and groff have no warning. Long lines and pages that this machine lacks are no warnings.
lint() {
	if command -v mandoc >/dev/null; then
		mandoc -T lint -W warning "$1" >"$dir/lint" 2>&1 || { cat "$dir/lint"; return 1; }
	fi
	if command -v groff >/dev/null; then
		groff -ww -mandoc -Tutf8 -z "$1" >"$dir/lint" 2>&1
		[ ! -s "$dir/lint" ] || { cat "$dir/lint"; return 1; }
	fi
	# Qq and Op reach to the end of the line, and so enclose options that follow the semicolon.
	! grep -nE '^\.It .*\<(Qq|Op|Pq|Brq)\> .* ; .*\<(Ic|Cm|Ar)\>' "$1"
}

# accepted PAGE - ternd -p accepts each example of the page.
accepted() {
	rm -rf "$dir/conf"
	mkdir -p "$dir/conf/members"
	awk -v to="$dir/conf/" '
		/^\.Ed/ { on = 0 }
		on { print >(to cnt ".conf") }
		/^\.Bd -literal/ { on = 1; cnt++ }' "$1"
	for conf in "$dir"/conf/*.conf; do
		"$bin/ternd" -p -c "$conf" >"$dir/out" 2>&1 || { cat "$dir/out"; return 1; }
	done
	[ "$conf" = "$dir/conf/7.conf" ] || { echo "${1##*/} has other examples than 7"; return 1; }
}

rc=0
for page in "$src"/doc/*.[58]; do
	lint "$page" || rc=1
done
accepted "$src/doc/tern.conf.5" || rc=1
for of in ternd:tern ternshadow:ternshadow ternc:ternc ternhttp:ternhttp ternload:ternload ternfib:ternfib; do
	compare "${of%:*}" "$src/doc/${of#*:}.8" || rc=1
done
for planted in '/^\.It Fl -seed /d' '/^\.It Cm churn/d' 's/^\.It Fl -plain/.It Fl -plane/'; do
	sed "$planted" "$src/doc/ternload.8" >"$dir/page"
	if cmp -s "$dir/page" "$src/doc/ternload.8" || compare ternload "$dir/page" >/dev/null; then
		echo "not noticed: $planted"
		rc=1
	fi
done
# planted TEST SED-SCRIPT - the test fails for tern.conf.5 after the script.
planted() {
	sed "$2" "$src/doc/tern.conf.5" >"$dir/page"
	if cmp -s "$dir/page" "$src/doc/tern.conf.5" || "$1" "$dir/page" >/dev/null; then
		echo "not noticed: $2"
		rc=1
	fi
}
planted accepted 's/^	remote 192.0.2.3 port/	remote 192.0.2.3 prot/'
planted lint 's/^\.It Ic mrtdump Qo Ar name Qc ;/.It Ic mrtdump Qq Ar name ;/'
if command -v mandoc >/dev/null || command -v groff >/dev/null; then
	planted lint 's/^\.Ql .&%N/.Cm %N/'
fi
exit $rc
