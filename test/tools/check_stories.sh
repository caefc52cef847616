#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Unknown and surplus words of a story (doc/testing.md) and of the command line of `sim` are errors. The error names the
# story, the line and the word.
set -u
sim=$(cd "${TERN_BUILDDIR:-.}" && pwd)/test/sim/sim
[ -x "$sim" ] || { echo "$sim is missing: make test/sim/sim"; exit 1; }
dir=$(mktemp -d "${TMPDIR:-/tmp}/stories.XXXXXX") || exit 1
trap 'rm -rf "$dir"' EXIT
failed=0

# story STEP - a story of a member m, an actor of each kind, and a daemon, in 15 lines; then the step.
story() {
	cat <<-'END'
	link eth0 10.0.0.1/16
	member m as 65011 at 10.0.1.1
	cache c at 10.0.2.1
	bfd b at 10.0.1.1
	station s at 10.0.3.1
	router r at 10.0.4.1
	client k
	config
	router id 10.0.0.1;
	log "/sim/log" all;
	protocol device {}
	template bgp member { local 10.0.0.1 as 65000; rs client; passive; ipv4 { import all; export all; }; }
	MEMBERS
	.
	start
	END
	printf '%s\n' "$1"
}

# refuses STEP TEXT - the story with this step as line 16 fails, and the error has the line and the text.
refuses() {
	story "$1" >"$dir/bad.story"
	if "$sim" "$dir/bad.story" >"$dir/out" 2>&1; then
		echo "FAIL accepted: $1"
		failed=1
	elif ! grep -q "bad.story:16: .*$2" "$dir/out"; then
		echo "FAIL $1: no error with bad.story:16 and '$2':"
		cat "$dir/out"
		failed=1
	fi
}

# plays STEP - the story with this step holds.
plays() {
	story "$1" >"$dir/good.story"
	"$sim" "$dir/good.story" >"$dir/out" 2>&1 || { echo "FAIL $1:"; cat "$dir/out"; failed=1; }
}

# unmade PATTERN STEP TEXT - likewise, without the line of the story that the pattern names; the step is line 15.
unmade() {
	story "$2" | sed "/$1/d" >"$dir/unmade.story"
	"$sim" "$dir/unmade.story" >"$dir/out" 2>&1 && { echo "FAIL accepted without $1: $2"; failed=1; }
	grep -q "unmade.story:15: .*$3" "$dir/out" || { echo "FAIL $2 without $1:"; cat "$dir/out"; failed=1; }
}

# unread STEP TEXT [LINE] - the story with this step as line 17, behind the end of the daemon, fails before the first
# step. The error has the line (17) and the text.
unread() {
	{ story stop; printf '%s\n' "$1"; } >"$dir/unread.story"
	"$sim" "$dir/unread.story" >"$dir/out" 2>&1 && { echo "FAIL accepted: $1"; failed=1; }
	grep -q " 1000\.0000.. s: unread.story:${3:-17}: .*$2" "$dir/out" || {
		echo "FAIL $1: no error with unread.story:${3:-17} and '$2' before the first step:"
		cat "$dir/out"
		failed=1
	}
}

# usage TEXT ARGUMENT... - a wrong command line: exit status 2, and an error with the text.
usage() {
	text=$1
	shift
	"$sim" "$@" >"$dir/out" 2>&1
	[ $? = 2 ] && grep -q -e "$text" "$dir/out" || { echo "FAIL sim $*: not refused:"; cat "$dir/out"; failed=1; }
}

