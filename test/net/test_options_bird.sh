#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# bird 2.17 accepts each option that doc/migrate.md does not name as tern's (test_options_bird.py).
src=${TERN_SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
exec python3 -B "$src/test/net/test_options_bird.py"
