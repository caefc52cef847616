#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# What bird2 2.0.12 can't be asked about the language, the language's own tests say: test/diff/newer.conf.
exec "$TERN_BUILDDIR/ternd" -t -c "$TERN_SRCDIR/test/diff/newer.conf"
