#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A file includes its own floor or lower ones:
#   lib/base < lib/mt < lib/net < lib/attr < lib/wire < sysdep < filter < nest < proto,
# and within nest its own room or earlier ones, where the headers that lie in nest itself come first:
#   conf < rib < rpki < channel < cli < daemon
# Folders of protocols don't know each other; client knows lib alone. Of lib/mt everyone above may
# use what it likes, since it stands second.
set -u
cd "${TERN_SRCDIR:-.}" || exit 1

find lib sysdep filter nest proto client -name '*.[chly]' 2>/dev/null | sort | xargs awk '
function floor(path) {
	if (path ~ /^lib\/base\//) return 1
	if (path ~ /^lib\/mt\//) return 2
	if (path ~ /^lib\/net\//) return 3
	if (path ~ /^lib\/attr\//) return 4
	if (path ~ /^lib\/wire\//) return 5
	if (path ~ /^sysdep\//) return 6
	if (path ~ /^filter\//) return 7
	if (path ~ /^nest\//) return 8
	if (path ~ /^proto\//) return 9
	if (path ~ /^client\//) return 10
	return 0
}
# nest/rib/x.h -> 2; nest/x.h -> 0
function room(path, part, cnt) {
	cnt = split(path, part, "/")
	if (part[1] != "nest" || cnt < 3)
		return 0
	return index(" conf    rib     rpki    channel cli     daemon  ", " " part[2] " ")
}
function bad(why) {
	printf "%s:%d: includes \"%s\": %s\n", FILENAME, FNR, inc, why
	failed = 1
}
# proto/bgp/x.h -> bgp; proto/registry.c -> nothing: it alone names all protocols.
function protocol(path, part, cnt) {
	cnt = split(path, part, "/")
	return part[1] == "proto" && cnt > 2 ? part[2] : ""
}
/^[ \t]*#[ \t]*include[ \t]*"/ {
	split($0, q, "\"")
	inc = q[2]
	to = floor(inc)
	from = floor(FILENAME)
	if (to == 0)
		bad("not the full path of a file of ours")
	else if (from == 10 && to > 5 && to != 10)
		bad("client may use lib only")
	else if (from != 10 && to > from)
		bad("a higher floor")
	else if (to == 8 && from == 8 && room(inc) > room(FILENAME))
		bad("a later room")
	else if (to == 9 && protocol(FILENAME) != "" && protocol(inc) != "" &&
	    protocol(FILENAME) != protocol(inc))
		bad("another protocol")
}
END { exit failed }
'
