#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Files of at most 600 lines (grammars excepted), functions of at most 80. A file whose head (its first
# 30 lines) has a comment that begins "style:" is excepted from both.
# A function is found by our format: its body lies between "{" and "}" in the first column.
# Comments end by column 90 in .c and .h files; lines of code are clang-format's affair.
set -u
cd "${TERN_SRCDIR:-.}" || exit 1

# Without the files that bison and flex write in a build in the tree itself.
find lib sysdep filter nest proto client test -name '*.[chly]' ! -name 'conf_gram.[ch]' ! -name conf_lex.c \
	2>/dev/null | sort | xargs awk '
# comment - is there any in this line? `within`: it goes on.
function comment(rest,    any) {
	any = within
	while (match(rest, within ? "[*]/" : "/[*]")) {
		rest = substr(rest, RSTART + 2)
		within = !within
		any = 1
	}
	return any
}
# columns - of a line, but for the backslash that continues it.
function columns(rest,    n) {
	sub(/[ \t]*\\$/, "", rest)
	for (n = 0; match(rest, /\t/); rest = substr(rest, RSTART + 1))
		n = n + RSTART - 1 + 8 - (n + RSTART - 1) % 8
	return n + length(rest)
}
function file_end() {
	if (last != "" && !excepted && last !~ /\.[ly]$/ && lines > 600) {
		printf "%s: %d lines, more than 600\n", last, lines
		failed = 1
	}
}
FNR == 1 {
	file_end()
	last = FILENAME
	excepted = start = within = 0
	name = ""
}
FILENAME ~ /\.[ch]$/ && comment($0) && columns($0) > 90 {
	printf "%s:%d: a comment of %d columns, more than 90\n", FILENAME, FNR, columns($0)
	failed = 1
}
{ lines = FNR }
FNR <= 30 && /style:/ { excepted = 1 }
/^[a-z_][a-z0-9_]*\(/ { name = $0; sub(/\(.*/, "", name) }
/^{/ { start = FNR }
/^}/ {
	if (start && !excepted && FILENAME !~ /\.[ly]$/ && FNR - start - 1 > 80) {
		printf "%s:%d: %s has %d lines, more than 80\n", FILENAME, start, name,
		    FNR - start - 1
		failed = 1
	}
	start = 0
}
END { file_end(); exit failed }
'
