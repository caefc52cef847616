#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Many routes into the kernel, and what that takes others: the bench, with fewer of them.
TERN_ROUTES="${TERN_ROUTES:-60000}" exec python3 -B "$(dirname "$0")/../bench/kernel.py"