plays 'm up'
plays 'm announces 192.0.2.0/24 path 65011 64500 {1 2} community (0,65099) (1,2) large (1,2,3) med 4 next hop 10.0.1.1'
plays 'log at most 0 nothing like this'
plays 'link eth0 gets 10.1.0.1/24'
plays 'member n as 65012 at 10.0.1.2 ipv6 restarts long-lived 60 extended-next-hop role rs_client'
plays 'member n as 65012 at 10.0.1.2 extended-messages enhanced-refresh'
plays 'm announces 192.0.2.0/24 path 65011 otc 65011 next hop 10.0.1.1'
refuses 'm announces 192.0.2.0/24 path 65011 99999999999' '99999999999'
refuses 'm announces 192.0.2.0/24 path 65011 community (70000,1)' '(70000,1)'
refuses 'm announces 192.0.2.0/24 path 65011 large (4294967297,2,3)' '(4294967297,2,3)'
refuses 'm announces 192.0.2.0/24 path 65011 med 5000000000' 'med 5000000000'
refuses 'm announces 192.0.2.0/4294967320 path 65011' '192.0.2.0/4294967320'
refuses 'm announces 192.0.2.0/24x path 65011' '192.0.2.0/24x'
refuses 'm fills 4294967297 from 192.0.2.0/24 path 65011' "'4294967297'"
refuses 'member n as 4294967297 at 10.0.1.2' "'4294967297'"
refuses 'member n as 65012 at 10.0.1.2 hold 65537' "'65537'"
refuses 'cache d at 10.0.2.2 port 99999' "'99999'"
refuses 'cache d at 10.0.2.2 version 257' "'257'"
refuses 'cache c adds roa 192.0.2.0/280 as 1' '192.0.2.0'
refuses 'cache c adds roa 192.0.2.0/24 max 280 as 1' "'280'"
refuses 'station t at 10.0.3.2 port 65536' "'65536'"
refuses 'router q at 10.0.4.2 port 65536' "'65536'"
refuses 'bfd b ttl 256' "'256'"
refuses 'bfd b interval 4294968ms' "'4294968ms'"
refuses 'bfd a at 10.0.1.3 multiplier 256' "'256'"
refuses 'kernel adds 10.9.0.0/280 via 10.0.9.9' '10.9.0.0'
refuses 'kernel adds 10.9.0.0/16 via 10.0.9.9 protocol 256' "'256'"
refuses 'link eth1 10.1.0.1/4294967320' '4294967320'
refuses 'clock 1e30h' "'1e30h'"
refuses 'cut 10.0.9.9' "'10.0.9.9'"
refuses 'mend 10.0.9.9' "'10.0.9.9'"
refuses 'mend 10.0.1.1' "'10.0.1.1' is not cut"
refuses 'cut 10.0.2.999' "'10.0.2.999'"
plays 'cut 10.0.2.1'
refuses 'link eth9 down' "'eth9'"
refuses 'link eth0 10.1.0.1/24' "'10.1.0.1/24'"
refuses 'name somebody is nobody' "'nobody'"
refuses 'member n as 65012 at nowhere' "'nowhere'"
refuses 'cache d at nowhere' "'nowhere'"
refuses 'at 1s' 'time without a step'
refuses 'after 1s # m up' 'time without a step'
refuses 'within 10s' 'time without a step'
refuses 'within 3s m up' "'within' without 'expect'"
refuses 'log at most -1 x' "'-1'"
refuses 'm sends 0' "'0' is no text"
unread 'm sends 0' "'0' is no text"
unread 'at 3h m sends 00 0g' "'00 0g' is no text"
unread 'after 3s cache c sends' "'' is no text"
unread 'router r sends 0x01 # comment' "'0x01' is no text"
unread 'file /f
m sends 0
.
m sends 1' "'1' is no text" 20
unread 'repeat 12
m sends 0@
.' "'010' is no text" 18
refuses 'answer lacks text' 'no answer'
refuses 'answer has' 'no text'
refuses 'print' 'no answer'
refuses 'log lacks' 'no text'
refuses 'expect log' 'no text'
refuses 'start' 'runs already'
refuses 'm announces 10.0.0.1/8 path 65011' '10.0.0.1/8 has bits'
refuses 'm announces 10.0.0.0/8 id 5 path 65011' 'id 5: m lacks add-path'
refuses 'm withdraws 10.0.0.0/8 id 5' 'id 5: m lacks add-path'
refuses 'm announces 2001:db8::/48 path 65011' 'm lacks ipv6'
refuses 'member n as 65012 at 10.0.1.1' "'10.0.1.1'"
refuses 'nonsense' "'nonsense'"
refuses 'member n as 65012 at 10.0.1.2 restart' "'restart'"
refuses 'member n as 650x2 at 10.0.1.2' "'650x2'"
refuses 'member m as 65012 at 10.0.1.2' "'m'"
refuses 'member n as 65012 at 10.0.1.2 role friend' "'friend'"
refuses 'member n as 65012 at 10.0.1.2 long-lived 60' 'restarts'
refuses 'member n as 65012 at 10.0.1.2 restarts long-lived ever' "'ever'"
refuses 'm announces 192.0.2.0/24 path 65011 otc nobody' 'otc nobody'
refuses 'm announces 192.0.2.0/24 path 65011 next hop 2001:db8::1' 'extended-next-hop'
refuses 'link eth1 10.1.0.1/33' "33"
refuses 'link eth0 sideways' "'sideways'"
refuses 'link eth0 down now' "'now'"
refuses 'link eth0 gets 10.1.0.1' "'10.1.0.1'"
refuses 'link eth0 loses 10.1.0.1/24' '10.1.0.1/24'
refuses 'link eth9 gets 10.1.0.1/24' 'eth9'
refuses 'log had text' "'had'"
refuses 'log has nothing like this' 'nothing like this'
refuses 'log at most many lines' "'many'"
refuses 'within 1s expect log nothing like this' 'nothing like this'
refuses 'router r talks nonsense often' "'often'"
refuses 'm up now please' "'now'"
refuses 'm stops' "'stops'"
refuses 'm stops talking' "'stops'"
refuses 'm jumps' "'jumps'"
refuses 'm announces 192.0.2.0/24' 'path'
refuses 'm announces 192.0.2.0 path 65011' '192.0.2.0 '
refuses 'm announces 192.0.2.0/24 path 65011 communty (0,65099)' 'communty'
refuses 'm announces 192.0.2.0/24 path 65011 {1 2' '{1 2'
refuses 'm announces 192.0.2.0/24 path 65011 ext (rt,1,2)' 'ext'
refuses 'm announces 192.0.2.0/24 path 65011 community (1,2,3)' 'community'
refuses 'm announces 192.0.2.0/24 path 65011 next hop nowhere' 'nowhere'
refuses 'm announces 192.0.2.0/24 path 65011 community (1,2) community (3,4)' "'community (3,4)'.*twice"
refuses 'm announces 192.0.2.0/24 path 65011 large (1,2,3) large (4,5,6)' "'large (4,5,6)'.*twice"
refuses 'm announces 192.0.2.0/24 path 65011 path 65012' "'path 65012'.*twice"
refuses 'm announces 192.0.2.0/24 path 65011 med 1 pref 2 med 3' "'med 3'.*twice"
refuses 'm announces 192.0.2.0/24 path 65011 pref 1 pref 2' "'pref 2'.*twice"
refuses 'm announces 192.0.2.0/24 path 65011 otc 1 otc 2' "'otc 2'.*twice"
refuses 'm announces 192.0.2.0/24 path 65011 next hop 10.0.1.1 next hop 10.0.1.2' "'next hop 10.0.1.2'.*twice"
refuses 'm announces 192.0.2.0/24 path 65011 wrong hope' 'wrong hope'
refuses 'm announces 192.0.2.0/24 path 65011 med 1 wrong med' "'wrong med'.*twice"
refuses 'm withdraws 192.0.2.0/24' 'm is down'
plays 'm up
expect m up
stop
expect m lacks 192.0.2.0/24'
refuses 'm empties 2 from 192.0.2.0/24' 'm is down'
plays 'm up
m announces 192.0.2.0/24 path 65011
m withdraws 192.0.2.0/24'
refuses 'm fills 3 of 192.0.2.0/24 path 65011' "'3'"
refuses 'm fills 3 ids from 192.0.2.0/24 path 65011' "'ids'"
refuses 'm fills 3 ids of 192.0.2.0/24 path 65011' 'add-path'
refuses 'm fills many from 192.0.2.0/24 path 65011' "'many'"
refuses 'disk fulll' "'fulll'"
refuses 'start -X' "'-X'"
refuses 'stop now' "'now'"
refuses 'cut m' "'m'"
refuses 'clock soon' "'soon'"
refuses 'at s m up' "'s'"
refuses 'within 5 m up' "'5'"
refuses 'fresh soon' "'soon'"
refuses 'answer holds text' "'holds'"
refuses 'expect nobody up' "'nobody'"
refuses 'expect m upp' "'upp'"
refuses 'expect m down now' "'now'"
refuses 'expect m told off' "'off'"
refuses 'expect m got many' "'many'"
refuses 'expect m refreshed twice' "'twice'"
refuses 'm drops 192.0.2.0/24' "'192.0.2.0/24'"
refuses 'expect m told 2 11 now' "'now'"
refuses 'expect m has 192.0.2.0' "'192.0.2.0'"
refuses 'never m upp' "'upp'"
refuses 'never m down now' "'now'"
refuses 'cache d at 10.0.2.2 prt 323' "'prt'"
refuses 'cache c adds roa 192.0.2.0/24 maximum 24 as 1' "'192.0.2.0/24'"
refuses 'cache c falls asleep' "'falls'"
refuses 'cache c notifies everybody' "'everybody'"
refuses 'expect cache c conected' 'conected'
refuses 'never cache c asked reset twice' "'twice'"
refuses 'bfd b interval 100' "'100'"
refuses 'bfd b counts' "'counts'"
refuses 'expect bfd b hears upp' 'upp'
refuses 'station s stops writing' "'writing'"
refuses 'expect station s has pree 10.0.1.1 192.0.2.0/24' 'pree'
refuses 'router r peer 10.1.0.1 upp' "'upp'"
refuses 'expect router r lost it' "'it'"
refuses 'client k reads quickly' "'quickly'"
refuses 'kernel adds 10.9.0.0/16 via 10.0.9.9 metrc 3' "'metrc'"
refuses 'expect kernel saw nothing' 'nothing'

