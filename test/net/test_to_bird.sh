#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# `ternd -p --bird 2.17` names each word that bird 2.17 refuses (test_to_bird.py).
src=${TERN_SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
exec python3 -B "$src/test/net/test_to_bird.py"
