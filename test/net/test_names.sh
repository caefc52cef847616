#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Unknown names and misspelled words in every command, and what the replies say of them.
exec python3 -B "${0%/*}/virtual.py" "${0%.sh}.py"
