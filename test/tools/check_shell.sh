#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The program shellcheck finds nothing in the scripts of the tree. .shellcheckrc has the warnings that the tree
# does not follow, a
# comment in the script each single exception. And the check notices a fault.
set -u
command -v shellcheck >/dev/null || { echo "shellcheck is not installed"; exit 77; }
cd "${TERN_SRCDIR:-.}" || exit 1
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT

find . -name '*.sh' -not -path './build*' -not -path './coverage/*' -not -path './.git/*' >"$dir/scripts"
for f in check quickstart debian/*.postinst debian/*.postrm; do
	[ ! -f "$f" ] || echo "$f" >>"$dir/scripts"
done
[ "$(wc -l <"$dir/scripts")" -ge 100 ] || { echo "there are hardly any scripts"; exit 1; }
xargs shellcheck -x -f gcc <"$dir/scripts" || exit 1

printf '#!/bin/sh\nf=$1\nrm -r $f\n' >"$dir/planted.sh"
! shellcheck -f gcc "$dir/planted.sh" >/dev/null || { echo "a word that splits is not noticed"; exit 1; }
