#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# codespell finds no misspelled word in sources, documents and messages. spelling.list has the words that are none of a
# dictionary; texts with misspelled words on purpose are named here. And the check notices a fault.
set -u
command -v codespell >/dev/null || { echo "codespell is not installed"; exit 77; }
tools=$(cd "$(dirname "$0")" && pwd) || exit 1
cd "${TERN_SRCDIR:-.}" || exit 1
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT

# misspelled on purpose: configurations and commands that get a suggestion
meant='*/misspelt_*,*_misspelt.*,*_bad.*,*/test_cli.c,*/test_cli_scan.c'
meant="$meant,*/test_client_cmd.c,*/test_spell.c,*/test_names.py,*/test_terminal.py,*/test_cli_rules.*"
meant="$meant,*/check_docs.sh,*/check_spelling.sh,*/check_stories.sh,*/test_secret.c"
# measured data, recorded messages, generated text, the licence
data='./doc/experiment*,*/corpus/*,*.jsonl,./LICENSE,./build*,./coverage,./test/log,./.git,./autom4te.cache,./configure'
data="$data,./aclocal.m4,./test/ixp/bgpq4"
check_spelling() {
	codespell -q 3 -I "$tools/spelling.list" --skip "$data,$meant" "$@"
}

check_spelling . || exit 1
echo 'The recieved route.' >"$dir/planted.md"
! check_spelling "$dir/planted.md" >/dev/null || { echo "a misspelled word is not noticed"; exit 1; }
