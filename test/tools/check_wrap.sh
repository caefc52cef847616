#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The simulated world knows each call to the system. A symbol of a library that an object of the product uses is in
# test/sim/wrap.list, whose symbols the linker redirects to test/sim, or test/sim/wrap.allow has the reason why not.
# A symbol of wrap.allow that no object uses is an error, too, but for symbols with a * and symbols of compilers.
set -u
src=$(cd "${TERN_SRCDIR:-.}" && pwd) || exit 1
cd "${TERN_BUILDDIR:-.}" || exit 1
# make coverage: no inline functions of the C library, and the counters
if grep -q '^CFLAGS = .*--coverage' Makefile; then
	echo "skipped: an object without optimisation calls functions of the C library that the lists lack"
	exit 77
fi
[ -r libtern.list ] || { echo "libtern.list is missing: make libtern.a"; exit 1; }

for o in $(cat libtern.list) proto/main.o; do
	[ -r "$o" ] || { echo "$o is missing: make all"; exit 1; }
done

# shellcheck disable=SC2046 # the names of objects have no blank
readelf -sW $(cat libtern.list) proto/main.o | awk '
# plain - without what _FORTIFY_SOURCE and versions of scanf and strtol add
function plain(s) {
	sub(/@.*/, "", s)
	sub(/^__isoc[0-9]+_/, "", s)
	if (s ~ /^__.*_chk$/ && s != "__stack_chk_fail") {
		sub(/^__/, "", s)
		sub(/_chk$/, "", s)
	}
	return s
}
FILENAME == LIST {
	wrap[$1] = 1
	next
}
FILENAME == ALLOW {
	if (/^#/ || !NF)
		next
	if (!match($0, /: ./)) {
		print ALLOW ": a line without a reason: " $0
		failed = 1
	}
	cnt = split(substr($0, 1, RSTART - 1), word, " ")
	for (i = 1; i <= cnt; i++) {
		if (word[i] in wrap) {
			print word[i] ": in wrap.list and in wrap.allow"
			failed = 1
		}
		if (sub(/\*$/, "", word[i]))
			star[++stars] = word[i]
		else
			allow[word[i]] = /: compilers$/ ? 1 : 2
	}
	next
}
/^File: / {
	object = $2
	objects++
}
$1 ~ /^[0-9]+:$/ && $5 != "LOCAL" && $8 != "" {
	if ($7 == "UND")
		user[plain($8)] = object
	else
		own[$8] = 1
}
END {
	if (objects < 100) {
		print "only " objects + 0 " objects"
		failed = 1
	}
	for (s in user) {
		if (s in own || s in wrap)
			continue
		if (s in allow) {
			allow[s] = 1
			continue
		}
		for (i = 1; i <= stars && index(s, star[i]) != 1; i++)
			;
		if (i <= stars)
			continue
		print user[s] ": uses " s ", which neither wrap.list nor wrap.allow has"
		failed = 1
	}
	for (s in allow)
		if (allow[s] == 2) {
			print "wrap.allow: no object uses " s
			failed = 1
		}
	exit failed
}' LIST="$src/test/sim/wrap.list" ALLOW="$src/test/sim/wrap.allow" "$src/test/sim/wrap.list" \
	"$src/test/sim/wrap.allow" -