unmade '^start' 'stop' 'ternd does not run'
unmade '^start' 'crash' 'ternd does not run'
unmade '^start' 'ended' 'ternd was not started'
unmade '^start' 'log lacks text' 'no /sim/log'
unmade '^log "' 'log lacks text' 'no /sim/log'
unmade '^log "' 'log at most 1 text' 'no /sim/log'

: >"$dir/empty.story"
echo '# nothing' >"$dir/comment.story"
for empty in empty comment; do
	"$sim" "$dir/$empty.story" >"$dir/out" 2>&1 && { echo "FAIL an empty story holds"; failed=1; }
	grep -q "$empty.story:.*no step" "$dir/out" || { echo "FAIL $empty.story:"; cat "$dir/out"; failed=1; }
done

# repeat plays a block with numbers, and an error has the line of the step.
{ cat "$dir/good.story"; printf '%s\n' 'm up' 'expect m up' 'repeat 2' 'm announces 10.@.0.0/16 path 65011' \
	'expect answer 10.@.0.0/16 of show route' '.' 'repeat 2' 'settle' 'answer has 10.@.0.0/16' '.' \
	'command show route' 'answer has 10.1.0.0/16' 'answer has 10.2.0.0/16' 'answer lacks 10.3.0.0/16'
} >"$dir/turns.story"
"$sim" "$dir/turns.story" >"$dir/out" 2>&1 || { echo "FAIL repeat:"; cat "$dir/out"; failed=1; }
sed 's/has 10.@.0.0/lacks 10.@.0.0/' "$dir/turns.story" >"$dir/turn.story"
"$sim" "$dir/turn.story" >"$dir/out" 2>&1
line=$(grep -n '^answer lacks 10.@' "$dir/turn.story" | cut -d: -f1)
grep -q "turn.story:$line: " "$dir/out" || { echo "FAIL repeat: no error of line $line:"; cat "$dir/out"; failed=1; }
# REPEAT writes numbered lines.
sed 's/^protocol device.*/&\nREPEAT 3 protocol static s@ { ipv4; }/' "$dir/good.story" >"$dir/repeat.story"
printf '%s\n' 'command show protocols' 'answer has s1 ' 'answer has s3 ' 'answer lacks s4 ' >>"$dir/repeat.story"
"$sim" "$dir/repeat.story" >"$dir/out" 2>&1 || { echo "FAIL REPEAT:"; cat "$dir/out"; failed=1; }

