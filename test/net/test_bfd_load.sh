#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# test_bfd_load checks the cost of BFD sessions, the delay until a loss is known, and that no other work delays the
# sessions.
exec python3 -B "${0%.sh}.py"
