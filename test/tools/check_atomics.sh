#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Atomics are spelled in lib/mt only (and in lib/mem/mem.c, to count, and in the public header lib/fib/ternfib.h, which
# includes no header of the tree): everyone else embeds the types
# of lib/mt/atomic.h, in whose functions the order is part of the name.
set -u
cd "${TERN_SRCDIR:-.}" || exit 1

# shellcheck disable=SC2046 # several files
if grep -nE '(\b_Atomic\b|\batomic_[a-z_]+ *\(|\batomic_u?(int|long|bool|char|flag)|\b__(atomic|sync)_|stdatomic\.h)' \
	$(find lib sysdep filter nest proto client -name '*.[chly]' 2>/dev/null |
		grep -v -e '^lib/mt/' -e '^lib/mem/mem\.c$' -e '^lib/fib/ternfib\.h$') /dev/null; then
	echo "use lib/mt/atomic.h there"
	exit 1
fi
exit 0