# A file that the daemon refuses fails the story at `start`.
sed 's/^router id .*/router id nonsense;/; s/bad/refused/' "$dir/good.story" >"$dir/refused.story"
"$sim" "$dir/refused.story" >"$dir/out" 2>&1 && { echo "FAIL a refused file holds"; failed=1; }
grep -q 'refused.story:15: ternd ended with [1-9].*nonsense' "$dir/out" ||
	{ echo "FAIL refused file:"; cat "$dir/out"; failed=1; }

# `never` is about the daemon of the story, not about a fresh daemon that comes up beside it.
{ story 'm up'; echo 'expect m up'; echo 'never m down'; echo 'fresh'; echo 'm lost'; } >"$dir/fresh.story"
"$sim" "$dir/fresh.story" >"$dir/out" 2>&1 && { echo "FAIL m is never down"; failed=1; }
grep -q 'fresh.story:20: never was broken: m down' "$dir/out" ||
	{ echo "FAIL fresh and never:"; cat "$dir/out"; failed=1; }

# A step that breaks a `never` fails the story, also if `forget` is the next step and a new `never` takes the place.
{
	story 'm up'
	printf '%s\n' 'expect m up' 'never m down' 'm lost' 'forget' 'never m has 192.0.2.0/24'
} >"$dir/forget.story"
"$sim" --seeds 8 "$dir/forget.story" >"$dir/out" 2>&1
[ "$(grep -cE 'forget.story:(19|20): never was broken: m down' "$dir/out")" -eq 8 ] ||
	{ echo "FAIL forget and never:"; cat "$dir/out"; failed=1; }

