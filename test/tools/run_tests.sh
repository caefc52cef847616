#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Run test programs and scripts, one or several at a time, and count them.
#
#   run_tests.sh NAME...      NAME: a program, below the build folder, or a script (ends in .sh);
#                             SCRIPT.sh@CASE: those of its cases that TERN_CASE=CASE chooses
#
# A line for each: "ok NAME (3 s)", "FAIL NAME (why)" with the output below, "skip NAME (why)"; last
# line: "12 passed, 0 failed, 0 skipped". Exit status 1 if one failed.
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

# told NAME - run a test; its lines to standard output.
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
	echo "FAIL $name ($why)"
	sed 's/^/    /' "$log" | tail -n 200
}

# "--one RESULTS NAME": what this script calls itself with for each test. The lines of one test
# stay together, in RESULTS and on the screen.
if [ "${1:-}" = --one ]; then
	lines=$(mktemp) || exit 1
	trap 'rm -f "$lines"' EXIT
	told "$3" >"$lines"
	[ ! -e "$2" ] || flock "$2" tee -a "$2" <"$lines"
	exit 0
fi

self=$(cd "$(dirname "$0")" && pwd)/${0##*/}
cd "$TERN_BUILDDIR" || exit 1
mkdir -p test/log
results=$(mktemp) || exit 1
trap 'rm -f "$results"' EXIT
trap 'exit 143' TERM INT HUP
[ $# -eq 0 ] || printf '%s\0' "$@" | xargs -0 -P "$TERN_TEST_JOBS" -n 1 sh "$self" --one "$results"
rc=$?
# count WORD - results that begin with it.
count() {
	grep -c "^$1 " "$results"
}
passed=$(count ok) failed=$(count FAIL)
echo "$passed passed, $failed failed, $(count skip) skipped"
test "$failed" -eq 0 && test $rc -eq 0
