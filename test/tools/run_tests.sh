#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Run test programs and scripts, one or several at a time, and count them.
#
#   run_tests.sh NAME...      NAME: a program, below the build folder, or a script (ends in .sh);
#                             SCRIPT.sh@CASE: those of its cases that TERN_CASE=CASE chooses
#
# A line for each: "ok NAME (3 s)", "FAIL NAME (why)" with the output below, "skip NAME (why)"; last
# line: "12 passed, 0 failed, 0 skipped". Exit status 1 if one failed.
#
# A failed test runs once more, alone, when all others have ended. Its first run shows "again NAME (why)" with
# the output below; the output stays in test/log/NAME.first.log. If the second run passes, the test counts as
# passed, and a line "flaky NAME (why; LOG)" stands before the last line. TERN_FLAKY_MAX flaky tests (2) are
# forgiven; more count as one failure. A log with a sanitizer's report or a failed assertion of the product
# names a fault that a second run could only hide: such a test fails at once.
#
# A test says that it can't run here by exit status 77; its last line of output is why. One that
# passes may have left out single cases: "skip NAME: CASE (why)" follows, and they are counted, too.
# Environment: TERN_SRCDIR, TERN_BUILDDIR; TERN_TEST_TIMEOUT: seconds for each (120);
# TERN_TEST_JOBS: how many run at a time (1). Lines come in the order in which tests end.
set -u
: "${TERN_SRCDIR:=.}" "${TERN_BUILDDIR:=.}" "${TERN_TEST_TIMEOUT:=120}" "${TERN_TEST_JOBS:=1}"
export TERN_SRCDIR TERN_BUILDDIR TERN_TEST_TIMEOUT
export ASAN_OPTIONS="${ASAN_OPTIONS:-detect_stack_use_after_return=1:strict_string_checks=1}"
export UBSAN_OPTIONS="${UBSAN_OPTIONS:-print_stacktrace=1}"
export TSAN_OPTIONS="${TSAN_OPTIONS:-halt_on_error=1:suppressions=$TERN_SRCDIR/test/tools/tsan.supp}"

export CMOCKA_MESSAGE_OUTPUT=stdout # what left_out reads

# start NAME - become the test.
start() {
	case $1 in
	*.sh@*)
		export TERN_CASE="${1#*.sh@}"
		set -- "${1%%.sh@*}.sh"
		;;
	esac
	case $1 in
	*.sh)
		# An executable script says itself which shell it wants.
		[ -x "$1" ] && exec timeout -k 5 "$TERN_TEST_TIMEOUT" "$1"
		exec timeout -k 5 "$TERN_TEST_TIMEOUT" sh "$1"
		;;
	*/fuzz_*)
		exec timeout -k 5 "$TERN_TEST_TIMEOUT" "./$1" "$TERN_SRCDIR/test/fuzz/corpus/${1##*/fuzz_}" ;;
	*) exec timeout -k 5 "$TERN_TEST_TIMEOUT" "./$1" ;;
	esac
}

# left_out NAME LOG - a line for each case that was left out. A session test says "skip CASE (why)";
# cmocka says it at the case, in a line behind that of unit_cannot_here, and once more at the end.
left_out() {
	awk -v name="$1" '
	/^skip .*\)$/ { sub(/^skip /, ""); print "skip " name ": " $0 }
	/^cannot here: / { why = $0 }
	/^\[  SKIPPED \] [A-Za-z0-9_]+$/ {
		if (!($4 in said))
			order[++cnt] = $4
		said[$4] = said[$4] ? said[$4] : why
		why = ""
	}
	END {
		for (i = 1; i <= cnt; i++)
			print "skip " name ": " order[i] " (" (said[order[i]] ? said[order[i]] : "no reason") ")"
	}' "$2"
}

# told NAME first|second RESULTS - run a test; its lines to standard output. A failed first run is noted in
# RESULTS.again.
told() {
	name=${1%%.sh@*}
	name=${name##*/}
	name=${name%.sh}
	log=test/log/$name.log
	began=$(date +%s)
	start "$1" >"$log" 2>&1 </dev/null &
	# Whoever ends this script ends the test and what it started: timeout(1) has a process group.
	trap "kill -TERM $!" TERM INT HUP
	wait $!
	rc=$?
	case $rc in
	0)
		echo "ok $name ($(($(date +%s) - began)) s)"
		left_out "$name" "$log"
		return
		;;
	77)
		echo "skip $name ($(tail -n 1 "$log"))"
		return
		;;
	124 | 137) why="no end after $TERN_TEST_TIMEOUT s" ;;
	*) why="exit status $rc" ;;
	esac
	if [ "$2" = first ] && ! grep -qE "$never_again" "$log"; then
		first=${log%.log}.first.log
		mv "$log" "$first"
		printf '%s\n' "$1" >>"$3.again"
		echo "again $name ($why)"
		sed 's/^/    /' "$first" | tail -n 200
		return
	fi
	echo "FAIL $name ($why)"
	sed 's/^/    /' "$log" | tail -n 200
}

# Reports of a sanitizer, and of lib/base/check.c.
never_again='(ERROR|WARNING): [A-Za-z]*Sanitizer|: runtime error: |: check failed: '

# "--one first|second RESULTS NAME": the call of this script for each test. The lines of one test
# stay together, in RESULTS and on the screen.
if [ "${1:-}" = --one ]; then
	lines=$(mktemp) || exit 1
	trap 'rm -f "$lines"' EXIT
	told "$4" "$2" "$3" >"$lines"
	[ ! -e "$3" ] || flock "$3" tee -a "$3" <"$lines"
	exit 0
fi

self=$(cd "$(dirname "$0")" && pwd)/${0##*/}
cd "$TERN_BUILDDIR" || exit 1
mkdir -p test/log
results=$(mktemp) || exit 1
trap 'rm -f "$results" "$results.again"' EXIT
trap 'exit 143' TERM INT HUP
: >"$results.again"
rc=0
[ $# -eq 0 ] || printf '%s\0' "$@" | xargs -0 -P "$TERN_TEST_JOBS" -n 1 sh "$self" --one first "$results" || rc=$?
[ ! -s "$results.again" ] || tr '\n' '\0' <"$results.again" |
	xargs -0 -n 1 sh "$self" --one second "$results" || rc=$?

# flaky_list - a line for each test whose first run failed and whose second run passed.
flaky_list() {
	sed -n 's/^again \([^ ]*\) (\(.*\))$/\1 \2/p' "$results" | while read -r name why; do
		! grep -q "^ok $name " "$results" || echo "flaky $name ($why; $PWD/test/log/$name.first.log)"
	done
}

# count WORD - results that begin with the word.
count() {
	grep -c "^$1 " "$results"
}
passed=$(count ok) failed=$(count FAIL) flaky=$(flaky_list)
if [ -n "$flaky" ]; then
	echo "$flaky"
	cnt=$(echo "$flaky" | grep -c .)
	if [ "$cnt" -gt "${TERN_FLAKY_MAX:-2}" ]; then
		echo "FAIL run_tests ($cnt flaky tests)"
		failed=$((failed + 1))
	fi
fi
echo "$passed passed, $failed failed, $(count skip) skipped"
test "$failed" -eq 0 && test $rc -eq 0
