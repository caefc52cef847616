#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# BIRD's own suites of filters, from its source packages (ternd -t).
exec python3 -B "${0%.sh}.py"
