#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A file includes its own floor or lower ones:
#   lib/base, lib/crypto, lib/json, lib/mem < lib/mt < lib/net, lib/fib < lib/attr < lib/wire < sysdep < filter < nest <
#   proto,
# and its own folder or earlier ones, where what lies in the folder itself comes first:
#   sysdep:     os < sock < log < loop < iface
#   filter:     value < set < run, run/builtin < lang
#   nest:       core < event < conf, conf/file, conf/opt, conf/opt/top < foreign < rib/attr < rib, rib/table,
#               rib/stream < rib/index < channel, channel/import, channel/export, channel/instance < mrt < monitor <
#               bfd < shadow < preview < cli < cli/act < cli/show, cli/show/counters, cli/show/member, cli/show/route,
#               cli/show/why < daemon, daemon/commit, daemon/event, daemon/order
#   proto/bgp:  conf < in < out < session, listen, monitor, show
# A header whose name ends in _priv.h is for files of its own folder and of folders in that folder, and for tests;
# proto/program.c alone, which makes the control plane, includes nest/daemon's. The files form no circles
# (check_circles.py). Folders of protocols don't know each other; client knows lib alone. All folders above lib/mt
# may include lib/mt.
set -u
tools=$(cd "$(dirname "$0")" && pwd) || exit 1
cd "${TERN_SRCDIR:-.}" || exit 1

# Without what bison and flex write into the tree itself.
find lib sysdep filter nest proto client -name '*.[chly]' ! -name 'conf_gram.[ch]' ! -name conf_lex.c 2>/dev/null |
	sort | xargs awk '
BEGIN {
	folders["sysdep"] = " os sock log loop iface "
	folders["filter"] = " value set run,run/builtin lang "
	# a backslash before the end of the line continues the string of awk
	folders["nest"] = " core event conf,conf/file,conf/opt,conf/opt/top foreign rib/attr \
rib,rib/table,rib/stream rib/index \
channel,channel/import,channel/export,channel/instance mrt monitor bfd shadow preview \
cli cli/act cli/show,cli/show/counters,cli/show/member,cli/show/route,cli/show/why \
daemon,daemon/commit,daemon/event,daemon/order "
	folders["proto/bgp"] = " conf in out session,listen,monitor,show "
}
function floor(path) {
	if (path ~ /^lib\/(base|crypto|json|mem)\//) return 1
	if (path ~ /^lib\/mt\//) return 2
	if (path ~ /^lib\/(net|fib)\//) return 3
	if (path ~ /^lib\/attr\//) return 4
	if (path ~ /^lib\/wire\//) return 5
	if (path ~ /^sysdep\//) return 6
	if (path ~ /^filter\//) return 7
	if (path ~ /^nest\//) return 8
	if (path ~ /^proto\//) return 9
	if (path ~ /^client\//) return 10
	return 0
}
# nest/rib/x.h -> nest; proto/static/x.h -> nothing: it has no folders
function house(path, h) {
	for (h in folders)
		if (index(path, h "/") == 1)
			return h
	return ""
}
# Greater for later folders; nest/x.h -> 0; of a folder that has no place -> -1. Folders between commas are equal.
function folder(path, h, all, cnt, i) {
	h = house(path)
	path = substr(path, length(h) + 2)
	if (h == "" || !sub(/\/[^\/]*$/, "", path))
		return 0
	cnt = split(folders[h], all, " ")
	for (i = 1; i <= cnt; i++)
		if (index("," all[i] ",", "," path ","))
			return i
	return -1
}
function bad(why) {
	printf "%s:%d: includes \"%s\": %s\n", FILENAME, FNR, inc, why
	failed = 1
}
function dir(path) {
	sub(/\/[^\/]*$/, "", path)
	return path
}
# proto/bgp/x.h -> bgp; proto/registry.c -> nothing: it alone names all protocols.
function protocol(path, part, cnt) {
	cnt = split(path, part, "/")
	return part[1] == "proto" && cnt > 2 ? part[2] : ""
}
FNR == 1 && folder(FILENAME) < 0 {
	printf "%s: the order of folders has no such folder\n", FILENAME
	failed = 1
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
	else if (house(inc) == house(FILENAME) && folder(inc) > folder(FILENAME))
		bad("a later folder")
	else if (inc ~ /_priv\.h$/ && index(dir(FILENAME) "/", dir(inc) "/") != 1 &&
	    !(FILENAME == "proto/program.c" && inc == "nest/daemon/control_priv.h"))
		bad("private to another folder")
	else if (to == 9 && protocol(FILENAME) != "" && protocol(inc) != "" &&
	    protocol(FILENAME) != protocol(inc))
		bad("another protocol")
}
END { exit failed }
' || failed=1
python3 -B "$tools/check_circles.py" || failed=1
exit "${failed:-0}"
