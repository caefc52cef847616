#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Run test programs and scripts one after the other and count them.
#
#   run_tests.sh NAME...      NAME: a program, below the build folder, or a script (ends in .sh)
#
# A line for each: "ok NAME", "FAIL NAME (why)" with the output below, "skip NAME (why)"; last line:
# "12 passed, 0 failed, 0 skipped". Exit status 1 if one failed.
# A test says that it can't run here by exit status 77; its last line of output is why.
# Environment: TERN_SRCDIR, TERN_BUILDDIR; TERN_TEST_TIMEOUT: seconds for each (120).
set -u
: "${TERN_SRCDIR:=.}" "${TERN_BUILDDIR:=.}" "${TERN_TEST_TIMEOUT:=120}"
export TERN_SRCDIR TERN_BUILDDIR
export ASAN_OPTIONS="${ASAN_OPTIONS:-detect_stack_use_after_return=1:strict_string_checks=1}"
export UBSAN_OPTIONS="${UBSAN_OPTIONS:-print_stacktrace=1}"
export TSAN_OPTIONS="${TSAN_OPTIONS:-halt_on_error=1:suppressions=$TERN_SRCDIR/test/tools/tsan.supp}"

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
