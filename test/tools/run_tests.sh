#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Run test programs and scripts one after the other and count them.
#
#   run_tests.sh NAME...      NAME: a program, below the build folder, or a script (ends in .sh)
#
# A line for each: "ok NAME", "FAIL NAME (why)" with the output below, "skip NAME (why)"; last line:
# "12 passed, 0 failed, 0 skipped". Exit status 1 if one failed.
# A test says that it can't run here by exit status 77; its last line of output is why. One that
# passes may have left out single cases: "skip NAME: CASE (why)" follows, and they are counted, too.
# Environment: TERN_SRCDIR, TERN_BUILDDIR; TERN_TEST_TIMEOUT: seconds for each (120).
set -u
: "${TERN_SRCDIR:=.}" "${TERN_BUILDDIR:=.}" "${TERN_TEST_TIMEOUT:=120}"
export TERN_SRCDIR TERN_BUILDDIR
export ASAN_OPTIONS="${ASAN_OPTIONS:-detect_stack_use_after_return=1:strict_string_checks=1}"
export UBSAN_OPTIONS="${UBSAN_OPTIONS:-print_stacktrace=1}"
export TSAN_OPTIONS="${TSAN_OPTIONS:-halt_on_error=1:suppressions=$TERN_SRCDIR/test/tools/tsan.supp}"

export CMOCKA_MESSAGE_OUTPUT=stdout # what left_out reads

cd "$TERN_BUILDDIR" || exit 1
mkdir -p test/log
passed=0 failed=0 skipped=0

# How a test is started, by its name.
run_one() {
	case $1 in
	*.sh)
		# An executable script says itself which shell it wants.
		if [ -x "$1" ]; then
			timeout -k 5 "$TERN_TEST_TIMEOUT" "$1"
		else
			timeout -k 5 "$TERN_TEST_TIMEOUT" sh "$1"
		fi ;;
	*/fuzz_*)
		corpus=$TERN_SRCDIR/test/fuzz/corpus/${1##*/fuzz_}
		timeout -k 5 "$TERN_TEST_TIMEOUT" "./$1" "$corpus" ;;
	*) timeout -k 5 "$TERN_TEST_TIMEOUT" "./$1" ;;
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

for t in "$@"; do
	name=${t##*/}
	name=${name%.sh}
	log=test/log/$name.log
	run_one "$t" >"$log" 2>&1 </dev/null
	rc=$?
	case $rc in
	0)
		passed=$((passed + 1))
		echo "ok $name"
		cases=$(left_out "$name" "$log")
		if [ -n "$cases" ]; then
			echo "$cases"
			skipped=$((skipped + $(echo "$cases" | wc -l)))
		fi
		continue
		;;
	77)
		skipped=$((skipped + 1))
		echo "skip $name ($(tail -n 1 "$log"))"
		continue
		;;
	124 | 137) why="no end after $TERN_TEST_TIMEOUT s" ;;
	*) why="exit status $rc" ;;
	esac
	failed=$((failed + 1))
	echo "FAIL $name ($why)"
	sed 's/^/    /' "$log" | tail -n 200
done
echo "$passed passed, $failed failed, $skipped skipped"
test $failed -eq 0
