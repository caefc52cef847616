#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# test_plan checks that `configure` does what its plan states.
exec python3 -B "${0%/*}/virtual.py" "${0%.sh}.py"