# Lines end with a newline alone.
sed 's/$/\r/' "$dir/good.story" >"$dir/crlf.story"
"$sim" "$dir/crlf.story" >"$dir/out" 2>&1 && { echo "FAIL a story with carriage returns holds"; failed=1; }
grep -q 'crlf.story:1: .*carriage return' "$dir/out" || { echo "FAIL crlf.story:"; cat "$dir/out"; failed=1; }

# The end of the reader of a trace is no failure of the run.
"$sim" --trace --day --seed 1 2>"$dir/out" | head -n 1 >"$dir/first"
[ -s "$dir/first" ] && [ ! -s "$dir/out" ] || { echo "FAIL --trace without a reader:"; cat "$dir/out"; failed=1; }

usage 'more than 64 bits' --day --seed 18446744073709551615 --seeds 3
usage '--seeds 0' --day --seeds 0
usage '--seed abc' --day --seed abc
usage '--minutes 0' --pairs --minutes 0
usage '--jobs 1x' --day --jobs 1x
usage 'STORY' --seed 1
usage 'STORY' --day "$dir/good.story"
usage '--pairs' --day --table
"$sim" --help >"$dir/out" || { echo "FAIL sim --help: exit status"; failed=1; }
for option in seed seeds jobs trace hash members minutes hours rate table day pairs bridge help; do
	grep -q -e "--$option" "$dir/out" || { echo "FAIL sim --help lacks --$option"; failed=1; }
done
"$sim" --pairs --minutes 1 --hash | grep -q '^pairs seed 1: ' || { echo "FAIL sim --pairs --hash"; failed=1; }
"$sim" --pairs --table --seeds 3 | grep -q 'runs' && { echo "FAIL sim --table tells of runs"; failed=1; }

# Runs at the same time write whole lines.
story 'nonsense that fills a line: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa' >"$dir/bad.story"
"$sim" --seeds 400 --jobs 16 "$dir/bad.story" >"$dir/out" 2>&1
[ "$(grep -c "^seed [0-9]*, [0-9.]* s: bad.story:16: .*'nonsense'$" "$dir/out")" = 400 ] || {
	echo "FAIL lines of runs at the same time:"
	grep -v "^seed .* s: bad.story:16: .*'nonsense'$" "$dir/out" | grep -v "^FAIL .*bad.story$"
	failed=1
}

# SIGTERM ends the runs under way, which count as no failure.
mkfifo "$dir/trace"
"$sim" --day --hours 24 --seeds 2 --jobs 2 --trace >"$dir/trace" 2>"$dir/out" &
pid=$!
exec 3<"$dir/trace"
read -r line <&3
kill -TERM $pid
cat <&3 >/dev/null
wait $pid && { echo "FAIL SIGTERM: exit status 0"; failed=1; }
exec 3<&-
grep -q '^ENDED day seed 1; replay: ' "$dir/out" && ! grep -q FAIL "$dir/out" || {
	echo "FAIL SIGTERM:"
	cat "$dir/out"
	failed=1
}

# The oracle judges the file that `configure timeout` has brought and `configure confirm` keeps.
story 'm up
expect m up
command configure timeout 30
command configure confirm
after 60s settle
stop' >"$dir/good.story"
"$sim" "$dir/good.story" >"$dir/out" 2>&1 && ! grep -q 'not judged' "$dir/out" || {
	echo "FAIL configure confirm:"
	cat "$dir/out"
	failed=1
}

# The line that replays a failed run is a command for any folder.
(cd "$dir" && "$sim" --seed 7 bad.story) >"$dir/out" 2>&1
sed -n 's/.*; replay: //p' "$dir/out" >"$dir/replay"
sh "$dir/replay" >"$dir/again" 2>&1
grep -q 'seed 7, .*bad.story:16: ' "$dir/again" || { echo "FAIL replay:"; cat "$dir/out" "$dir/again"; failed=1; }
exit $failed
