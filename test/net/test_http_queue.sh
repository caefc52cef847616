#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Questions of ternhttp's clients to the daemon: turns of clients, clients that leave, clients that never read.
exec python3 -B "${0%.sh}.py"
