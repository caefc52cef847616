#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# libternfib from its packages, inside a root in which tern is installed: a daemon writes a table image, and the program
# ternfib, a C program that pkg-config helps to build, and the Python module find the same route.
set -e
dir=$(mktemp -d)
trap 'ternc -s "$dir/ctl" down >/dev/null 2>&1; rm -rf "$dir"' EXIT
cd "$dir"
cat >conf <<END
router id 10.0.0.1;
protocol device { }
protocol static { ipv4; route 192.0.2.0/24 via "lo"; route 192.0.2.128/25 blackhole; }
protocol image { table master4; filename "$dir/t.fib"; }
END
cat >look.c <<END
#include <stdio.h>
#include <ternfib.h>

int
main(int argc, char **argv)
{
	struct ternfib *t;
	struct ternfib_hop hop;
	uint64_t a;

	if (argc != 2 || ternfib_open(&t, argv[1]))
		return 1;
	a = ternfib_find4(t, 0xc0000281);
	if (!a || ternfib_hop(t, a, &hop) || ternfib_find4(t, 0xc0000300))
		return 1;
	printf("%s\n", hop.kind == TERNFIB_DROP ? "blackhole" : "other");
	ternfib_close(t);
	return 0;
}
END
ternd -c conf -s "$dir/ctl" -P "$dir/pid"
timeout 60 sh -c 'until ternfib verify t.fib >/dev/null 2>&1; do sleep 0.1; done'
[ "$(ternfib lookup t.fib 192.0.2.129)" = "192.0.2.129 via blackhole" ]
[ "$(ternfib lookup t.fib 192.0.3.0)" = "192.0.3.0 no route" ]
for how in "" --static; do
	# shellcheck disable=SC2046 # several words
	cc -Wall -Wextra -Werror $(pkg-config $how --cflags ternfib) -o look look.c \
		${how:+-Wl,-Bstatic} $(pkg-config $how --libs ternfib) ${how:+-Wl,-Bdynamic}
	[ "$(./look t.fib)" = blackhole ]
done
PYTHONPATH=/usr/share/doc/libternfib-dev python3 -B -c '
import array, sys, ternfib
t = ternfib.Image("t.fib")
assert t.find("192.0.3.0") is None
answers = t.bulk(array.array("I", [0xc0000201, 0xc0000281, 0xc0000300]))
assert answers[0] and answers[1] and answers[0] != answers[1] and not answers[2], answers
'
test -e /usr/share/man/man3/ternfib.3.gz
test -e /usr/share/man/man8/ternfib.8.gz
echo passed
