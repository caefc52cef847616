#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# clang-tidy (.clang-tidy), cppcheck and gcc -fanalyzer find nothing in C files of the product. The check reads the
# files that the branch and the working tree changed since main; gcc -fanalyzer reads files of lib only. lint.allow has
# a line for each permitted finding: TOOL | FILE | NAME OF THE FINDING | reason. And each tool notices a planted fault.
#
# TERN_LINT=all: the whole tree, and no entry of lint.allow is idle. TERN_LINT_BASE: a commit in place of main.
# The tools are optional: the check names a missing tool and goes on.
set -u
tools=$(cd "$(dirname "$0")" && pwd) || exit 1
build=$(cd "${TERN_BUILDDIR:-.}" && pwd) || exit 1
cd "${TERN_SRCDIR:-.}" || exit 1
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
folders="lib sysdep filter nest proto client"
jobs=$(nproc)
failed=0

# lint_changed - the C files that differ from the common ancestor with main.
lint_changed() {
	base=${TERN_LINT_BASE:-}
	for b in origin/main main; do
		[ -n "$base" ] || base=$(git merge-base HEAD $b 2>/dev/null)
	done
	[ -n "$base" ] || return 0
	# shellcheck disable=SC2086 # several folders
	{
		git diff --name-only --diff-filter=d "$base" -- $folders
		git ls-files --others --exclude-standard -- $folders
	} | grep '\.c$' | sort -u
}

if [ "${TERN_LINT:-}" = all ]; then
	# shellcheck disable=SC2086 # several folders
	git ls-files $folders | grep '\.c$' >"$dir/files"
elif git rev-parse --git-dir >/dev/null 2>&1; then
	lint_changed >"$dir/files"
else
	echo "cannot here: the tree has no history that names changed files"
	exit 77
fi
[ -s "$dir/files" ] || exit 0
# A planted fault for each tool: equal operands, a read of an array before its contents, a lost block of memory.
mkdir "$dir/lib"
cat >"$dir/lib/planted.c" <<-'E'
	#include <stdlib.h>
	int
	planted_tidy(int a)
	{
		return a == a;
	}
	int
	planted_cppcheck(void)
	{
		int a[2];

		return a[2];
	}
	int
	planted_leak(unsigned long n)
	{
		char *p = malloc(n);

		return p ? p[0] = 1 : 0;
	}
E

# lint_defs - the macros of the makefile; the values do not matter.
# shellcheck disable=SC2089,SC2090 # the quotes are a part of the values
lint_defs='-D_GNU_SOURCE -DTERN_VERSION="0" -DTERN_CONF_PATH="/a" -DTERN_SOCKET_PATH="/b" -DTERN_STATE_DIR="/c"
	-DTERN_BIRD_CONF_PATH="/d" -DTERN_BIRD_SOCKET_PATH="/e"'

lint_tidy() {
	# shellcheck disable=SC2016,SC2086,SC2090 # several options; the inner shell expands
	xargs -P "$jobs" -n 8 sh -c 'o=$1; shift; clang-tidy --quiet "$@" -- -std=c17 -O2 $o' tidy \
		"$lint_defs -I$build -I." 2>/dev/null |
		sed -n 's/^\(.*\):\([0-9]*\):[0-9]*: [a-z]*: \(.*\) \[\(.*\)\]$/\1|\4|\2: \3/p'
}

lint_cppcheck() {
	# shellcheck disable=SC2086,SC2090 # several options
	cppcheck -q -j "$jobs" --std=c11 --enable=warning,portability,performance --inline-suppr \
		$lint_defs -D__linux__ -D__x86_64__ -I"$build" -I. \
		--template='{file}|{id}|{line}: {message}' --file-list=- 2>&1 | grep '|'
}

lint_analyzer() {
	# shellcheck disable=SC2016 # the inner shell expands
	{ grep -E '(^|/)lib/' || :; } | xargs -r -P "$jobs" -n 1 sh -c \
		'gcc -std=c17 -O2 $1 -fanalyzer -fdiagnostics-plain-output -c -o /dev/null "$2"' \
		gcc "$lint_defs -I$build -I." \
		2>&1 | sed -n 's/^\(.*\):\([0-9]*\):[0-9]*: warning: \(.*\) \[-W\(.*\)\]$/\1|\4|\2: \3/p'
}

# lint_run TOOL - findings that lint.allow does not permit, and a planted fault.
lint_run() {
	"lint_$1" <"$dir/files" | sed "s,^$PWD/,,; s,^\./,," | sort -u >"$dir/$1"
	while IFS='|' read -r file name text; do
		if ! grep -q "^$1 | $file | $name | ." "$tools/lint.allow"; then
			echo "$1: $file:$text [$name]"
			failed=1
		fi
	done <"$dir/$1"
	if [ "${TERN_LINT:-}" = all ]; then
		sed -n "s/^$1 | \([^|]*\) | \([^|]*\) | .*/\1|\2/p" "$tools/lint.allow" | sort >"$dir/allowed"
		cut -d'|' -f1,2 "$dir/$1" | sort -u | comm -23 "$dir/allowed" - >"$dir/idle"
		[ ! -s "$dir/idle" ] || {
			echo "$1: lint.allow permits what the tool does not find:"
			cat "$dir/idle"
			failed=1
		}
	fi
	echo "$dir/lib/planted.c" | "lint_$1" | grep -q . || { echo "$1 does not find a planted fault"; failed=1; }
}

cp .clang-tidy "$dir/"
ran=0
for t in tidy:clang-tidy cppcheck:cppcheck analyzer:gcc; do
	if command -v "${t#*:}" >/dev/null; then
		lint_run "${t%:*}"
		ran=1
	else
		echo "skip ${t#*:} (cannot here: ${t#*:} is not installed, and is optional)"
	fi
done
[ $ran = 1 ] || { echo "cannot here: clang-tidy, cppcheck and gcc are not installed, and are optional"; exit 77; }
exit $failed
