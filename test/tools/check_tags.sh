#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Each release names the acquire that it pairs with: "pairs: TAG" in a comment at both. A tag must
# stand at least twice, and at least once by each side: in the line of the tag or the three before
# and after it, a releasing call (store_release, xchg_acq_rel, cas_acq_rel, fence_seq_cst, a post or a
# publication by name) or an acquiring one. In headers a tag only refers to code.
# doc/concurrency.md has a row for each tag of the daemon, "| TAG | what | writers | readers |", which
# names all functions whose bodies hold the tag and no others; a file in brackets may follow a name. A row without a
# tag goes on with the row above.
set -u
cd "${TERN_SRCDIR:-.}" || exit 1

{
	find lib sysdep filter nest proto test/stress test/load -name '*.[ch]' 2>/dev/null | sort
	echo doc/concurrency.md
} | xargs awk '
function side(text) {
	if (text ~ /(store_release|acq_rel|seq_cst|_SEQ_CST|release)/) rel[tag] = 1
	if (text ~ /(load_acquire|acq_rel|seq_cst|_SEQ_CST|acquire)/) acq[tag] = 1
}
function flush_pending(i) {
	for (i in pending)
		delete pending[i]
	line[1] = line[2] = line[3] = ""
}
# row - a line of the table of pairs: its functions.
function row(text,    col, i, n, f) {
	split(text, col, / *\| */)
	if (col[2] != "") {
		tag = col[2]
		rows[tag]++
	}
	n = split(col[4] ", " col[5], f, ", ")
	for (i = 1; i <= n; i++) {
		sub(/ .*/, "", f[i])
		if (f[i] != "")
			named[tag, f[i]] = FILENAME ":" FNR
	}
}
FNR == 1 { flush_pending(); body = 0 }
FILENAME ~ /\.md$/ {
	if (/^\| [A-Z][A-Z0-9_]+ \|/ || /^\| \|/ && in_pairs)
		row($0)
	in_pairs = /^\| [A-Z][A-Z0-9_]+ \|/ || /^\| \|/ && in_pairs
	next
}
/^[a-z_][a-z0-9_]*\(/ { func_name = $0; sub(/\(.*/, "", func_name) }
/^{/ { body = 1 }
/^}/ { body = 0 }
{
	for (t in pending) {
		tag = t
		side($0)
		if (--pending[t] == 0)
			delete pending[t]
	}
	rest = $0
	while (match(rest, /pairs: *[A-Z][A-Z0-9_]*/)) {
		tag = substr(rest, RSTART, RLENGTH)
		sub(/pairs: */, "", tag)
		rest = substr(rest, RSTART + RLENGTH)
		seen[tag]++
		where[tag] = FILENAME ":" FNR
		if (body && FILENAME !~ /^test/)
			holds[tag, func_name] = FILENAME ":" FNR
		side($0)
		side(line[1] " " line[2] " " line[3])
		pending[tag] = 3
	}
	line[1] = line[2]
	line[2] = line[3]
	line[3] = $0
}
END {
	for (tag in seen) {
		why = ""
		if (seen[tag] < 2)
			why = "used once"
		else if (!rel[tag])
			why = "no release has the tag"
		else if (!acq[tag])
			why = "no acquire has the tag"
		if (why != "") {
			printf "%s: pairs: %s: %s\n", where[tag], tag, why
			failed = 1
		}
	}
	for (k in holds) {
		split(k, part, SUBSEP)
		if (!(k in named)) {
			printf "%s: pairs: %s: doc/concurrency.md does not name %s in its row\n",
			    holds[k], part[1], part[2]
			failed = 1
		}
	}
	for (k in named) {
		split(k, part, SUBSEP)
		if (!(k in holds)) {
			printf "%s: %s has no tag %s\n", named[k], part[2], part[1]
			failed = 1
		}
	}
	for (tag in rows)
		if (rows[tag] > 1) {
			printf "doc/concurrency.md: %d rows of %s\n", rows[tag], tag
			failed = 1
		}
	exit failed
}
'
