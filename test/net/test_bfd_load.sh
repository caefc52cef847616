#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# What sessions of BFD cost, how soon a lost one is known, and that nothing else that the daemon does delays them.
exec python3 -B "${0%.sh}.py"
