#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Messages that are right but for a few octets, in established sessions; `make fuzz` sends ten millions of them.
exec python3 -B "${0%/*}/../fuzz/session.py" 20000
