#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The layout of code is what clang-format makes of it by .clang-format. Versions differ in details,
# so one is asked for: that of Debian 12.
set -u
cd "${TERN_SRCDIR:-.}" || exit 1

tool=
for t in clang-format-14 clang-format; do
	if $t --version 2>/dev/null | grep -q 'version 14\.'; then
		tool=$t
		break
	fi
done
if [ -z "$tool" ]; then
	if apt-cache show clang-format-14 2>/dev/null | grep -q '^Package:'; then
		echo "skipped: no clang-format 14 (apt-get install clang-format-14)"
	else
		echo "cannot here: this system has no package of clang-format 14"
	fi
	exit 77
fi
# Where a comment's lines break is its writer's choice: lists and tables in comments stay as they are.
style=$(mktemp) || exit 1
trap 'rm -f "$style"' EXIT
{ grep -v '^ReflowComments' .clang-format; echo 'ReflowComments: false'; } >"$style"
# Without the files that bison and flex write in a build in the tree itself.
bad=$(find lib sysdep filter nest proto client test -name '*.[ch]' ! -name 'conf_gram.[ch]' ! -name conf_lex.c \
	2>/dev/null | sort | xargs $tool --style=file:"$style" --dry-run 2>&1 |
	grep 'warning:' | cut -d: -f1 | sort | uniq -c)
[ -z "$bad" ] && exit 0
echo "lines to change, file (mend by: $tool -i FILE):"
echo "$bad"
exit 1
