#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Messages that are right but for a few octets, in established sessions, through sockets; `make fuzz` sends more
# of them, and ten millions without.
exec python3 -B "${0%/*}/virtual.py" "${0%/*}/../fuzz/session.py" 20000
