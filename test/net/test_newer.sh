#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# test_newer runs the language's own tests of features that bird2 2.0.12 lacks: test/diff/newer.conf.
exec "$TERN_BUILDDIR/ternd" -t -c "$TERN_SRCDIR/test/diff/newer.conf"
