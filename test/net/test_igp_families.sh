#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Igp tables of both families, compared with bird2's while the routes to the next hops change.
exec python3 -B "${0%.sh}.py"
