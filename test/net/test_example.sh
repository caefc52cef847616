#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# doc/examples/rs.conf with members, by ternd and by bird2.
exec python3 -B "${0%.sh}.py"
